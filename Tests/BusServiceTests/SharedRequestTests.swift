import EventLoop
import StoreModels
import StorebusTesting
import Testing

@testable import BusService

/// Goal: callers that ask the same at the same time share a request, and no caller gets the answer to one that left
/// before they asked.
@Suite struct SharedRequestTests {
    /// Answers with the number of the request, when the test says so.
    private final class Asked: Sendable {
        struct State {
            var gates: [CheckedContinuation<Result<Int, StoreError>, Never>] = []
            var count = 0
        }

        let state = Locked(State())

        var count: Int { state.withLock { $0.count } }

        func shared(timeout: Duration = .seconds(30)) -> SharedRequest<String, Int> {
            SharedRequest(timeout: timeout, lateAfter: .seconds(30)) { [self] (_, _) async throws(StoreError) in
                try await withCheckedContinuation { gate in
                    state.withLock { state in
                        state.count += 1
                        state.gates.append(gate)
                    }
                }.get()
            }
        }

        func sent(_ count: Int) async throws {
            try await eventually("\(count) requests have left") { self.count == count }
        }

        func answer(_ number: Int, _ outcome: Result<Int, StoreError>? = nil) {
            state.withLock { $0.gates[number - 1] }.resume(returning: outcome ?? .success(number))
        }
    }

    private let asked = Asked()
    private let later = ContinuousClock.now + .seconds(60)

    @Test func `an answer under way is not for who asks meanwhile; all of them share the next`() async throws {
        let shared = asked.shared()
        async let first = shared.ask("a", until: later)
        try await asked.sent(1)
        async let others = withTaskGroup(of: Int?.self) { group in
            for _ in 0..<20 { group.addTask { [later] in try? await shared.ask("a", until: later) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        // All of the twenty wait when the first is answered; those who came later than that share the third.
        try await eventually("twenty wait") { shared.waitingCount("a") == 20 }
        asked.answer(1)
        #expect(try await first == 1)
        try await asked.sent(2)
        asked.answer(2)
        #expect(await others == Array(repeating: 2, count: 20))
        #expect(asked.count == 2)
    }

    @Test func `other keys do not wait`() async throws {
        let shared = asked.shared()
        async let first = shared.ask("a", until: later)
        try await asked.sent(1)
        async let second = shared.ask("b", until: later)
        try await asked.sent(2)
        asked.answer(2)
        #expect(try await second == 2)
        asked.answer(1)
        #expect(try await first == 1)
    }

    @Test func `a refusal goes to all callers, and the next caller asks again`() async throws {
        let shared = asked.shared()
        async let first = Result { try await shared.ask("a", until: later) }
        try await asked.sent(1)
        async let second = Result { try await shared.ask("a", until: later) }
        async let third = Result { try await shared.ask("a", until: later) }
        try await eventually("two wait") { shared.waitingCount("a") == 2 }
        asked.answer(1, .failure(StoreError(.notFound, "no such app")))
        try await asked.sent(2)
        asked.answer(2, .failure(StoreError(.notFound, "no such app")))
        for outcome in [await first, await second, await third] {
            #expect(throws: StoreError.self) { try outcome.get() }
        }
        async let fourth = shared.ask("a", until: later)
        try await asked.sent(3)
        asked.answer(3)
        #expect(try await fourth == 3)
    }

    @Test func `a sender with less time does not decide for those who have more`() async throws {
        let shared = asked.shared()
        async let first = shared.ask("a", until: later)
        try await asked.sent(1)
        async let impatient = Result { try await shared.ask("a", until: .now + .milliseconds(1)) }
        try await eventually("one waits") { shared.waitingCount("a") == 1 }
        async let patient = shared.ask("a", until: later)
        try await eventually("two wait") { shared.waitingCount("a") == 2 }
        asked.answer(1)
        _ = try await first
        try await asked.sent(2)
        asked.answer(2, .failure(StoreError(.deadlineExceeded, "too late")))
        let refused = await impatient
        #expect(throws: StoreError.self) { try refused.get() }
        try await asked.sent(3)
        asked.answer(3)
        #expect(try await patient == 3)
    }

    @Test func `a request that takes long keeps later callers back no more`() async throws {
        let asked = asked
        let shared = SharedRequest<String, Int>(lateAfter: .zero) { (_, _) async throws(StoreError) in
            try await withCheckedContinuation { gate in
                asked.state.withLock { state in
                    state.count += 1
                    state.gates.append(gate)
                }
            }.get()
        }
        async let lost = shared.ask("a", until: later)
        try await asked.sent(1)
        async let second = shared.ask("a", until: later)
        try await asked.sent(2)
        asked.answer(2)
        #expect(try await second == 2)
        asked.answer(1)
        #expect(try await lost == 1)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
