import StoreModels

/// One move of a clock: sent with one key, and asked about until everything due on the way has happened.
struct ClockMoveRun: Sendable {
    let distance: ClockDistance
    let bundleId: String
    let key: String
    /// For all of it. A move that takes longer goes on in the store.
    let timeout: Duration

    init(_ distance: ClockDistance, bundleId: String, key: String, timeout: Duration) {
        self.distance = distance
        self.bundleId = bundleId
        self.key = key
        self.timeout = timeout
    }

    /// What one request is given; the store answers before, finished or not.
    private static let requestMax = Duration.seconds(30)

    /// - Throws: `notInTime`, with how far it was.
    func run(_ context: CommandContext) async throws(CLIError) -> ClockAdvance {
        let deadline = ContinuousClock.now + timeout
        var move = try await context.progress.during("moving the clock") { () throws(CLIError) in
            try await send(until: deadline, context)
        }
        defer { if context.progress.isShown { context.progress.show(nil) } }
        while !move.advance.isFinished {
            guard deadline - .now > Patience.pause else { throw late(move.advance) }
            if context.progress.isShown { context.progress.show(Self.words(move.advance)) }
            try? await ContinuousClock().sleep(for: Patience.pause)
            move = try await again(move, until: deadline, context)
        }
        return move.advance
    }

    private func send(
        until deadline: ContinuousClock.Instant, _ context: CommandContext
    ) async throws(CLIError) -> ClockMove {
        try await Patience.repeating(until: deadline) { () throws(CLIError) in
            try await context.api.advanceClock(
                bundleId, distance, key: key,
                timeout: max(.seconds(1), min(deadline - .now, Self.requestMax)))
        }
    }

    /// At the path the store has named; without one the same move is asked for again, which is no second move.
    private func again(
        _ move: ClockMove, until deadline: ContinuousClock.Instant, _ context: CommandContext
    ) async throws(CLIError) -> ClockMove {
        guard let path = move.progress else { return try await send(until: deadline, context) }
        return try await Patience.repeating(until: deadline) { () throws(CLIError) in
            try await context.api.clockMove(at: path)
        }
    }

    /// `moving the clock to 2027-11-21: 12000 events so far, 88000 subscriptions left`
    private static func words(_ advance: ClockAdvance) -> String {
        "moving the clock to \(ClockWords.date(advance.to)): \(Words.count(advance.eventCount, "event")) so far, "
            + "\(Words.count(advance.remaining, "subscription")) left"
    }

    private func late(_ advance: ClockAdvance) -> CLIError {
        CLIError(
            .notInTime, "the clock shows \(Words.time(advance.to)), but not everything due by then has happened",
            hints: [
                "the store goes on: storebus time status\(Known.option(bundleId))", "wait longer: --timeout 10m",
            ], retryable: true,
            details: [
                "advanceIdentifier": .string(advance.advanceIdentifier), "eventCount": .integer(advance.eventCount),
                "remaining": .integer(advance.remaining),
            ])
    }
}
