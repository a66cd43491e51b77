import EventLoop
import StoreModels

/// Repeats requests that fail temporarily: a killed service is restarted within a second or so.
enum Retry {
    static let pause = Duration.milliseconds(200)

    /// Repeats `attempt` while its error is retryable, time is left and the task is not cancelled. Only for operations
    /// that are safe to repeat: sessions, reads, finishing.
    static func run<Value>(
        until deadline: ContinuousClock.Instant, _ attempt: () async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        while true {
            do {
                return try await attempt()
            } catch  where (error.retryable || error.status == .temporary) && deadline - .now > pause {
                // A cancelled task would not pause.
                guard (try? await ContinuousClock().sleep(for: pause)) != nil else { throw error }
            }
        }
    }
}

/// The delay before a service is restarted: 100 ms, doubled each time up to 5 s. It is reset to
/// 100 ms once the service has run for 10 s.
struct RestartBackoff: Hashable, Sendable {
    private static let delays = Backoff(min: .milliseconds(100), max: .seconds(5))
    /// Uptime after which the delay is reset.
    static let resetAfter = Duration.seconds(10)

    private var attempts = 0

    /// Returns the delay after an uptime of `lived`.
    mutating func next(lived: Duration) -> Duration {
        if lived >= Self.resetAfter { attempts = 0 }
        attempts += 1
        return Self.delays.bound(afterAttempts: attempts)
    }
}

extension CLIError {
    /// Whether the same request may succeed later. A refusal of the caller or of the request's object stays.
    var mayPass: Bool { retryable || [.temporary, .unreachable, .bug].contains(status) }

    /// The fault of the position that the request named. Nil for any other error.
    var positionFault: PositionFault? { PositionFault(details: details) }
}

/// The interruptions of a command that goes on over them until the user ends it.
struct Interruptions: Sendable {
    private let context: CommandContext
    private let waitsAtStart: Bool
    private var backoff = RestartBackoff()
    /// Whether the store has answered.
    private var isKnown = false

    /// - Parameter waitsAtStart: Whether a service that is away at the start is waited for.
    init(_ context: CommandContext, waitsAtStart: Bool = true) {
        self.context = context
        self.waitsAtStart = waitsAtStart
    }

    /// Notes that the store has answered.
    mutating func storeAnswered() { isKnown = true }

    /// Prints the reason for the pause, and waits before the next attempt. After Ctrl-C it returns at once.
    /// - Parameters:
    ///   - lived: The earlier connection's lifetime.
    ///   - next: The next attempt, in words.
    /// - Throws: An error that waiting cannot change, and that of an address without a store.
    mutating func wait(
        after error: CLIError, lived: Duration, next: String = "asking again"
    ) async throws(CLIError) {
        guard !Task.isCancelled else { return }
        guard error.mayPass, isKnown || waitsAtStart && error.status != .unreachable else { throw error }
        let delay = backoff.next(lived: lived)
        context.narrate("note: \(error.message); \(next) in \(Format.delay(delay))\n")
        try? await ContinuousClock().sleep(for: delay)
    }
}

extension CommandContext {
    /// Runs `body` until it ends, or until `--timeout`, which ends it as Ctrl-C does.
    /// - Parameter body: Returns when its task is cancelled.
    func untilTimeLimit(_ body: @escaping @Sendable () async throws(CLIError) -> Void) async throws(CLIError) {
        guard let timeLimit else { return try await body() }
        let work = Task { () -> Result<Void, CLIError> in
            let result = await Result.of(body)
            return Task.isCancelled ? .success(()) : result
        }
        let limit = Task {
            try await ContinuousClock().sleep(for: timeLimit)
            work.cancel()
        }
        defer { limit.cancel() }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        try result.get()
    }
}
