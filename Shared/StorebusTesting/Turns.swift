internal import EventLoop

/// Limits how many tests use a scarce resource at the same time. The others wait, first come, first served.
///
/// Swift Testing runs all tests of a module at the same time. Hundreds of stores that start together on two cores, each
/// with connections to PostgreSQL, would only make each other miss their deadlines.
package final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    /// Creates turns for `count` tests at a time.
    package init(_ count: Int) {
        state = Locked(State(free: count))
    }

    /// Waits for a turn, and gives it back when `body` is over. Not to be asked for inside of `body`, which could wait
    /// for itself.
    package func take<Output>(_ body: () async throws -> Output) async rethrows -> Output {
        await wait()
        defer { pass() }
        return try await body()
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func pass() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
