import ArgumentParser
import StoreModels

/// What every command takes that moves a clock.
struct ClockMoveOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The same key again is the same move.", valueName: "key"))
    var idempotencyKey: String?

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    /// Long enough for a hundred thousand subscriptions.
    private static let timeout = Duration.seconds(600)

    func context() async throws(CLIError) -> CommandContext {
        try await CommandContext.find(global, app: app)
    }

    func move(
        _ distance: ClockDistance, _ context: CommandContext, notes: [String] = []
    ) async throws(CLIError) {
        let run = ClockMoveRun(
            distance, bundleId: context.bundleId, key: idempotencyKey ?? "cli-\(Secret.make().prefix(32))",
            timeout: context.timeLimit ?? Self.timeout)
        let advance = try await run.run(context)
        // Without it the answer lacks when something is due next, and nothing else.
        let clock = try? await context.api.clock(context.bundleId)
        var answer = ClockMoveOutcome(advance, clock: clock).answer
        answer.notes += notes
        context.print(answer)
    }
}

/// `storebus time advance`
struct TimeAdvanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance", abstract: "Move the clock forward, and run everything that falls due on the way.",
        discussion: """
            storebus time advance 3mo
            storebus time advance 1y -o json
            storebus time advance 36h --bundle-id com.example.a

            A length is 90s, 15m, 36h, 10d, 2w, 3mo, 1y, several in a row (1mo15d), or ISO 8601 (P3M). Renewals, retries, \
            grace periods and expiries happen as of the instants they are due at. The command ends when all of them have \
            happened, 10m at the longest unless --timeout says otherwise; the store goes on by itself after that.
            """)

    @Argument(help: ArgumentHelp("How far.", valueName: "length"))
    var length: String

    @OptionGroup var options: ClockMoveOptions

    func validate() throws {
        guard BusinessDuration(length) == nil else { return }
        throw ValidationError("'\(length)' is not a duration; for example 90s, 36h, 10d, 3mo, 1y, P3M")
    }

    func run() async throws { try await options.move(.by(length), try await options.context(), notes: notes) }

    /// Minutes are seldom what somebody means who writes them of a subscription.
    private var notes: [String] {
        guard length.hasSuffix("m"), let count = Int(length.dropLast()) else { return [] }
        return ["\(length) is \(Words.count(count, "minute")); months are \(count)mo: storebus time advance \(count)mo"]
    }
}

/// `storebus time to`
struct TimeToCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "to", abstract: "Move the clock to an instant, and run everything that falls due on the way.",
        discussion: """
            storebus time to 2027-01-31
            storebus time to 2027-01-31T10:00:00Z
            storebus time to 2026-01-01 --back

            Instants are UTC; a date alone is its midnight. Going back takes --back, because nothing that has happened is \
            undone by it, and nothing that was billed is billed again.
            """)

    @Argument(help: ArgumentHelp("Where to.", valueName: "instant"))
    var instant: BusinessInstant

    @Flag(help: "Set the clock to an earlier instant.")
    var back = false

    @OptionGroup var options: ClockMoveOptions

    func run() async throws {
        let context = try await options.context()
        guard back else { return try await forward(context) }
        let clock = try await context.api.putClock(context.bundleId, now: instant.timestamp)
        context.print(ClockFacts(clock, of: try? await context.api.app(context.bundleId)).answer)
    }

    private func forward(_ context: CommandContext) async throws(CLIError) {
        do {
            try await options.move(.to(instant.timestamp), context)
        } catch  where error.code.name == StoreErrorCode.requestInvalid.name {
            var error = error
            error.hints = ["set it back: storebus time to \(instant.timestamp) --back", "storebus time status"]
            throw error
        }
    }
}

/// `storebus time next`
struct TimeNextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "next", abstract: "Move the clock to the next thing that is due, and through it.",
        discussion: """
            storebus time next
            storebus time next 12

            Without anything due the clock stays where it is.
            """)

    @Argument(help: ArgumentHelp("How many events, 1 to \(AdvanceClockRequest.nextMax).", valueName: "n"))
    var count = 1

    @OptionGroup var options: ClockMoveOptions

    func validate() throws {
        guard !(1...AdvanceClockRequest.nextMax).contains(count) else { return }
        throw ValidationError("the number of events is 1 to \(AdvanceClockRequest.nextMax)")
    }

    func run() async throws { try await options.move(.next(count), try await options.context()) }
}
