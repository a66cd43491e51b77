import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus time …`
struct TimeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "time", "An app's clock: look at it, move it, make it run faster, stop it.",
        """
        storebus time status
        storebus time advance 3mo
        storebus time rate 30s=1mo

        Each app has a clock for its purchases, renewals, trials and receipts, which begins with the wall's time. \
        When you move it forward, everything that falls due on the way happens once and in order. The machine's \
        clock is not touched.
        """,
        subcommands: [
            Status.self, TimeAdvanceCommand.self, TimeToCommand.self, TimeNextCommand.self, TimeRateCommand.self,
            Freeze.self, Real.self,
        ])

    /// `storebus time status`
    struct Status: OneAppCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "status", "Show an app's time, and when the next event is due.", "storebus time status")

        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            await context.print(try await context.api.call(ClockRoutes.get, [.bundleId: context.bundleId]))
        }
    }

    /// `storebus time freeze`
    struct Freeze: OneAppCommand {
        static let configuration = CommandConfiguration(
            "freeze", "Stop the clock: time passes by time advance, to and next only.",
            """
            storebus time freeze

            To let it run again set a rate, or use storebus time real.
            """)

        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            try await context.setClock(ClockSetting(frozen: true))
        }
    }

    /// `storebus time real`
    struct Real: OneAppCommand {
        static let configuration = CommandConfiguration(
            "real", "Let the clock run as fast as the wall's, from its present time.",
            """
            storebus time real
            storebus time real --now

            With --now it also returns to the wall's time, which may be earlier. The store does not bill a period \
            again.
            """)

        @Flag(help: "Set it to the wall's time too.") var now = false
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            try await context.setClock(
                ClockSetting(rate: .realTime, now: now ? .wallClock() : nil, frozen: false))
        }
    }
}

extension CommandContext {
    /// Changes the app's clock and prints it. Nil members stay unchanged.
    fileprivate func setClock(_ setting: ClockSetting) async throws(CLIError) {
        await print(try await api.call(ClockRoutes.put, [.bundleId: bundleId], body: setting))
    }

    /// Prints a clock, with the app's renewals where they can be read.
    fileprivate func print(_ clock: AppClockState) async {
        let app = try? await api.call(AppRoutes.get, [.bundleId: bundleId])
        print(ClockInfo(clock: clock, app: app).result)
    }
}

/// `storebus time rate`
struct TimeRateCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "rate", "Say how fast the clock runs.",
        """
        storebus time rate one-renewal-every-thirty-seconds
        storebus time rate 30s=1mo
        storebus time rate 720

        Give a name of StoreKit's, as in Xcode, a real time for a store's time (30s=1mo), or a factor. The clock \
        runs evenly: under a name a month of 30 days takes the named time and every other period its share of it. \
        In REAL=STORE too a month is 30 days, and a year 365. A frozen clock runs again. To shorten periods \
        themselves use an account's own rate: storebus account set --renewal-rate.
        """)

    @Argument("How fast.", "rate", .list(RateText.words)) var rate: String
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws { try RateText.validate("a rate", rate) }

    func run(_ context: CommandContext) async throws {
        try await context.setClock(ClockSetting(rate: RateText.rate(rate), frozen: false))
    }
}

/// The key of a move of a clock.
struct ClockMoveKey: ParsableArguments {
    @Option("The same key again is the same move.", "key") var idempotencyKey: String?

    /// The default timeout, enough for 100 000 subscriptions.
    private static let timeout = Duration.seconds(600)

    func move(
        _ distance: ClockMove, _ context: CommandContext, notes: [Advice] = []
    ) async throws(CLIError) {
        let run = ClockMoveRun(
            distance: distance, bundleId: context.bundleId, key: idempotencyKey ?? "cli-\(Secret.make().prefix(32))",
            timeout: context.timeLimit ?? Self.timeout)
        let advance = try await run.run(context)
        // Without it only the next due event is missing from the output.
        let clock = try? await context.api.call(ClockRoutes.get, [.bundleId: context.bundleId])
        var result = ClockMoveOutcome(advance: advance, clock: clock).result
        result.notes += notes
        context.print(result)
    }
}

/// `storebus time advance`
struct TimeAdvanceCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "advance", "Move the clock forward, and run everything that falls due on the way.",
        """
        storebus time advance 3mo
        storebus time advance 1y -o json
        storebus time advance 36h --bundle-id com.example.a

        A length is 90s, 15m, 36h, 10d, 2w, 3mo, 1y, several in a row (1mo15d), or ISO 8601 (P3M). Renewals, \
        retries, grace periods and expiries happen as of the instants they are due at. The command waits for all \
        of them, 10m unless --timeout says otherwise. The store goes on after that.
        """)

    @Argument("How far.", "length") var length: String
    @OptionGroup var key: ClockMoveKey
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard BusinessDuration(length) == nil else { return }
        throw ValidationError(LengthFault.sentence(length))
    }

    func run(_ context: CommandContext) async throws {
        try await key.move(ClockMove(by: length), context, notes: notes)
    }

    /// Warns that `m` means minutes, because a subscription's duration seldom does.
    private var notes: [Advice] {
        guard length.hasSuffix("m"), let count = Int(length.dropLast()) else { return [] }
        return [
            "\(length) is \(Format.count(count, "minute")); months are \(count)mo: storebus time advance \(count)mo"
        ]
    }
}

/// Says why a text is no length of the store's time.
private enum LengthFault {
    private static let units: [(words: [String], unit: String)] = [
        (["sec", "secs", "second", "seconds"], "s"), (["mins", "minute", "minutes"], "m"),
        (["hr", "hrs", "hour", "hours"], "h"), (["day", "days"], "d"), (["week", "weeks"], "w"),
        (["mon", "mos", "month", "months"], "mo"), (["yr", "yrs", "year", "years"], "y"),
    ]

    static func sentence(_ text: String) -> String {
        // A length with other counts tells a wrong count from a wrong unit.
        if BusinessDuration(counted(text)) != nil {
            return text.contains { isDigit($0) && $0 != "0" }
                ? "'\(text)' is too long; a length is at most 100y" : "'\(text)' is no time; a length is more than 0"
        }
        let known = "for example 90s, 36h, 10d, 3mo, 1y, P3M"
        guard !text.allSatisfy(isDigit) else {
            return "'\(text)' has no unit\(text.isEmpty ? "" : ", such as \(text)d or \(text)mo"); \(known)"
        }
        guard let meant = respelt(text) else { return "'\(text)' is not a length; \(known)" }
        return "'\(text)' is not a length; did you mean '\(meant)'? \(known)"
    }

    /// Returns the text with 1 for each count.
    private static func counted(_ text: String) -> String {
        text.indices.reduce(into: "") { result, index in
            guard isDigit(text[index]) else { return result.append(text[index]) }
            if result.last != "1" { result.append("1") }
        }
    }

    /// Returns the text with our units for other words.
    private static func respelt(_ text: String) -> String? {
        var respelt = ""
        var rest = text[...].drop { $0 == " " }
        while !rest.isEmpty {
            let count = rest.prefix(while: isDigit)
            let word = rest.dropFirst(count.count).drop { $0 == " " }.prefix { $0.isLetter }
            rest = rest[word.endIndex...].drop { $0 == " " }
            let unit = units.first { $0.words.contains(word.lowercased()) }?.unit ?? String(word)
            if count.isEmpty, word.isEmpty { return nil }
            respelt += count.isEmpty ? "1\(unit)" : "\(count)\(unit)"
        }
        return BusinessDuration(respelt) == nil ? nil : respelt
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}

/// `storebus time to`
struct TimeToCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "to", "Move the clock to an instant, and run everything that falls due on the way.",
        """
        storebus time to 2027-01-31
        storebus time to 2027-01-31T10:00:00Z
        storebus time to 2026-01-01 --back

        Instants are UTC, and a date alone is its midnight. Going back needs --back: it undoes nothing, and the \
        store does not bill a period again.
        """)

    @Argument("Where to.", "instant") var instant: BusinessInstant
    @Flag(help: "Set the clock to an earlier instant.") var back = false
    @OptionGroup var key: ClockMoveKey
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        guard back else { return try await forward(context) }
        try await context.setClock(ClockSetting(now: instant.timestamp))
    }

    private func forward(_ context: CommandContext) async throws(CLIError) {
        do {
            try await key.move(ClockMove(to: instant.timestamp), context)
        } catch  where error.is(.requestInvalid) && !error.message.hasPrefix("$.") {
            throw error.with(hints: [
                "set it back: storebus time to \(instant.timestamp) --back", "storebus time status",
            ])
        }
    }
}

/// `storebus time next`
struct TimeNextCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "next", "Move the clock to the next thing that is due, and through it.",
        """
        storebus time next
        storebus time next 12

        The next thing may be any customer's. storebus sub show names a subscription's next date, and storebus time \
        to moves the clock there. If nothing is due, the clock does not move.
        """)

    @Argument("How many events, 1 to \(AdvanceClockRequest.nextMax).", "n") var count = 1
    @OptionGroup var key: ClockMoveKey
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard !(1...AdvanceClockRequest.nextMax).contains(count) else { return }
        throw ValidationError("the number of events is 1 to \(AdvanceClockRequest.nextMax)")
    }

    func run(_ context: CommandContext) async throws { try await key.move(ClockMove(next: count), context) }
}

/// Parses an instant of business time, in UTC.
///
/// It is `2027-01-31` for midnight, `2027-01-31T10:00:00Z`, or `2027-01-31 10:00:00Z` as in tables.
struct BusinessInstant: Hashable, Sendable, ExpressibleByArgument {
    let timestamp: Timestamp

    init?(argument: String) {
        let halves = argument.split(separator: " ", omittingEmptySubsequences: false)
        let text: String
        switch halves.count {
        case 1 where argument.count == 10: text = "\(argument)T00:00:00Z"
        case 1: text = argument
        case 2: text = "\(halves[0])T\(halves[1])"
        default: return nil
        }
        // A parser may read 30 February as 2 March, so the date is formatted again and compared.
        guard let timestamp = Timestamp(text), timestamp.description.prefix(10) == text.prefix(10) else { return nil }
        self.timestamp = timestamp
    }
}

/// Advances a clock with one key, and polls until all due events are done.
struct ClockMoveRun: Sendable {
    let distance: ClockMove
    let bundleId: String
    let key: String
    /// Timeout for the whole advance. A longer one continues in the store.
    let timeout: Duration

    /// Timeout for one request. The store responds earlier, finished or not.
    private static let requestMax = Duration.seconds(30)

    /// - Throws: `notInTime` with the progress.
    func run(_ context: CommandContext) async throws(CLIError) -> ClockAdvance {
        let deadline = ContinuousClock.now + timeout
        var move = try await context.progress.during("moving the clock") { () throws(CLIError) in
            try await send(until: deadline, context)
        }
        defer { if context.progress.isShown { context.progress.show(nil) } }
        while !move.advance.isFinished {
            guard deadline - .now > Retry.pause else { throw late(move.advance) }
            if context.progress.isShown { context.progress.show(Self.words(move.advance)) }
            try? await ContinuousClock().sleep(for: Retry.pause)
            move = try await again(move, until: deadline, context)
        }
        return move.advance
    }

    private func send(
        until deadline: ContinuousClock.Instant, _ context: CommandContext
    ) async throws(CLIError) -> ClockAdvanceResponse {
        try await Retry.run(until: deadline) { () throws(CLIError) in
            try await context.api.call(
                ClockRoutes.advance, [.bundleId: bundleId], key: key, body: distance,
                timeout: max(.seconds(1), min(deadline - .now, Self.requestMax)))
        }
    }

    /// Polls at the path in the response. Without a path it repeats the request, which is safe with its key.
    private func again(
        _ move: ClockAdvanceResponse, until deadline: ContinuousClock.Instant, _ context: CommandContext
    ) async throws(CLIError) -> ClockAdvanceResponse {
        guard let path = move.progress else { return try await send(until: deadline, context) }
        return try await Retry.run(until: deadline) { () throws(CLIError) in
            let request = StoreRequest(.get, context.api.address.path + path, token: context.api.adminKey)
            return try context.api.decode(ClockRoutes.progress, await context.api.exchange(request))
        }
    }

    /// `moving the clock to 2027-11-21: 12000 events so far, 88000 subscriptions left`
    private static func words(_ advance: ClockAdvance) -> String {
        "moving the clock to \(ClockFormat.date(advance.to)): \(Format.count(advance.eventCount, "event")) so far, "
            + "\(Format.count(advance.remaining, "subscription")) left"
    }

    private func late(_ advance: ClockAdvance) -> CLIError {
        CLIError(
            .notInTime, "the clock shows \(Format.time(advance.to)), but not everything due by then has happened",
            hints: [
                "the store goes on: storebus time status\(AppOptions.flag(bundleId))", "wait longer: --timeout 10m",
            ], retryable: true,
            details: [
                "advanceIdentifier": .string(advance.advanceIdentifier), "eventCount": .integer(advance.eventCount),
                "remaining": .integer(advance.remaining),
            ])
    }
}
