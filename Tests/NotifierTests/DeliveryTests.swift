import EventLoop
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import Notifier

/// Goal: each event gives its notifications once, and each is tried as its endpoint says, through any crash.
@Suite(.serialized) struct DeliveryTests {
    // MARK: Events

    @Test(arguments: Engine.allCases)
    func `an event gives each of its notifications once, in order, and is acknowledged`(_ engine: Engine) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put()
            for customer in 1...4 { notifier.happens(.purchased, to: customer) }
            notifier.happens(.upgraded, .autoRenewDisabled, to: 5)
            try await notifier.settle()
            #expect(
                notifier.received.filter { $0.hasSuffix("5") } == [
                    "DID_CHANGE_RENEWAL_PREF.UPGRADE 5", "DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED 5",
                ])
            #expect(notifier.received.count == 6)
            #expect(notifier.world.withLock(\.acknowledged) == ["v_00005"])
            try await notifier.restart()
            try await notifier.settle()
            #expect(notifier.received.count == 6)
            let made = try await notifier.list()
            #expect(made.allSatisfy { $0.state == .delivered })
            #expect(Set(made.map(\.notificationUUID)).count == 6)
            #expect(made.first?.account == "account1")
        }
    }

    @Test(arguments: Engine.allCases)
    func `replicas that read the same events make each notification once`(_ engine: Engine) async throws {
        guard engine != .sqlite else { return }
        try await TestNotifier.with(engine) { notifier in
            let other = notifier.service
            try await notifier.start()
            try await notifier.put()
            for number in 0..<40 { notifier.happens(.purchased, to: number % 5) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for service in [other, notifier.service] {
                    group.addTask { while try await service.deliveries.round(TestNotifier.bundleId) > 0 {} }
                }
                try await group.waitForAll()
            }
            try await notifier.settle()
            #expect(notifier.received.count == 40)
            #expect(notifier.world.withLock(\.overlaps) == 0)
        }
    }

    @Test(arguments: Engine.allCases)
    func `events of one customer at one instant are signed a millisecond apart`(_ engine: Engine) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put()
            notifier.happens(.refunded, to: 1)
            notifier.happens(.purchased, to: 1)
            notifier.happens(.purchased, to: 2)
            try await notifier.settle()
            let dates = notifier.world.withLock(\.received).map { String($0.split(separator: " ")[2].suffix(4)) }
            #expect(dates.sorted() == ["000Z", "000Z", "001Z"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `events of one customer in neighbouring instants have dates that grow`(_ engine: Engine) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put()
            // The second of an instant is signed in the next one, which has an event of its own: in the same page,
            // and in a later one.
            notifier.happens(.refunded, to: 1)
            notifier.happens(.purchased, to: 1)
            notifier.world.withLock { $0.now = $0.now + .milliseconds(1) }
            notifier.happens(.purchased, to: 1)
            try await notifier.settle()
            notifier.world.withLock { $0.now = $0.now + .milliseconds(1) }
            notifier.happens(.purchased, to: 1)
            try await notifier.settle()
            let dates = notifier.world.withLock(\.received).map { String($0.split(separator: " ")[2].suffix(4)) }
            #expect(dates == ["000Z", "001Z", "002Z", "003Z"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `the summary of an extension is the last, by its attempt and by its date`(_ engine: Engine) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put()
            // Two of one customer at one instant, so that the second is signed later.
            for customer in [1, 1, 2, 3, 4, 5, 6, 7, 8, 9] { notifier.happens(.extended, to: customer) }
            notifier.ends("outage")
            // What comes behind it waits for nobody.
            notifier.happens(.purchased, to: 10)
            notifier.world.withLock { $0.outcomes = [AttemptOutcome(.timedOut)] }
            try await notifier.settle()
            let received = notifier.world.withLock(\.received)
            let types = received.map { String($0.prefix { $0 != " " }) }
            let summary = try #require(types.firstIndex(of: "RENEWAL_EXTENSION.SUMMARY"))
            #expect(types[..<summary].filter { $0 == "RENEWAL_EXTENDED" }.count == 10, "\(types)")
            #expect(received[summary].contains("10:00:00.002Z"), "\(received[summary])")
        }
    }

    // MARK: Schedule

    @Test(arguments: Engine.allCases)
    func `Apple's schedule: six attempts by the app's clock, then it has failed`(_ engine: Engine) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put(.apple)
            notifier.happens(.purchased)
            let failures = Array(repeating: AttemptOutcome(.unsuccessfulResponse, httpStatus: 500), count: 6)
            notifier.world.withLock { $0.outcomes = failures }
            #expect(try await notifier.settle() == 1)
            let waiting = try #require(try await notifier.list().first)
            #expect(waiting.state == .retrying)
            #expect(waiting.nextAttemptAt == Timestamp("2027-03-01T11:00:00.000Z"))
            #expect(waiting.attempts.first?.httpStatus == 500)
            notifier.jump(to: "2027-03-01T10:59:59.999Z")
            #expect(try await notifier.settle() == 0)
            // A jump past all of them makes each at its own instant.
            notifier.jump(to: "2027-04-01T00:00:00.000Z")
            #expect(try await notifier.settle() == 5)
            let failed = try #require(try await notifier.list().first)
            #expect(failed.state == .failed)
            #expect(failed.nextAttemptAt == nil)
            #expect(
                failed.attempts.map { "\($0.attemptDate.description.prefix(13))" } == [
                    "2027-03-01T10", "2027-03-01T11", "2027-03-01T23", "2027-03-02T23", "2027-03-04T23",
                    "2027-03-07T23",
                ])
            #expect(Set(notifier.world.withLock(\.received)).count == 1)
        }
    }

    @Test func `an attempt that is late while the clock runs evenly has the time it was made at`() async throws {
        try await TestNotifier.with { notifier in
            try await notifier.put(.apple)
            notifier.world.withLock { $0.since = $0.now }
            notifier.happens(.purchased)
            notifier.world.withLock { $0.now = Timestamp("2027-03-01T13:00:00.000Z")! }
            try await notifier.settle()
            #expect(
                try await notifier.list().first?.attempts.first?.attemptDate
                    == Timestamp("2027-03-01T13:00:00.000Z"))
        }
    }

    @Test func `after a jump attempts wait for what falls due before them`() async throws {
        try await TestNotifier.with { notifier in
            try await notifier.put()
            notifier.happens(.purchased, to: 1, at: "2027-03-02T00:00:00.000Z")
            notifier.happens(.purchased, to: 2, at: "2027-03-20T00:00:00.000Z")
            notifier.jump(to: "2027-04-01T00:00:00.000Z")
            notifier.world.withLock { $0.nextEvent = Timestamp("2027-03-10T00:00:00.000Z") }
            try await notifier.settle()
            #expect(notifier.received == ["ONE_TIME_CHARGE 1"])
            // A renewal that is late while the clock runs evenly holds nothing up.
            notifier.world.withLock { world in
                world.since = Timestamp("2027-03-05T00:00:00.000Z")
            }
            try await notifier.settle()
            #expect(notifier.received == ["ONE_TIME_CHARGE 1", "ONE_TIME_CHARGE 2"])
        }
    }

    @Test func `a sandbox endpoint is tried once, a fast one after 1, 2, 4, 8 and 16 seconds`() async throws {
        try await TestNotifier.with { notifier in
            let failures = Array(repeating: AttemptOutcome(.timedOut), count: 20)
            notifier.world.withLock { $0.outcomes = failures }
            try await notifier.put(.sandbox)
            notifier.happens(.purchased)
            #expect(try await notifier.settle() == 1)
            #expect(try await notifier.list().first?.state == .failed)
            try await notifier.put(.fast)
            notifier.happens(.purchased)
            #expect(try await notifier.settle() == 1)
            for seconds in [1, 2, 4, 8, 16] {
                notifier.world.withLock { $0.wall = $0.wall + .milliseconds(seconds * 1000 - 1) }
                #expect(try await notifier.settle() == 0, "\(seconds)")
                notifier.world.withLock { $0.wall = $0.wall + .milliseconds(1) }
                #expect(try await notifier.settle() == 1, "\(seconds)")
            }
            #expect(try await notifier.list().last?.state == .failed)
        }
    }

    @Test(arguments: 200...206) func `these statuses are success`(_ status: Int) {
        let due = DeliveryService.next(
            after: .success, of: Self.stored, at: Self.stored.eventAt, wall: Self.stored.eventAt, successes: 0,
            NotificationEndpoint(url: "http://a/", retry: .apple))
        #expect(due.state == .delivered)
        #expect(due.due == nil)
    }

    private static let stored = StoredNotification(
        position: 1, uuid: "u", bundleId: "b", type: .test, eventAt: Timestamp(milliseconds: 0),
        signedAt: Timestamp(milliseconds: 0), state: .pending, attempts: 1)

    // MARK: Order

    @Test func `a customer's attempts come one at a time, and eight of an endpoint at once`() async throws {
        try await TestNotifier.with { notifier in
            try await notifier.put()
            for number in 0..<60 { notifier.happens(.purchased, to: number % 20) }
            // Attempts last until as many as are allowed are under way.
            notifier.during.withLock { during in
                during = { [world = notifier.world] _ in
                    for _ in 0..<1_000_000 where world.withLock(\.mostUnderWay) < DeliveryService.concurrency {
                        await Task.yield()
                    }
                }
            }
            try await notifier.settle()
            let world = notifier.world.withLock { $0 }
            #expect(world.received.count == 60)
            #expect(world.overlaps == 0)
            #expect(world.mostUnderWay == DeliveryService.concurrency)
        }
    }

    @Test func `a customer with many notifications that wait does not hold up others`() async throws {
        try await TestNotifier.with { notifier in
            try await notifier.put()
            for _ in 0..<200 { notifier.happens(.purchased, to: 1) }
            notifier.happens(.purchased, to: 2)
            try await notifier.settle()
            #expect(notifier.received.firstIndex(of: "ONE_TIME_CHARGE 2").map { $0 < 10 } == true)
            #expect(notifier.received.count == 201)
        }
    }

    @Test func `a customer's first attempts keep the order of the events, also behind one that is retried`()
        async throws
    {
        try await TestNotifier.with { notifier in
            try await notifier.put(.apple)
            notifier.world.withLock { $0.outcomes = [AttemptOutcome(.noResponse)] }
            notifier.happens(.subscribed)
            notifier.happens(.autoRenewDisabled)
            notifier.happens(.autoRenewEnabled)
            try await notifier.settle()
            notifier.jump(to: "2027-03-02T00:00:00.000Z")
            try await notifier.settle()
            #expect(
                notifier.received == [
                    "SUBSCRIBED.INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED 1",
                    "DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_ENABLED 1", "SUBSCRIBED.INITIAL_BUY 1",
                ])
        }
    }

    @Test func `an endpoint that duplicates gets each notification twice, the same bytes`() async throws {
        try await TestNotifier.with { notifier in
            try await notifier.put(.sandbox) { $0.duplicate = true }
            notifier.happens(.purchased, to: 1)
            notifier.happens(.purchased, to: 2)
            try await notifier.settle()
            let received = notifier.world.withLock(\.received)
            #expect(received.count == 4)
            #expect(Set(received).count == 2)
            #expect(try await notifier.list().map(\.state) == [.delivered, .delivered])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a backlog of more than a page is sent once, each customer's in order and never two at a time`(
        _ engine: Engine
    ) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put()
            let count = 2 * DeliveryService.pageSize + 10
            // One customer has more than a page, and others have theirs between and behind it.
            for number in 0..<count { notifier.happens(.purchased, to: number % 3 == 0 ? 2 + number % 40 : 1) }
            #expect(try await notifier.settle() == count)
            let received = notifier.world.withLock(\.received).map { $0.split(separator: " ") }
            #expect(Set(received.map { $0[3] }).count == count)
            #expect(notifier.world.withLock(\.overlaps) == 0)
            for (_, ofCustomer) in Dictionary(grouping: received, by: { $0[1] }) {
                #expect(ofCustomer.map { $0[2] } == ofCustomer.map { $0[2] }.sorted())
            }
        }
    }

    @Test func `an attempt that hangs does not hold up another customer's`() async throws {
        try await TestNotifier.with { notifier in
            try await notifier.put()
            let (hang, release) = AsyncStream.makeStream(of: Void.self)
            notifier.during.withLock { during in
                during = { payload in
                    guard payload.split(separator: " ")[1] == "1" else { return }
                    for await _ in hang {}
                }
            }
            let running = Task { [service = notifier.service] in await service.deliveries.run() }
            notifier.happens(.purchased, to: 1)
            try await eventually("the first customer's attempt hangs") { notifier.received == ["ONE_TIME_CHARGE 1"] }
            notifier.happens(.purchased, to: 2)
            notifier.service.deliveries.wake()
            try await eventually("the second customer's is made") {
                notifier.received == ["ONE_TIME_CHARGE 1", "ONE_TIME_CHARGE 2"]
            }
            release.finish()
            try await eventually("both are delivered") {
                try await notifier.list().allSatisfy { $0.state == .delivered }
            }
            running.cancel()
            await running.value
        }
    }

    @Test(arguments: Engine.allCases)
    func `an app whose server hangs takes its own eight attempts, and holds up no other app`(
        _ engine: Engine
    ) async throws {
        try await TestNotifier.with(engine) { notifier in
            let other = "com.example.other"
            try await notifier.put()
            try await notifier.put(of: other)
            let (hang, release) = AsyncStream.makeStream(of: Void.self)
            notifier.during.withLock { during in
                during = { payload in
                    guard payload.split(separator: " ")[1].utf8.first != UInt8(ascii: "5") else { return }
                    for await _ in hang {}
                }
            }
            let running = Task { [service = notifier.service] in await service.deliveries.run() }
            for customer in 10...29 { notifier.happens(.purchased, to: customer) }
            notifier.service.deliveries.wake()
            try await eventually("eight attempts hang") { notifier.world.withLock(\.underWay) == 8 }
            for customer in 50...59 { notifier.happens(.purchased, of: other, to: customer) }
            notifier.service.deliveries.wake()
            try await eventually("all of the other app's are made") {
                notifier.received.count { $0.hasPrefix("ONE_TIME_CHARGE 5") } == 10
            }
            #expect(notifier.received.count == 18)
            release.finish()
            try await eventually("all are delivered") {
                try await notifier.list().allSatisfy { $0.state == .delivered }
            }
            running.cancel()
            await running.value
        }
    }

    // MARK: Hints

    @Test(arguments: Engine.allCases)
    func `a hint begins a round while an app has an endpoint; what happens without one is read when it is asked for`(
        _ engine: Engine
    ) async throws {
        try await TestNotifier.with(engine) { notifier in
            let deliveries = notifier.service.deliveries
            // No look but those of hints and requests, which come at once.
            let running = Task { await deliveries.run(interval: .seconds(3_600)) }
            defer { running.cancel() }
            try await eventually("the first look has found no endpoint") { !deliveries.followsHints }
            try await eventually("hints are heard") { notifier.hint() > 0 }
            notifier.happens(.purchased, to: 1)
            #expect(try await notifier.list().map(\.state) == [.noEndpoint])
            notifier.happens(.purchased, to: 2)
            let trigger = NotificationDraft(
                bundleId: TestNotifier.bundleId, notificationUUID: "", notificationType: .refund,
                signedDate: Timestamp(milliseconds: 0))
            _ = try await notifier.service.notifications.trigger(
                TriggerNotificationRequest(draft: trigger), deadline: .now + .seconds(5))
            notifier.happens(.purchased, to: 3)
            try await notifier.put(.sandbox)
            try await eventually("the endpoint is known") { deliveries.followsHints }
            notifier.happens(.purchased, to: 4)
            #expect(notifier.hint() > 0)
            try await eventually("what a hint announced is delivered") { notifier.received.count == 1 }
            #expect(notifier.received == ["ONE_TIME_CHARGE 4"])
            try await eventually("its outcome is written") {
                try await notifier.list().last?.state == .delivered
            }
            // What came before the trigger was made before it.
            let made = try await notifier.list()
            #expect(
                made.map(\.notificationType) == [
                    .oneTimeCharge, .oneTimeCharge, .refund, .oneTimeCharge, .oneTimeCharge,
                ])
            #expect(made.map(\.state) == [.noEndpoint, .noEndpoint, .noEndpoint, .noEndpoint, .delivered])
            #expect(made.map(\.account) == ["account1", "account2", nil, "account3", "account4"])
            _ = try await notifier.service.endpoints.delete(AppRequest(bundleId: TestNotifier.bundleId))
            deliveries.wake()
            try await eventually("the endpoint is gone") { !deliveries.followsHints }
        }
    }

    @Test func `what cannot be read does not keep a list or an endpoint waiting`() async throws {
        try await TestNotifier.with { notifier in
            let deliveries = notifier.service.deliveries
            let running = Task { await deliveries.run(interval: .seconds(3_600)) }
            defer { running.cancel() }
            try await eventually("the first look has found no endpoint") { !deliveries.followsHints }
            notifier.happens(.purchased)
            notifier.world.withLock { $0.isQueueAway = true }
            #expect(try await notifier.list().isEmpty)
            try await notifier.put(.sandbox)
            notifier.world.withLock { $0.isQueueAway = false }
            deliveries.wake()
            // It is read when there is an endpoint.
            try await eventually("it is delivered") { notifier.received == ["ONE_TIME_CHARGE 1"] }
        }
    }

    // MARK: Endpoints

    @Test(arguments: Engine.allCases)
    func `without an endpoint a notification is made and not sent; one that waits goes to the next endpoint`(
        _ engine: Engine
    ) async throws {
        try await TestNotifier.with(engine) { notifier in
            notifier.happens(.purchased)
            _ = try await notifier.service.notifications.settled(
                NotificationsSettledRequest(bundleId: TestNotifier.bundleId, waitMs: 0), deadline: .now + .seconds(5))
            #expect(try await notifier.list().map(\.state) == [.noEndpoint])
            try await notifier.put()
            #expect(try await notifier.settle() == 0)
            notifier.world.withLock { $0.outcomes = [AttemptOutcome(.socketIssue)] }
            notifier.happens(.purchased)
            #expect(try await notifier.settle() == 1)
            _ = try await notifier.service.endpoints.delete(AppRequest(bundleId: TestNotifier.bundleId))
            notifier.jump(to: "2027-03-02T10:00:00.000Z")
            #expect(try await notifier.settle() == 0)
            try await notifier.put(.sandbox)
            #expect(try await notifier.settle() == 1)
            #expect(try await notifier.list().map(\.state) == [.noEndpoint, .delivered])
            // Removed while an attempt is under way.
            notifier.world.withLock { $0.outcomes = [AttemptOutcome(.timedOut)] }
            notifier.during.withLock { during in
                during = { [service = notifier.service] _ in
                    _ = try? await service.endpoints.delete(AppRequest(bundleId: TestNotifier.bundleId))
                }
            }
            notifier.happens(.purchased)
            #expect(try await notifier.settle() == 1)
            notifier.during.withLock { $0 = nil }
            try await notifier.put(.sandbox)
            #expect(try await notifier.settle() == 1)
            #expect(try await notifier.list().map(\.state) == [.noEndpoint, .delivered, .delivered])
        }
    }

    // MARK: Foreign text

    @Test(arguments: Engine.allCases)
    func `whatever a server says, its outcome is stored and lists can be read`(_ engine: Engine) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put()
            let binary = (UInt8.min ... .max).map { $0 }
            for customer in 1...4 { notifier.happens(.purchased, to: customer) }
            notifier.world.withLock { world in
                world.outcomes = [
                    AttemptOutcome(.unsuccessfulResponse, httpStatus: 500, bodyStart: PrintableText(binary)),
                    AttemptOutcome(.success, httpStatus: 200, bodyStart: PrintableText([0x1F, 0x8B, 0, 0xFF])),
                    AttemptOutcome(.tlsIssue, bodyStart: PrintableText(String(repeating: "\"\\\u{0}", count: 100_000))),
                ]
            }
            #expect(try await notifier.settle() == 4)
            #expect(notifier.received.count == 4)
            let page = try await notifier.service.notifications.list(
                NotificationsRequest(bundleId: TestNotifier.bundleId))
            // As the gateway reads the reply.
            let read = try StoreJSON.decode(NotificationsPage.self, from: try StoreJSON.encode(page))
            #expect(read == page)
            #expect(
                Set(page.notifications.flatMap(\.attempts).map(\.sendAttemptResult))
                    == [.unsuccessfulResponse, .success, .tlsIssue])
        }
    }

    @Test(arguments: Engine.allCases)
    func `an outcome that the database refuses keeps its result, and takes no other along`(
        _ engine: Engine
    ) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put()
            _ = try await notifier.service.database.write { transaction in
                try await transaction.execute(
                    transaction.dialect == .sqlite
                        ? """
                        CREATE TRIGGER refusal BEFORE UPDATE ON attempt WHEN NEW.http_status = 599
                        BEGIN SELECT RAISE(ABORT, 'refused'); END
                        """ : "ALTER TABLE attempt ADD CONSTRAINT refusal CHECK (http_status <> 599)")
            }
            for customer in 1...8 { notifier.happens(.purchased, to: customer) }
            notifier.world.withLock { world in
                world.outcomes = [AttemptOutcome(.unsuccessfulResponse, httpStatus: 599)]
            }
            // All eight end at once, so that a commit has several outcomes.
            let (wait, release) = AsyncStream.makeStream(of: Void.self)
            notifier.during.withLock { during in
                during = { _ in
                    if notifier.world.withLock(\.underWay) == 8 { release.finish() }
                    for await _ in wait {}
                }
            }
            #expect(try await notifier.settle() == 8)
            #expect(notifier.received.count == 8)
            let made = try await notifier.list()
            #expect(made.count { $0.state == .delivered } == 7)
            let refused = try #require(made.first { $0.state == .retrying })
            #expect(refused.attempts.map(\.sendAttemptResult) == [.unsuccessfulResponse])
            #expect(refused.attempts.map(\.httpStatus) == [nil])
        }
    }

    @Test(arguments: Engine.allCases)
    func `of a notification that was sent any number of times the newest attempts are shown`(
        _ engine: Engine
    ) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put(.sandbox)
            notifier.happens(.purchased)
            try await notifier.settle()
            let found = try await notifier.service.database.read {
                try await $0.queryOne("SELECT position FROM notification")
            }
            let position: Int64 = try #require(found)["position"]
            try await notifier.service.database.write { transaction in
                for number in 2...700 {
                    try await transaction.send(
                        """
                        INSERT INTO attempt (id, position, number, attempted_at, result, body_start)
                        VALUES (?, ?, ?, ?, 'OTHER', ?)
                        """, "n_more\(number)", position, number, number, String(repeating: "\"", count: 256))
                }
            }
            let attempts = try #require(try await notifier.list().first?.attempts)
            #expect(attempts.map(\.attemptDate.milliseconds) == (601...700).map(Int64.init))
        }
    }

    // MARK: Crashes and outages

    @Test(arguments: Engine.allCases)
    func `an attempt of a process that died is repeated with the same bytes, and counted once`(
        _ engine: Engine
    ) async throws {
        try await TestNotifier.with(engine, margin: .milliseconds(-4_900)) { notifier in
            try await notifier.put(.apple)
            notifier.happens(.purchased)
            let clock = try await notifier.service.deliveries.clock(of: TestNotifier.bundleId)
            let begun = try await notifier.service.deliveries.begin(
                TestNotifier.bundleId, clock, limit: 8)
            let payload = try #require(begun.first?.payload)
            try await notifier.restart()
            try await notifier.service.deliveries.releaseOwn()
            try await eventually("the claim ends") {
                try await notifier.service.deliveries.endOverdue()
                return try await notifier.settle() > 0
            }
            #expect(notifier.world.withLock(\.received) == [payload])
            let sent = try #require(try await notifier.list().first)
            #expect(sent.attempts.map(\.sendAttemptResult) == [.success])
            #expect(notifier.world.withLock { Array($0.signed.values) } == [1])
        }
    }

    @Test(arguments: Engine.allCases)
    func `an attempt of a process that died is repeated although the clock was set back a day`(
        _ engine: Engine
    ) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put(.apple)
            notifier.happens(.purchased)
            let clock = try await notifier.service.deliveries.clock(of: TestNotifier.bundleId)
            let begun = try await notifier.service.deliveries.begin(TestNotifier.bundleId, clock, limit: 8)
            #expect(begun.count == 1)
            try await notifier.restart()
            try await notifier.service.database.write { transaction in
                try await transaction.send("UPDATE notification SET claimed_until = claimed_until + 86400000")
            }
            try await notifier.service.deliveries.endOverdue()
            #expect(try await notifier.settle() == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an attempt that is under way when the process stops is repeated, and not counted as a failure`(
        _ engine: Engine
    ) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put(.sandbox)
            notifier.happens(.purchased)
            notifier.world.withLock { $0.outcomes = [AttemptOutcome(.other)] }
            let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
            notifier.during.withLock { during in
                during = { _ in
                    beginning.finish()
                    // Until the process stops.
                    while !Task.isCancelled { await Task.yield() }
                }
            }
            let round = Task { [service = notifier.service] in
                try await service.deliveries.round(TestNotifier.bundleId)
            }
            for await _ in begun {}
            round.cancel()
            _ = try? await round.value
            notifier.during.withLock { $0 = nil }
            #expect(try await notifier.list().map(\.state) == [.pending])
            #expect(try await notifier.settle() == 1)
            let sent = try #require(try await notifier.list().first)
            #expect(sent.attempts.map(\.sendAttemptResult) == [.success])
            let received = notifier.world.withLock(\.received)
            #expect(received.count == 2)
            #expect(Set(received).count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an attempt that two replicas give up is given up once, and its successor stays`(
        _ engine: Engine
    ) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put(.apple)
            notifier.happens(.purchased)
            let deliveries = notifier.service.deliveries
            let clock = try await deliveries.clock(of: TestNotifier.bundleId)
            func begin() async throws -> DeliveryService.Begun? {
                try await deliveries.begin(TestNotifier.bundleId, clock, limit: 8).first
            }
            func giveUp(_ attempt: DeliveryService.Begun) async throws {
                try await notifier.service.database.write { transaction in
                    try await AttemptRepository.remove(attempt.id, of: attempt.notification.position, in: transaction)
                }
            }
            let first = try #require(try await begin())
            try await giveUp(first)
            let second = try #require(try await begin())
            try await giveUp(first)
            let stillUnderWay = try await begin()
            #expect(stillUnderWay == nil)
            try await deliveries.end(second.id, of: second.notification, at: second.at, AttemptOutcome(.success))
            #expect(try await notifier.list().map(\.state) == [.delivered])
            #expect(try await notifier.list().map(\.attempts.count) == [1])
        }
    }

    @Test func `while no gateway signs nothing is begun, and all is sent afterwards`() async throws {
        try await TestNotifier.with { notifier in
            try await notifier.put()
            for customer in 1...3 { notifier.happens(.purchased, to: customer) }
            notifier.world.withLock { $0.isGatewayAway = true }
            await #expect(throws: StoreError.self) { try await notifier.settle() }
            #expect(try await notifier.list().map(\.attempts.count) == [0, 0, 0])
            notifier.world.withLock { $0.isGatewayAway = false }
            #expect(try await notifier.settle() == 3)
        }
    }

    @Test func `while payment-queue is away what is there waits, because the clock is not known`() async throws {
        try await TestNotifier.with { notifier in
            try await notifier.put()
            notifier.world.withLock { $0.isQueueAway = true }
            await #expect(throws: StoreError.self) { try await notifier.settle() }
            notifier.world.withLock { $0.isQueueAway = false }
            notifier.happens(.purchased)
            #expect(try await notifier.settle() == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `any outcomes, restarts and jumps: nothing is lost, nothing is made twice, and orders hold`(
        _ engine: Engine
    ) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        try await TestNotifier.with(engine, margin: .milliseconds(-4_990)) { notifier in
            try await notifier.put(.apple)
            var happened = 0
            for day in 1...28 {
                notifier.jump(to: "2027-05-\(day < 10 ? "0" : "")\(day)T10:00:00.000Z")
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    notifier.happens(.purchased, to: Int.random(in: 1...3, using: &random))
                    happened += 1
                }
                let outcomes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    AttemptOutcome(SendAttemptResult.allCases.randomElement(using: &random) ?? .other)
                }
                notifier.world.withLock { $0.outcomes += outcomes }
                if Int.random(in: 0..<5, using: &random) == 0 {
                    let clock = try await notifier.service.deliveries.clock(of: TestNotifier.bundleId)
                    _ = try await notifier.service.deliveries.begin(
                        TestNotifier.bundleId, clock, limit: 2)
                    try await notifier.restart()
                    try await notifier.service.deliveries.releaseOwn()
                }
                try await notifier.settle()
            }
            notifier.world.withLock { $0.outcomes = [] }
            try await eventually("every claim has ended") {
                try await notifier.service.deliveries.endOverdue()
                notifier.jump(to: "2028-01-01T00:00:00.000Z")
                try await notifier.settle()
                return try await notifier.list().allSatisfy { [.delivered, .failed].contains($0.state) }
            }
            let made = try await notifier.list()
            #expect(made.count == happened, "seed \(seed)")
            #expect(Set(made.map(\.notificationUUID)).count == happened, "seed \(seed)")
            for one in made {
                #expect(one.attempts.allSatisfy { $0.sendAttemptResult != nil }, "seed \(seed)")
                #expect(one.attempts.map(\.attemptDate) == one.attempts.map(\.attemptDate).sorted(), "seed \(seed)")
                #expect(one.attempts.dropLast().allSatisfy { $0.sendAttemptResult != .success }, "seed \(seed)")
                #expect((1...6).contains(one.attempts.count), "seed \(seed)")
            }
            // First attempts of a customer come in the order of the events.
            for customer in 1...3 {
                var seen: Set<String> = []
                let firsts = notifier.world.withLock(\.received)
                    .filter { $0.split(separator: " ")[1] == "\(customer)" && seen.insert($0).inserted }
                let order = made.filter { $0.account == "account\(customer)" }.map(\.notificationUUID)
                #expect(firsts.map { String($0.split(separator: " ")[3]) } == order, "seed \(seed)")
            }
        }
    }
}
