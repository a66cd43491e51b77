import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `clock.get`, `.put`, `.advance` and `.progress`: an app's business time, and moving it.
///
/// A move is one commit, in which the clock jumps. Then everything that has fallen due happens, each at its own
/// instant. The wall clock and the machine's timers are untouched.
struct ClockService: QueuePart {
    /// Pause between two checks of work by other tasks or replicas.
    static let pause: Duration = .milliseconds(50)
    /// Maximum number of moves one sweep continues.
    static let openMax = 100
    /// Time one sweep spends on unfinished moves.
    static let openTime: Duration = .seconds(5)
    /// Monotonic time between two sweeps.
    static let sweepInterval: Duration = .milliseconds(500)

    let context: QueueContext
    let renewals: RenewalService

    /// Reads an app's clock, and creates it unless it exists.
    /// - Throws: `requestInvalid`.
    func get(_ request: AppRequest) async throws -> AppClockState {
        try ClockValidation.check(request.bundleId)
        let bundleId = request.bundleId
        let known = try await database.read { reader in
            try await ClockRepository.find(bundleId, in: reader).asyncMap { found in
                try await Self.state(found, of: bundleId, wall: clock.wall(), in: reader)
            }
        }
        if let known { return known }
        return try await database.write { transaction in
            let wall = clock.wall()
            let made = try await ClockRepository.lock(bundleId, wall: wall, in: transaction)
            return try await Self.state(made, of: bundleId, wall: wall, in: transaction)
        }
    }

    /// Sets the clock, also back. Paid periods are not billed again, because a period is paid once (S5).
    /// - Throws: `requestInvalid`.
    func put(_ request: PutClockRequest) async throws -> AppClockState {
        try ClockValidation.check(request.bundleId)
        if let now = request.now { _ = try AdvanceGoal.check(now, "now") }
        let state = try await database.write { transaction in
            let wall = clock.wall()
            let known = try await ClockRepository.lock(request.bundleId, wall: wall, in: transaction)
            let next = known.set(now: request.now, rate: request.rate, frozen: request.frozen, wall: wall)
            try await ClockRepository.set(next, of: request.bundleId, in: transaction)
            return try await Self.state(next, of: request.bundleId, wall: wall, in: transaction)
        }
        return state
    }

    /// Moves the clock once per key. Replies when everything due has happened, or shortly before the deadline.
    /// - Throws: `requestInvalid`, `idempotencyKeyInvalid`, `keyReused`.
    func advance(
        _ request: AdvanceClockRequest, deadline: ContinuousClock.Instant
    ) async throws -> ClockAdvance {
        try ClockValidation.check(request.bundleId)
        try ClockValidation.checkKey(request.requestKey)
        let advance = try await begin(request)
        try await work(on: advance, until: deadline - PurchaseService.replyMargin)
        return try await progress(advance.id, of: advance.bundleId)
    }

    /// Reads the progress of a move.
    /// - Throws: `notFound`.
    func progress(_ request: AdvanceRequest) async throws -> ClockAdvance {
        try await progress(request.advanceIdentifier, of: request.bundleId)
    }

    /// Sweeps while events are due, and finds when the next one will be.
    func round() async throws -> BackgroundJob.Rest {
        let wall = clock.wall()
        let (due, hasOpen) = try await database.read { reader in
            (
                try await ClockRepository.due(wall: wall, in: reader),
                try await !AdvanceRepository.open(limit: 1, in: reader).isEmpty
            )
        }
        guard due.apps.isEmpty, !hasOpen else {
            if try await sweep() > 0 { return .none }
            // A request that moves a clock may end before its work.
            let hasWaited = await renewals.waitForSweep(of: due.apps, until: .now + Self.sweepInterval)
            return hasWaited ? .none : .interval
        }
        return .untilCommit(or: due.next.map { .now + .milliseconds($0.milliseconds - wall.milliseconds) })
    }

    /// Processes everything that has fallen due, then continues unfinished moves. Each sweep reads the tables.
    /// - Returns: The number of events that have happened.
    @discardableResult
    func sweep() async throws -> Int {
        let done = try await renewals.sweep()
        return done + (try await finishOpen(until: .now + Self.openTime))
    }

    /// Continues moves that a process left unfinished, as far as possible without waiting.
    /// - Returns: The number of moves that have reached their end.
    private func finishOpen(until last: ContinuousClock.Instant) async throws -> Int {
        var finished = 0
        let open = try await database.read { reader in
            try await AdvanceRepository.open(limit: Self.openMax, in: reader)
        }
        for id in open {
            let found = try await database.read { reader in try await AdvanceRepository.find(id, in: reader) }
            guard let advance = found else { continue }
            if try await work(on: advance, until: last, waits: false) { finished += 1 }
        }
        return finished
    }

    /// Processes the events that a move has made due.
    /// - Parameter waits: Whether it waits for work of other tasks and replicas, and for missing replies.
    /// - Returns: Whether the move has reached its end.
    @discardableResult
    private func work(
        on advance: StoredAdvance, until last: ContinuousClock.Instant, waits: Bool = true
    ) async throws -> Bool {
        while true {
            switch try await step(advance.id) {
            case .finished: return true
            case .jumped: continue
            case .working:
                guard ContinuousClock.now < last else { return false }
                guard waits else {
                    if try await renewals.sweep(advance.bundleId, until: last) > 0 { continue }
                    return false
                }
                if try await renewals.sweep(advance.bundleId, waitingUntil: last) == 0 {
                    try await Task.sleep(until: min(last, .now + Self.pause), clock: .continuous)
                }
            }
        }
    }

    // MARK: Commits

    /// The result of one step of a move.
    private enum Step: Sendable {
        /// Everything due has happened.
        case finished
        /// The clock has jumped to the next event.
        case jumped
        /// Something is still due.
        case working
    }

    /// Finds the move of a key, or begins it with a jump of the clock.
    /// - Throws: `requestInvalid`, or `keyReused` for another move under the key.
    private func begin(_ request: AdvanceClockRequest) async throws -> StoredAdvance {
        let fingerprint = AdvanceGoal.fingerprint(request)
        return try await database.write { transaction in
            let wall = clock.wall()
            let app = try await ClockRepository.lock(request.bundleId, wall: wall, in: transaction)
            if let known = try await AdvanceRepository.find(
                key: request.requestKey, of: request.bundleId, in: transaction)
            {
                guard known.fingerprint == fingerprint else {
                    throw StoreError(.keyReused, "this idempotency key was used for another move of the clock")
                }
                return known
            }
            let now = app.now(wall: wall)
            var random = SystemRandomNumberGenerator()
            var advance = StoredAdvance(
                id: Identifiers.advance(wall: wall, random: &random), bundleId: request.bundleId,
                requestKey: request.requestKey, fingerprint: fingerprint, from: now, to: now, stepsLeft: 0,
                firstEvent: try await SubscriptionEventRepository.last(of: request.bundleId, in: transaction))
            switch try AdvanceGoal(request, now: now) {
            case .instant(let to): advance.to = to
            case .events(let count): advance.stepsLeft = count
            }
            if advance.to > now { try await jump(app, to: advance.to, of: request.bundleId, wall, in: transaction) }
            try await AdvanceRepository.insert(advance, wall: wall, in: transaction)
            return advance
        }
    }

    /// Ends a move without due events, or jumps to its next event.
    private func step(_ id: String) async throws -> Step {
        let seen = try await database.read { reader in
            let advance = try await AdvanceRepository.find(id, in: reader)
            return try await advance.asyncMap { (advance: $0, remaining: try await remaining(of: $0, in: reader)) }
        }
        guard let seen, seen.advance.lastEvent == nil else { return .finished }
        guard seen.remaining == 0 else { return .working }
        return try await database.write { transaction in
            let wall = clock.wall()
            let app = try await ClockRepository.lock(seen.advance.bundleId, wall: wall, in: transaction)
            // Read under the clock's lock, because replicas continue one move together.
            guard var advance = try await AdvanceRepository.find(id, in: transaction), advance.lastEvent == nil else {
                return .finished
            }
            guard try await remaining(of: advance, in: transaction) == 0 else { return .working }
            if advance.stepsLeft > 0,
                let next = try await ClockRepository.nextEvent(of: advance.bundleId, in: transaction)
            {
                advance.to = max(next, app.now(wall: wall))
                advance.stepsLeft -= 1
                try await jump(app, to: advance.to, of: advance.bundleId, wall, in: transaction)
                try await AdvanceRepository.update(advance, in: transaction)
                return .jumped
            }
            advance.stepsLeft = 0
            advance.lastEvent = try await SubscriptionEventRepository.last(of: advance.bundleId, in: transaction)
            try await AdvanceRepository.update(advance, in: transaction)
            return .finished
        }
    }

    /// Reads the progress of a move.
    /// - Throws: `notFound`.
    private func progress(_ id: String, of bundleId: String) async throws -> ClockAdvance {
        try await database.read { reader in
            guard let advance = try await AdvanceRepository.find(id, in: reader), advance.bundleId.isExactly(bundleId)
            else {
                throw StoreError(.notFound, "no such move of this app's clock")
            }
            let last = advance.lastEvent ?? .max
            let events = try await SubscriptionEventRepository.list(
                of: bundleId, after: advance.firstEvent, through: last, limit: ClockAdvance.eventsMax, in: reader)
            let count = try await SubscriptionEventRepository.count(
                of: bundleId, after: advance.firstEvent, through: last, in: reader)
            return ClockAdvance(
                advanceIdentifier: id, bundleId: bundleId, from: advance.from, to: advance.to,
                isFinished: advance.lastEvent != nil, eventCount: count,
                remaining: advance.lastEvent == nil ? try await remaining(of: advance, in: reader) : 0,
                events: events, truncated: count > events.count)
        }
    }

    /// Counts the subscriptions a move still has to process. A clock that was set back since has fewer.
    private func remaining(of advance: StoredAdvance, in reader: SQLReader) async throws -> Int {
        let now = try await ClockRepository.find(advance.bundleId, in: reader).map(clock.now)
        return try await AdvanceRepository.remaining(
            of: advance.bundleId, through: min(advance.to, now ?? advance.to), in: reader)
    }

    private func jump(
        _ app: AppClock, to instant: Timestamp, of bundleId: String, _ wall: Timestamp, in transaction: SQLTransaction
    ) async throws {
        try await ClockRepository.set(app.set(now: instant, wall: wall), of: bundleId, in: transaction)
    }

    private static func state(
        _ app: AppClock, of bundleId: String, wall: Timestamp, in reader: SQLReader
    ) async throws -> AppClockState {
        AppClockState(
            bundleId: bundleId, now: app.now(wall: wall), rate: app.rate, frozen: app.isFrozen, epoch: app.epoch,
            nextEvent: try await ClockRepository.nextEvent(of: bundleId, in: reader), since: app.anchorBusiness)
    }
}

extension Optional {
    fileprivate func asyncMap<Output>(_ body: (Wrapped) async throws -> Output) async rethrows -> Output? {
        guard let self else { return nil }
        return try await body(self)
    }
}

/// Checks requests about a clock.
enum ClockValidation {
    /// Maximum bytes.
    static let bundleIdMax = 155

    /// Checks a bundle identifier.
    /// - Throws: `requestInvalid`.
    static func check(_ bundleId: String) throws(StoreError) {
        guard (1...bundleIdMax).contains(bundleId.utf8.count) else {
            throw StoreError.requestInvalid("bundleId", "bundleId must have 1 to \(bundleIdMax) characters")
        }
    }

    /// Checks an idempotency key.
    /// - Throws: `idempotencyKeyInvalid`.
    static func checkKey(_ key: String) throws(StoreError) {
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw StoreError(.idempotencyKeyInvalid, "a key has 1 to 255 visible ASCII characters")
        }
    }
}

/// The goal of a clock's move, parsed from a request without I/O.
enum AdvanceGoal: Hashable, Sendable {
    case instant(Timestamp)
    /// Through this number of next events.
    case events(Int)

    /// Parses a request.
    /// - Parameter now: The app's clock.
    /// - Throws: `requestInvalid` unless there is exactly one measure, and for a goal before `now` or too far away.
    init(_ request: AdvanceClockRequest, now: Timestamp) throws(StoreError) {
        switch (request.by, request.to, request.next) {
        case (let by?, nil, nil):
            guard let duration = BusinessDuration(by) else {
                throw StoreError.requestInvalid(
                    "by", "'\(by)' is not a duration such as 36h, 10d, 3mo or P3M, up to 100 years")
            }
            self = .instant(try Self.check(duration.end(from: now), "by"))
        case (nil, let to?, nil):
            guard to >= now else {
                throw StoreError.requestInvalid(
                    "to",
                    "\(to) is in the past: it is \(now). Advancing only goes forward; set the clock to go back")
            }
            self = .instant(try Self.check(to, "to"))
        case (nil, nil, let next?):
            guard (1...AdvanceClockRequest.nextMax).contains(next) else {
                throw StoreError.requestInvalid("next", "next must be 1 to \(AdvanceClockRequest.nextMax)")
            }
            self = .events(next)
        default: throw StoreError(.requestInvalid, "a clock is moved by one of 'by', 'to' and 'next'")
        }
    }

    /// Returns a text that shows whether a repeated key has the same move.
    static func fingerprint(_ request: AdvanceClockRequest) -> String {
        "by=\(request.by ?? "") to=\(request.to?.description ?? "") next=\(request.next.map(String.init) ?? "")"
    }

    /// Checks that a clock can be set to an instant.
    /// - Throws: `requestInvalid` for an instant before 1970 or after ``AppClock/latest``.
    static func check(_ instant: Timestamp, _ member: String) throws(StoreError) -> Timestamp {
        guard instant.milliseconds >= 0, instant <= AppClock.latest else {
            throw StoreError.requestInvalid(member, "a clock can be set between 1970 and \(AppClock.latest)")
        }
        return instant
    }
}
