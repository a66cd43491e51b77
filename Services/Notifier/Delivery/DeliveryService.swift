import EventLoop
import Logging
import Metrics
import Persistence
import ServiceDatabase
import StoreModels

/// Makes the attempts that are due, for all apps at once.
///
/// An attempt is two commits with the request between them: the first claims the notification and writes that the
/// attempt has begun, the second writes its outcome and when the next is due. Of a process that dies between them the
/// attempt is repeated by the next one, with the same bytes.
final class DeliveryService: Sendable {
    /// Maximum number of concurrent attempts of one app.
    static let concurrency = 8
    /// How many notifications that are due one look at an app reads, to find customers without an attempt under way.
    static let pageSize = 1_000
    /// How many overdue attempts one look ends.
    static let overdueMax = 100
    /// Timeout of a request for a clock.
    static let clockTime: Duration = .seconds(2)
    /// How much longer than the endpoint's timeout a claim lasts.
    static let margin: Duration = .seconds(10)
    /// The same for a listener's attempt, whose report only has to arrive.
    static let leaseMargin: Duration = .seconds(1)
    /// Pause between two looks without a hint.
    static let interval: Duration = .seconds(1)
    /// Pause between a hint and the second look, for events that were written meanwhile.
    static let afterHint: Duration = .milliseconds(50)

    /// Posts a payload and returns the outcome.
    typealias Post = @Sendable (_ payload: String, _ url: String, _ timeout: Duration) async -> AttemptOutcome

    /// An attempt that has begun.
    struct Begun: Hashable, Sendable {
        var id: String
        var notification: StoredNotification
        var payload: String
        /// Business time.
        var at: Timestamp
    }

    private enum Running { case once, again }

    private let database: any SQLDatabase
    private let collaborators: Collaborators
    private let importer: EventImporter
    private let signer: NotificationSigner
    private let post: Post
    private let wall: @Sendable () -> Timestamp
    private let margin: Duration
    private let logger: Logger
    private let running = Locked<[ExactText: Running]>([:])
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - post: Posts a payload and returns the outcome.
    ///   - wall: The wall clock.
    ///   - margin: How much longer than the endpoint's timeout a claim lasts.
    init(
        database: any SQLDatabase, collaborators: Collaborators, importer: EventImporter, signer: NotificationSigner,
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
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    self.wake()
                    try? await Task.sleep(for: Self.interval)
                }
                self.waker.finish()
            }
            group.addTask {
                await self.collaborators.hints {
                    self.wake()
                    Task {
                        try? await Task.sleep(for: Self.afterHint)
                        self.wake()
                    }
                }
            }
            do { try await releaseOwn() } catch { log("attempts of an earlier process", error) }
            for await _ in wakes {
                guard !Task.isCancelled else { break }
                for app in await look() where begin(app) {
                    group.addTask { await self.deliver(app) }
                }
            }
        }
    }

    /// Imports events and ends attempts that are overdue.
    /// - Returns: The apps that have something due.
    private func look() async -> [String] {
        do { _ = try await importer.run() } catch { log("new events", error) }
        do { try await endOverdue() } catch { log("overdue attempts", error) }
        do {
            return try await database.read { try await NotificationRepository.appsWaiting(in: $0) }
        } catch {
            log("what is due", error)
            return []
        }
    }

    private func log(_ what: String, _ error: any Error) {
        guard !(error is CancellationError) else { return }
        logger.notice("\(what) could not be read, it is tried again", metadata: ["error": "\(error)"])
    }

    /// Counts an app's task in; one that runs looks once more.
    private func begin(_ app: String) -> Bool {
        running.withLock { running in
            guard running[app] == nil else {
                running[app] = .again
                return false
            }
            running[app] = .once
            return true
        }
    }

    /// Tells whether an app's task has to look once more; else it is counted out.
    private func mustGoOn(_ app: String) -> Bool {
        running.withLock { running in
            guard running[app] == .again else {
                running[app] = nil
                return false
            }
            running[app] = .once
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

    /// Makes the attempts of an app that are due now.
    /// - Returns: Their number.
    /// - Throws: What the clock, the gateway or the database throws; attempts that have begun end first.
    func round(_ app: String) async throws -> Int {
        let endpoint = try await database.read { try await EndpointRepository.find(app, in: $0) }
        guard let endpoint, !endpoint.isListen else { return 0 }
        let clock = try await clock(of: app)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            var (underWay, made) = (0, 0)
            while !Task.isCancelled {
                if underWay <= Self.concurrency / 2 {
                    let begun = try await begin(
                        app, clock, limit: Self.concurrency - underWay, lease: .milliseconds(endpoint.timeoutMs))
                    for attempt in begun { group.addTask { await self.send(attempt, to: endpoint) } }
                    underWay += begun.count
                    made += begun.count
                }
                guard underWay > 0 else { break }
                try await group.next()
                underWay -= 1
            }
            try await group.waitForAll()
            return made
        }
    }

    /// Reads an app's clock, then all events until then.
    func clock(of app: String) async throws -> DeliveryClock {
        let state = try await collaborators.clock(AppRequest(bundleId: app), .now + Self.clockTime)
        _ = try await importer.run()
        return DeliveryClock(state)
    }

    // MARK: Attempts

    /// Begins attempts that are due, at most one for a customer.
    /// - Parameters:
    ///   - lease: How long an attempt may take.
    ///   - isLeased: Whether a listener makes it.
    func begin(
        _ app: String, _ clock: DeliveryClock, limit: Int, lease: Duration, isLeased: Bool = false
    ) async throws -> [Begun] {
        let wall = wall()
        let due = try await database.read { reader in
            try await NotificationRepository.due(
                of: app, through: clock.settled, wall: wall, limit: Self.pageSize, in: reader)
        }
        guard !due.isEmpty else { return [] }
        try await signer.sign(Self.heads(due).prefix(SignNotificationsRequest.draftsMax).map(\.uuid))
        let time = Int64((lease + (isLeased ? min(margin, Self.leaseMargin) : margin)) / .milliseconds(1))
        return try await database.write { transaction in
            guard let endpoint = try await EndpointRepository.lock(app, in: transaction) else { return [] }
            let room = min(
                limit, Self.concurrency - (try await NotificationRepository.claimedCount(of: app, in: transaction)))
            let due = try await NotificationRepository.due(
                of: app, through: clock.settled, wall: wall, limit: Self.pageSize, in: transaction)
            // More than there is room for, because some may not be signed yet.
            let heads = Self.heads(endpoint.shuffle == true ? due.shuffled() : due)
                .prefix(SignNotificationsRequest.draftsMax).map(\.uuid)
            let values = try await NotificationRepository.find(heads, in: transaction)
            var begun: [Begun] = []
            for uuid in heads where begun.count < room {
                guard let value = values.first(where: { $0.uuid.isExactly(uuid) }), let payload = value.payload else {
                    continue
                }
                var random = SystemRandomNumberGenerator()
                let id = SortableIdentifier.make("n_", wall: wall, random: &random)
                guard
                    try await NotificationRepository.claim(value.uuid, by: id, for: time, in: transaction)
                else { continue }
                let at = if case .business(let instant) = value.due { clock.instant(due: instant) } else { clock.now }
                try await AttemptRepository.begin(
                    id, of: value.uuid, number: value.attempts + 1, at: at, isLeased: isLeased, in: transaction)
                var claimed = value
                claimed.attempts += 1
                begun.append(Begun(id: id, notification: claimed, payload: payload, at: at))
            }
            return begun
        }
    }

    /// Returns the first notification of each customer, and those that are about none.
    private static func heads(_ due: [NotificationRepository.Candidate]) -> [NotificationRepository.Candidate] {
        var seen: Set<ExactText> = []
        return due.filter { value in value.customerIdentifier.map { seen.insert(ExactText($0)).inserted } ?? true }
    }

    private func send(_ attempt: Begun, to endpoint: NotificationEndpoint) async {
        let outcome = await post(attempt.payload, endpoint.url, .milliseconds(endpoint.timeoutMs))
        // A request that ends with the process says nothing about the server.
        let isCutOff = Task.isCancelled && outcome.result != .success
        // A task of its own, which is not cancelled with the process.
        await Task { await write(outcome, of: attempt, isCutOff: isCutOff) }.value
    }

    private func write(_ outcome: AttemptOutcome, of attempt: Begun, isCutOff: Bool) async {
        do {
            guard isCutOff else {
                return try await end(attempt.id, of: attempt.notification, at: attempt.at, outcome)
            }
            try await database.write { transaction in
                try await AttemptRepository.remove(attempt.id, of: attempt.notification.uuid, in: transaction)
            }
        } catch {
            // Its claim ends, and the attempt is repeated.
            logger.warning(
                "an attempt's outcome was not written, it will be repeated",
                metadata: ["notification": "\(attempt.notification.uuid)", "error": "\(error)"])
        }
    }

    /// Writes the outcome of an attempt, and when the next one is due.
    /// - Parameters:
    ///   - notification: As it was when the attempt had begun.
    ///   - at: Business time of the attempt.
    func end(
        _ id: String, of notification: StoredNotification, at: Timestamp, _ outcome: AttemptOutcome
    ) async throws {
        let wall = wall()
        let isCounted = try await database.write { transaction in
            let endpoint = try await EndpointRepository.find(notification.bundleId, in: transaction)
            let successes = try await AttemptRepository.successes(of: notification.uuid, in: transaction)
            let next = Self.next(
                after: outcome.result, of: notification, at: at, wall: wall, successes: successes, endpoint)
            guard
                try await NotificationRepository.release(
                    notification.uuid, from: id, next.state, due: next.due, in: transaction)
            else { return false }
            try await AttemptRepository.end(id, outcome, in: transaction)
            return true
        }
        guard isCounted else { return }
        Counter(
            label: "storebus_notification_attempts_total", dimensions: [("result", outcome.result.rawValue)]
        ).increment()
    }

    /// Decides what follows an attempt, without I/O.
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

    /// Ends attempts whose time is over: of listeners without a report, and of processes that died.
    func endOverdue() async throws {
        let overdue = try await database.read {
            try await NotificationRepository.overdue(limit: Self.overdueMax, in: $0)
        }
        for (notification, attempt) in overdue {
            let found = try await database.read { try await AttemptRepository.find(attempt, in: $0) }
            if let found, found.isLeased {
                try await end(
                    attempt, of: notification, at: found.at,
                    AttemptOutcome(.noResponse, bodyStart: "no listener has reported it"))
            } else {
                try await database.write { transaction in
                    try await AttemptRepository.remove(attempt, of: notification.uuid, in: transaction)
                }
            }
        }
    }

    /// Repeats the attempts of this database's earlier process at once. With several processes their claims end first.
    func releaseOwn() async throws {
        try await database.write { transaction in
            guard transaction.dialect == .sqlite else { return }
            for (uuid, attempt) in try await AttemptRepository.open(in: transaction) {
                try await AttemptRepository.remove(attempt, of: uuid, in: transaction)
            }
        }
    }
}
