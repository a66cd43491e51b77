import BusService
import EventLoop
import Logging
import Metrics
import Persistence
import ServiceDatabase
import StoreModels

/// Makes the due attempts of all apps at once.
///
/// An attempt is two commits with the request between them. The first writes the payload, claims the notification and
/// writes that the attempt has begun. The second writes its outcome and when the next is due. A commit has all outcomes
/// since the last one, and claims the attempts that begin instead. If a process dies between the two commits, the next
/// one repeats the attempt, with the same bytes.
final class DeliveryService: Sendable {
    /// Maximum number of concurrent attempts of one app.
    static let concurrency = 8
    /// Maximum number of due notifications read at once.
    static let pageSize = 256
    /// Maximum number of overdue attempts that one look ends.
    static let overdueMax = 100
    /// Bytes of a leased attempt in a reply beside its payload.
    static let leasedBytes = 512
    /// How much longer than the endpoint's timeout a claim lasts.
    static let margin: Duration = .seconds(10)
    /// The same for a listener's attempt, whose report only has to arrive.
    static let leaseMargin: Duration = .seconds(1)
    /// Maximum duration of a claim in milliseconds.
    static let claimMax = Int64(NotificationEndpoint.timeoutMsRange.upperBound) + Int64(margin / .milliseconds(1))
    /// Pause between two looks without a hint, while a notification waits for its time.
    static let interval: Duration = .seconds(1)
    /// Pause between a hint and the second look, for events that were written meanwhile.
    static let afterHint: Duration = .milliseconds(50)

    /// Posts an attempt's payload and returns the outcome, within the endpoint's timeout.
    typealias Post = @Sendable (Begun) async -> AttemptOutcome

    /// An attempt that has begun.
    struct Begun: Hashable, Sendable {
        var id: String
        var notification: StoredNotification
        var payload: String
        var endpoint: NotificationEndpoint
        /// Business time.
        var at: Timestamp
    }

    /// An attempt whose request has ended.
    private struct Ended: Sendable {
        var attempt: Begun
        var outcome: AttemptOutcome
        /// Whether the request ended with the process, not by the server.
        var isCutOff: Bool
    }

    /// The state of an app's task.
    private struct Running {
        /// Whether it has to look once more.
        var isAgain = false
        /// The inbox of the round under way.
        var inbox: Inbox?
    }

    /// Attempt results and wake-ups since the last turn.
    private final class Inbox: Sendable {
        let wakes: AsyncStream<Void>
        private let waker: AsyncStream<Void>.Continuation
        private let content = Locked<(ended: [Ended], isNew: Bool)>((ended: [], isNew: false))

        init() { (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

        func wake(_ ended: Ended? = nil, isNew: Bool = false) {
            content.withLock { content in
                if let ended { content.ended.append(ended) }
                content.isNew = content.isNew || isNew
            }
            waker.yield()
        }

        func take() -> (ended: [Ended], isNew: Bool) {
            content.withLock { content in
                defer { content = (ended: [], isNew: false) }
                return content
            }
        }
    }

    /// Due notifications, read at one time, in the order of their attempts.
    private struct DuePage {
        var clock: DeliveryClock
        var wall: Timestamp
        var waiting: [NotificationRepository.Candidate] = []
        /// New payloads by position, which the next commit writes.
        var signed: [Int64: String] = [:]
        /// The notifications that have a payload, in ``signed`` or stored.
        var areSigned: Set<Int64> = []

        /// Returns each idle customer's first notification, and those without a customer.
        func heads(max: Int, busy: Set<ExactText>) -> [NotificationRepository.Candidate] {
            var (seen, heads): (Set<ExactText>, [NotificationRepository.Candidate]) = (busy, [])
            for one in waiting where heads.count < max {
                guard one.customerIdentifier.map({ seen.insert(ExactText($0)).inserted }) ?? true else { continue }
                heads.append(one)
            }
            return heads
        }

        mutating func remove(_ tried: [NotificationRepository.Candidate]) {
            for one in tried { waiting.firstIndex(of: one).map { _ = waiting.remove(at: $0) } }
        }
    }

    private let database: any SQLDatabase
    private let collaborators: AppStoreCollaborators
    private let importer: EventImporter
    private let signer: NotificationSigner
    private let post: Post
    private let wall: @Sendable () -> Timestamp
    private let margin: Duration
    private let logger: Logger
    private let running = Locked<[ExactText: Running]>([:])
    /// Whether the last look found an app's endpoint. Without one, no attempt waits for an event.
    private let endpointFound = Locked(true)
    /// Whether a hint begins a round.
    var followsHints: Bool { endpointFound.withLock { $0 } }
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - post: Posts an attempt's payload and returns the outcome.
    ///   - wall: The wall clock.
    ///   - margin: How much longer than the endpoint's timeout a claim lasts.
    init(
        database: any SQLDatabase, collaborators: AppStoreCollaborators, importer: EventImporter,
        signer: NotificationSigner,
        post: @escaping Post, wall: @escaping @Sendable () -> Timestamp, margin: Duration = DeliveryService.margin,
        logger: Logger
    ) {
        self.database = database
        self.collaborators = collaborators
        self.importer = importer
        self.signer = signer
        self.post = post
        self.wall = wall
        self.margin = margin
        self.logger = logger
        (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: Rounds

    /// Begins a round soon.
    func wake() { waker.yield() }

    /// Makes attempts until the task is cancelled.
    /// - Parameter interval: Pause between two looks without a hint, while a notification waits.
    func run(interval: Duration = DeliveryService.interval) async {
        wake()
        await withDiscardingTaskGroup { group in
            group.addTask {
                await self.collaborators.hints {
                    guard self.followsHints else { return }
                    self.wake()
                    Task {
                        try? await Task.sleep(for: Self.afterHint)
                        self.wake()
                    }
                }
            }
            do { try await releaseOwn() } catch { log("attempts of an earlier process", error) }
            var pause: Task<Void, Never>?
            for await _ in wakes {
                let (apps, isWhole) = await look()
                for app in apps where begin(app) {
                    group.addTask { await self.deliver(app) }
                }
                pause?.cancel()
                // Without one that waits, only an event makes work, and its hint may be lost.
                let rest = apps.isEmpty && isWhole ? max(interval, BackgroundJob.slowSweep) : interval
                pause = Task { if (try? await Task.sleep(for: rest)) != nil { self.wake() } }
            }
            pause?.cancel()
        }
    }

    /// Imports events and ends attempts that are overdue.
    /// - Returns: The apps with notifications that wait, and whether all of it succeeded.
    private func look() async -> (apps: [String], isWhole: Bool) {
        var isWhole = true
        func failed(_ what: String, _ error: any Error) {
            log(what, error)
            isWhole = false
        }
        do { try await importer.run() } catch { failed("new events", error) }
        do { try await endOverdue() } catch { failed("overdue attempts", error) }
        do {
            let (apps, hasEndpoints) = try await database.read {
                (try await NotificationRepository.appsWaiting(in: $0), try await EndpointRepository.hasAny(in: $0))
            }
            self.endpointFound.withLock { $0 = hasEndpoints }
            return (apps, isWhole)
        } catch {
            failed("what is due", error)
            return ([], isWhole)
        }
    }

    /// Imports all events until now, unless hints do that.
    func catchUpWithoutHints() async {
        if !followsHints { await importer.catchUp() }
    }

    private func log(_ what: String, _ error: any Error) {
        guard !(error is CancellationError) else { return }
        logger.notice("\(what) could not be read, trying again", metadata: ["error": "\(error)"])
    }

    /// Counts an app's task in. If it runs already, it looks once more.
    private func begin(_ app: String) -> Bool {
        running.withLock { running in
            guard running[app] == nil else {
                running[app]?.isAgain = true
                running[app]?.inbox?.wake(isNew: true)
                return false
            }
            running[app] = Running()
            return true
        }
    }

    /// Returns whether an app's task has to look once more. Otherwise it is counted out.
    private func mustGoOn(_ app: String) -> Bool {
        running.withLock { running in
            guard running[app]?.isAgain == true else {
                running[app] = nil
                return false
            }
            running[app] = Running()
            return true
        }
    }

    private func deliver(_ app: String) async {
        repeat {
            do {
                while try await round(app) > 0, !Task.isCancelled {}
            } catch is CancellationError {
            } catch {
                logger.notice(
                    "notifications wait", metadata: ["bundleId": "\(app)", "error": "\(error)"])
            }
        } while mustGoOn(app) && !Task.isCancelled
    }

    /// The state of an app's round.
    private struct Round {
        var page: DuePage?
        /// Whether something may be due that ``page`` does not have.
        var mayHaveMore = true
        var underWay = 0
        /// Customers with an attempt of this round under way.
        var busy: Set<ExactText> = []
        /// Number of attempts.
        var made = 0
        /// The error that ends it.
        var failure: (any Error)?
    }

    /// Makes the due attempts of an app until all are made.
    /// - Returns: Their number.
    /// - Throws: The error of the clock, the keys or the database. Attempts that have begun end first.
    func round(_ app: String) async throws -> Int {
        let endpoint = try await database.read { try await EndpointRepository.find(app, in: $0) }
        guard let endpoint, !endpoint.isListen else { return 0 }
        let inbox = Inbox()
        running.withLock { $0[app]?.inbox = inbox }
        defer { running.withLock { $0[app]?.inbox = nil } }
        var round = Round()
        inbox.wake()
        await withDiscardingTaskGroup { group in
            for await _ in inbox.wakes {
                for attempt in await turn(of: app, &round, inbox.take()) {
                    group.addTask { inbox.wake(await self.send(attempt)) }
                }
                guard round.underWay > 0 else { break }
            }
        }
        // The loop ends early with the process only. Its attempts have ended by now, and none begins any more.
        let last = inbox.take()
        if !last.ended.isEmpty { _ = await turn(of: app, &round, last) }
        if let failure = round.failure { throw failure }
        return round.made
    }

    /// Writes the results of ended attempts, and begins attempts that there is room for.
    private func turn(of app: String, _ round: inout Round, _ news: (ended: [Ended], isNew: Bool)) async -> [Begun] {
        round.underWay -= news.ended.count
        for one in news.ended {
            one.attempt.notification.customerIdentifier.map { _ = round.busy.remove(ExactText($0)) }
        }
        if news.isNew { round.mayHaveMore = true }
        var heads: [NotificationRepository.Candidate] = []
        do {
            if round.failure == nil, !Task.isCancelled { heads = try await nextHeads(of: app, &round) }
        } catch {
            round.failure = error
        }
        guard !news.ended.isEmpty || !heads.isEmpty else { return [] }
        do {
            // A task of its own, which is not cancelled with the process.
            let task = Task { [heads, page = round.page] in
                try await commit(news.ended, page.map { (heads, $0) }, of: app)
            }
            let (begun, tried) = try await task.value
            round.page?.remove(tried)
            if !tried.isEmpty { round.page?.signed = [:] }
            if tried.count > begun.count { round.mayHaveMore = true }
            for one in begun { one.notification.customerIdentifier.map { _ = round.busy.insert(ExactText($0)) } }
            round.underWay += begun.count
            round.made += begun.count
            return begun
        } catch {
            // What begins is tried again with the next turn, unless the outcomes cannot be written one by one either.
            if news.ended.isEmpty { round.failure = error }
            for one in news.ended {
                do {
                    try await Task { try await end(one) }.value
                } catch {
                    // Its claim ends, and the attempt is repeated.
                    round.failure = error
                    logger.warning(
                        "an attempt's outcome was not written, it will be repeated",
                        metadata: ["notification": "\(one.attempt.notification.uuid)", "error": "\(error)"])
                }
            }
            return []
        }
    }

    /// Finds the notifications that can begin now, and signs them.
    private func nextHeads(
        of app: String, _ round: inout Round
    ) async throws -> [NotificationRepository.Candidate] {
        let room = Self.concurrency - round.underWay
        var page = round.page
        var heads = page?.heads(max: room, busy: round.busy) ?? []
        if heads.isEmpty, room > 0, round.mayHaveMore {
            let read = try await duePage(of: app, try await clock(of: app))
            page = read
            heads = read.heads(max: room, busy: round.busy)
            // It has nothing of customers that are busy now.
            round.mayHaveMore = read.waiting.count == Self.pageSize || round.underWay > 0
        }
        if var signed = page {
            try await sign(heads, of: &signed)
            page = signed
        }
        round.page = page
        return heads
    }

    /// Reads an app's clock, then all events until then.
    func clock(of app: String) async throws -> DeliveryClock {
        guard let state = try await importer.run(clockOf: app) else {
            try Task.checkCancellation()
            throw StoreError(.internal, "payment-queue sent no clock of \(app)")
        }
        return DeliveryClock(state)
    }

    // MARK: Attempts

    private func duePage(of app: String, _ clock: DeliveryClock) async throws -> DuePage {
        let wall = wall()
        let (waiting, endpoint) = try await database.read { reader in
            (
                try await NotificationRepository.due(
                    of: app, through: clock.settled, wall: wall, limit: Self.pageSize, in: reader),
                try await EndpointRepository.find(app, in: reader)
            )
        }
        return DuePage(clock: clock, wall: wall, waiting: endpoint?.shuffle == true ? waiting.shuffled() : waiting)
    }

    /// Signs notifications of a page, and some that follow them.
    private func sign(_ heads: [NotificationRepository.Candidate], of page: inout DuePage) async throws {
        guard !heads.allSatisfy({ page.areSigned.contains($0.position) }) else { return }
        let ahead = page.waiting.prefix(NotificationSigner.batch)
        let some = Set((heads + ahead).map(\.position)).subtracting(page.areSigned)
        let new = try await signer.payloads(of: Array(some))
        page.signed.merge(new) { $1 }
        page.areSigned.formUnion(some)
    }

    /// Begins due attempts, at most one for a customer.
    /// - Parameter isLeased: Whether a listener makes it.
    func begin(
        _ app: String, _ clock: DeliveryClock, limit: Int, isLeased: Bool = false
    ) async throws -> [Begun] {
        var page = try await duePage(of: app, clock)
        let heads = page.heads(max: min(limit, Self.concurrency), busy: [])
        guard !heads.isEmpty else { return [] }
        try await sign(heads, of: &page)
        return try await commit([], (heads, page), of: app, isLeased: isLeased).begun
    }

    /// Writes outcomes and claims the next attempts in one commit.
    /// - Returns: The attempts that have begun, and the notifications that do not wait any more.
    private func commit(
        _ ended: [Ended], _ next: (heads: [NotificationRepository.Candidate], page: DuePage)?, of app: String,
        isLeased: Bool = false
    ) async throws -> (begun: [Begun], tried: [NotificationRepository.Candidate]) {
        let wall = wall()
        let (counted, begun, tried) = try await database.write { transaction in
            let endpoint = try await EndpointRepository.lock(app, in: transaction)
            var counted: [SendAttemptResult] = []
            for one in ended where try await Self.end(one, wall: wall, endpoint, in: transaction) {
                counted.append(one.outcome.result)
            }
            guard let endpoint, endpoint.isListen == isLeased, let next else {
                return (counted, [Begun](), [NotificationRepository.Candidate]())
            }
            let room = Self.concurrency - (try await NotificationRepository.claimedCount(of: app, in: transaction))
            let tried = Array(next.heads.prefix(max(room, 0)))
            let begun = try await self.claim(tried, of: next.page, endpoint, isLeased: isLeased, in: transaction)
            return (counted, begun, tried)
        }
        for result in counted { Self.count(result) }
        return (begun, tried)
    }

    private func claim(
        _ heads: [NotificationRepository.Candidate], of page: DuePage, _ endpoint: NotificationEndpoint, isLeased: Bool,
        in transaction: SQLTransaction
    ) async throws -> [Begun] {
        try await NotificationRepository.keep(page.signed, in: transaction)
        // Another process may have signed one first.
        let payloads = try await NotificationRepository.payloads(of: heads.map(\.position), in: transaction)
        let heads =
            isLeased
            ? ReplyBudget.fitting(heads) { Self.leasedBytes + (payloads[$0.position]?.utf8.count ?? 0) } : heads
        let time = .milliseconds(endpoint.timeoutMs) + (isLeased ? min(margin, Self.leaseMargin) : margin)
        var (begun, random): ([Begun], SystemRandomNumberGenerator) = ([], SystemRandomNumberGenerator())
        for head in heads {
            guard let payload = payloads[head.position] else { continue }
            let id = SortableIdentifier.make("n_", wall: page.wall, random: &random)
            guard
                let value = try await NotificationRepository.claim(
                    head.position, by: id, for: Int64(time / .milliseconds(1)), through: page.clock.settled,
                    wall: page.wall, in: transaction)
            else { continue }
            let at =
                if case .business(let instant) = value.due { page.clock.instant(due: instant) } else { page.clock.now }
            try await AttemptRepository.begin(
                id, of: value.position, number: value.attempts, at: at, to: endpoint.url, isLeased: isLeased,
                in: transaction)
            begun.append(Begun(id: id, notification: value, payload: payload, endpoint: endpoint, at: at))
        }
        return begun
    }

    private func send(_ attempt: Begun) async -> Ended {
        let outcome = await post(attempt)
        return Ended(attempt: attempt, outcome: outcome, isCutOff: Task.isCancelled && outcome.result != .success)
    }

    /// Writes the outcome of an attempt, and when the next one is due.
    /// - Returns: False when it is repeated instead, or was given up meanwhile.
    private static func end(
        _ ended: Ended, wall: Timestamp, _ endpoint: NotificationEndpoint?, in transaction: SQLTransaction
    ) async throws -> Bool {
        let (attempt, notification) = (ended.attempt, ended.attempt.notification)
        guard !ended.isCutOff else {
            try await AttemptRepository.remove(attempt.id, of: notification.position, in: transaction)
            return false
        }
        return try await end(
            attempt.id, of: notification, at: attempt.at, ended.outcome, wall: wall, endpoint, in: transaction)
    }

    /// Writes one outcome of a commit that has failed.
    private func end(_ ended: Ended) async throws {
        guard !ended.isCutOff else { return try await release([ended.attempt]) }
        try await end(
            ended.attempt.id, of: ended.attempt.notification, at: ended.attempt.at, ended.outcome)
    }

    /// Removes attempts that did not reach a server, so that they do not count.
    func release(_ attempts: [Begun]) async throws {
        guard !attempts.isEmpty else { return }
        try await database.write { transaction in
            for one in attempts {
                try await AttemptRepository.remove(one.id, of: one.notification.position, in: transaction)
            }
        }
    }

    /// Writes the outcome of any process's attempt, and when the next one is due.
    ///
    /// If the database refuses an outcome, the result is written without the details.
    /// - Parameters:
    ///   - notification: As it was when the attempt had begun.
    ///   - at: Business time of the attempt.
    func end(
        _ id: String, of notification: StoredNotification, at: Timestamp, _ outcome: AttemptOutcome
    ) async throws {
        do {
            try await write(outcome, of: id, of: notification, at: at)
        } catch let error as PersistenceError where !error.isRetryable {
            logger.warning(
                "an attempt's outcome was refused, its result is kept without the details",
                metadata: ["notification": "\(notification.uuid)", "error": "\(error)"])
            try await write(AttemptOutcome(outcome.result), of: id, of: notification, at: at)
        }
    }

    private func write(
        _ outcome: AttemptOutcome, of id: String, of notification: StoredNotification, at: Timestamp
    ) async throws {
        let wall = wall()
        let isCounted = try await database.write { transaction in
            try await Self.end(
                id, of: notification, at: at, outcome, wall: wall,
                try await EndpointRepository.find(notification.bundleId, in: transaction), in: transaction)
        }
        if isCounted { Self.count(outcome.result) }
    }

    private static func end(
        _ id: String, of notification: StoredNotification, at: Timestamp, _ outcome: AttemptOutcome, wall: Timestamp,
        _ endpoint: NotificationEndpoint?, in transaction: SQLTransaction
    ) async throws -> Bool {
        let successes =
            notification.attempts > 1
            ? try await AttemptRepository.successes(of: notification.position, in: transaction) : 0
        let next = next(after: outcome.result, of: notification, at: at, wall: wall, successes: successes, endpoint)
        guard
            try await NotificationRepository.release(
                notification.position, from: id, next.state, due: next.due, in: transaction)
        else { return false }
        try await AttemptRepository.end(id, outcome, in: transaction)
        return true
    }

    private static func count(_ result: SendAttemptResult) {
        Counter(label: "storebus_notification_attempts_total", dimensions: [("result", result.rawValue)]).increment()
    }

    /// Decides the state after an attempt, without I/O.
    /// - Parameter successes: The number of earlier attempts that have succeeded.
    static func next(
        after result: SendAttemptResult, of notification: StoredNotification, at: Timestamp, wall: Timestamp,
        successes: Int, _ endpoint: NotificationEndpoint?
    ) -> (state: ServerNotification.State, due: DeliverySchedule.Due?) {
        if result == .success {
            return (.delivered, successes == 0 && endpoint?.duplicate == true ? .business(at) : nil)
        }
        guard successes == 0 else { return (.delivered, nil) }
        // It was removed meanwhile; what waits goes to the next one.
        guard let endpoint else { return (.retrying, .business(at)) }
        let due = DeliverySchedule(retry: endpoint.retry).next(
            afterAttempts: notification.attempts, attempted: at, wall: wall)
        return (due == nil ? .failed : .retrying, due)
    }

    // MARK: Overdue ones

    /// Ends attempts whose time is over. Their listener did not report, or their process died.
    func endOverdue() async throws {
        let overdue = try await database.read {
            try await NotificationRepository.overdue(limit: Self.overdueMax, in: $0)
        }
        for (notification, attempt) in overdue {
            let found = try await database.read { try await AttemptRepository.find(attempt, in: $0) }
            if let found, found.isLeased {
                try await end(
                    attempt, of: notification, at: found.at,
                    AttemptOutcome(.noResponse, bodyStart: PrintableText("no listener has reported it")))
            } else {
                try await database.write { transaction in
                    try await AttemptRepository.remove(attempt, of: notification.position, in: transaction)
                }
            }
        }
    }

    /// Repeats the attempts of this database's earlier process at once. With several processes their claims end first.
    func releaseOwn() async throws {
        try await database.write { transaction in
            guard transaction.dialect == .sqlite else { return }
            for (position, attempt) in try await AttemptRepository.open(in: transaction) {
                try await AttemptRepository.remove(attempt, of: position, in: transaction)
            }
        }
    }
}
