import EventLoop
import Glibc
import StoreModels

/// Concurrent callers that share numbered pieces of work and report their progress.
enum Crew {
    /// Runs all pieces and prints progress each second.
    /// - Parameter piece: Executes the piece of this number, 0 ..< `count`.
    /// - Returns: The duration, in seconds.
    static func run(
        _ count: Int, callers: Int, on loop: UVLoop, _ piece: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        let next = Locked(0)
        let reporter = Task(executorPreference: loop) {
            while !Task.isCancelled {
                try await loop.sleep(for: .seconds(1))
                tell(min(count, max(0, next.withLock { $0 } - callers)))
            }
        }
        defer { reporter.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask(executorPreference: loop) {
                    while true {
                        let number = next.withLock { value in
                            defer { value += 1 }
                            return value
                        }
                        guard number < count else { return }
                        try await piece(number)
                    }
                }
            }
            try await group.waitForAll()
        }
        return start.duration(to: clock.now) / .seconds(1)
    }

    private static func tell(_ count: Int) {
        print("PROGRESS \(count)")
        // Standard output is a pipe here, so nothing would be seen before the end.
        fflush(nil)
    }
}
