import EventLoop
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import AppStoreServer

/// Goal: each event gives its notifications once, and each is tried as its endpoint says, through any crash.
@Suite(.serialized) struct DeliveryTests {
    // MARK: Events

    @Test(arguments: Engine.allCases)
    func `an event gives each of its notifications once, in order, and is acknowledged`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put()
            for customer in 1...4 { appStore.happens(.purchased, to: customer) }
            appStore.happens(.upgraded, .autoRenewDisabled, to: 5)
            try await appStore.settle()
            #expect(
                appStore.received.filter { $0.hasSuffix("5") } == [
                    "DID_CHANGE_RENEWAL_PREF.UPGRADE 5", "DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED 5",
                ])
            #expect(appStore.received.count == 6)
            #expect(appStore.world.withLock(\.acknowledged) == ["v_00005"])
            try await appStore.restart()
            try await appStore.settle()
            #expect(appStore.received.count == 6)
            let made = try await appStore.list()
            #expect(made.allSatisfy { $0.state == .delivered })
            #expect(Set(made.map(\.notificationUUID)).count == 6)
            #expect(made.first?.account == "account1")
        }
    }

    @Test(arguments: Engine.allCases)
    func `replicas that read the same events make each notification once`(_ engine: Engine) async throws {
        guard engine != .sqlite else { return }
        try await TestAppStoreServer.with(engine) { appStore in
            let other = appStore.service
            try await appStore.start()
            try await appStore.put()
            for number in 0..<40 { appStore.happens(.purchased, to: number % 5) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for service in [other, appStore.service] {
                    group.addTask { while try await service.deliveries.round(TestAppStoreServer.bundleId) > 0 {} }
                }
                try await group.waitForAll()
            }
            try await appStore.settle()
            #expect(appStore.received.count == 40)
            #expect(appStore.world.withLock(\.overlaps) == 0)
        }
    }

    @Test(arguments: Engine.allCases)
    func `events of one customer at one instant are signed a millisecond apart`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put()
            appStore.happens(.refunded, to: 1)
            appStore.happens(.purchased, to: 1)
            appStore.happens(.purchased, to: 2)
            try await appStore.settle()
            let dates = appStore.world.withLock(\.received).map { String($0.split(separator: " ")[2].suffix(4)) }
            #expect(dates.sorted() == ["000Z", "000Z", "001Z"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `events of one customer in neighbouring instants have dates that grow`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put()
            // The second of an instant is signed in the next one, which has an event of its own: in the same page,
            // and in a later one.
            appStore.happens(.refunded, to: 1)
            appStore.happens(.purchased, to: 1)
            appStore.world.withLock { $0.now = $0.now + .milliseconds(1) }
            appStore.happens(.purchased, to: 1)
            try await appStore.settle()
            appStore.world.withLock { $0.now = $0.now + .milliseconds(1) }
            appStore.happens(.purchased, to: 1)
            try await appStore.settle()
            let dates = appStore.world.withLock(\.received).map { String($0.split(separator: " ")[2].suffix(4)) }
            #expect(dates == ["000Z", "001Z", "002Z", "003Z"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `the summary of an extension is the last, by its attempt and by its date`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put()
            // Two of one customer at one instant, so that the second is signed later.
            for customer in [1, 1, 2, 3, 4, 5, 6, 7, 8, 9] { appStore.happens(.extended, to: customer) }
            appStore.ends("outage")
            // Later notifications do not wait for it.
            appStore.happens(.purchased, to: 10)
            appStore.world.withLock { $0.outcomes = [AttemptOutcome(.timedOut)] }
            try await appStore.settle()
            let received = appStore.world.withLock(\.received)
            let types = received.map { String($0.prefix { $0 != " " }) }
            let summary = try #require(types.firstIndex(of: "RENEWAL_EXTENSION.SUMMARY"))
            #expect(types[..<summary].filter { $0 == "RENEWAL_EXTENDED" }.count == 10, "\(types)")
            #expect(received[summary].contains("10:00:00.002Z"), "\(received[summary])")
        }
    }

    // MARK: Schedule

    @Test(arguments: Engine.allCases)
    func `Apple's schedule: six attempts by the app's clock, then it has failed`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put(.apple)
            appStore.happens(.purchased)
            let failures = Array(repeating: AttemptOutcome(.unsuccessfulResponse, httpStatus: 500), count: 6)
            appStore.world.withLock { $0.outcomes = failures }
            #expect(try await appStore.settle() == 1)
            let waiting = try #require(try await appStore.list().first)
            #expect(waiting.state == .retrying)
            #expect(waiting.nextAttemptAt == Timestamp("2027-03-01T11:00:00.000Z"))
            #expect(waiting.attempts.first?.httpStatus == 500)
            appStore.jump(to: "2027-03-01T10:59:59.999Z")
            #expect(try await appStore.settle() == 0)
            // A jump past all of them makes each at its own instant.
            appStore.jump(to: "2027-04-01T00:00:00.000Z")
            #expect(try await appStore.settle() == 5)
            let failed = try #require(try await appStore.list().first)
            #expect(failed.state == .failed)
            #expect(failed.nextAttemptAt == nil)
            #expect(
                failed.attempts.map { "\($0.attemptDate.description.prefix(13))" } == [
                    "2027-03-01T10", "2027-03-01T11", "2027-03-01T23", "2027-03-02T23", "2027-03-04T23",
                    "2027-03-07T23",
                ])
            #expect(Set(appStore.world.withLock(\.received)).count == 1)
        }
    }

    @Test func `an attempt that is late while the clock runs evenly has the time it was made at`() async throws {
        try await TestAppStoreServer.with { appStore in
            try await appStore.put(.apple)
            appStore.world.withLock { $0.since = $0.now }
            appStore.happens(.purchased)
            appStore.world.withLock { $0.now = Timestamp("2027-03-01T13:00:00.000Z")! }
            try await appStore.settle()
            #expect(
                try await appStore.list().first?.attempts.first?.attemptDate
                    == Timestamp("2027-03-01T13:00:00.000Z"))
        }
    }

    @Test func `after a jump attempts wait for what falls due before them`() async throws {
        try await TestAppStoreServer.with { appStore in
            try await appStore.put()
            appStore.happens(.purchased, to: 1, at: "2027-03-02T00:00:00.000Z")
            appStore.happens(.purchased, to: 2, at: "2027-03-20T00:00:00.000Z")
            appStore.jump(to: "2027-04-01T00:00:00.000Z")
            appStore.world.withLock { $0.nextEvent = Timestamp("2027-03-10T00:00:00.000Z") }
            try await appStore.settle()
            #expect(appStore.received == ["ONE_TIME_CHARGE 1"])
            // A renewal that is late while the clock runs evenly holds nothing up.
            appStore.world.withLock { world in
                world.since = Timestamp("2027-03-05T00:00:00.000Z")
            }
            try await appStore.settle()
            #expect(appStore.received == ["ONE_TIME_CHARGE 1", "ONE_TIME_CHARGE 2"])
        }
    }

    @Test func `a sandbox endpoint is tried once, a fast one after 1, 2, 4, 8 and 16 seconds`() async throws {
        try await TestAppStoreServer.with { appStore in
            let failures = Array(repeating: AttemptOutcome(.timedOut), count: 20)
            appStore.world.withLock { $0.outcomes = failures }
            try await appStore.put(.sandbox)
            appStore.happens(.purchased)
            #expect(try await appStore.settle() == 1)
            #expect(try await appStore.list().first?.state == .failed)
            try await appStore.put(.fast)
            appStore.happens(.purchased)
            #expect(try await appStore.settle() == 1)
            for seconds in [1, 2, 4, 8, 16] {
                appStore.world.withLock { $0.wall = $0.wall + .milliseconds(seconds * 1000 - 1) }
                #expect(try await appStore.settle() == 0, "\(seconds)")
                appStore.world.withLock { $0.wall = $0.wall + .milliseconds(1) }
                #expect(try await appStore.settle() == 1, "\(seconds)")
            }
            #expect(try await appStore.list().last?.state == .failed)
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
        try await TestAppStoreServer.with { appStore in
            try await appStore.put()
            for number in 0..<60 { appStore.happens(.purchased, to: number % 20) }
            // Attempts last until as many as are allowed are under way.
            appStore.during.withLock { during in
                during = { [world = appStore.world] _ in
                    for _ in 0..<1_000_000 where world.withLock(\.mostUnderWay) < DeliveryService.concurrency {
                        await Task.yield()
                    }
                }
            }
            try await appStore.settle()
            let world = appStore.world.withLock { $0 }
            #expect(world.received.count == 60)
            #expect(world.overlaps == 0)
            #expect(world.mostUnderWay == DeliveryService.concurrency)
        }
    }

    @Test func `a customer with many notifications that wait does not hold up others`() async throws {
        try await TestAppStoreServer.with { appStore in
            try await appStore.put()
            for _ in 0..<200 { appStore.happens(.purchased, to: 1) }
            appStore.happens(.purchased, to: 2)
            try await appStore.settle()
            #expect(appStore.received.firstIndex(of: "ONE_TIME_CHARGE 2").map { $0 < 10 } == true)
            #expect(appStore.received.count == 201)
        }
    }

    @Test func `a customer's first attempts keep the order of the events, also behind one that is retried`()
        async throws
    {
        try await TestAppStoreServer.with { appStore in
            try await appStore.put(.apple)
            appStore.world.withLock { $0.outcomes = [AttemptOutcome(.noResponse)] }
            appStore.happens(.subscribed)
            appStore.happens(.autoRenewDisabled)
            appStore.happens(.autoRenewEnabled)
            try await appStore.settle()
            appStore.jump(to: "2027-03-02T00:00:00.000Z")
            try await appStore.settle()
            #expect(
                appStore.received == [
                    "SUBSCRIBED.INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED 1",
                    "DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_ENABLED 1", "SUBSCRIBED.INITIAL_BUY 1",
                ])
        }
    }

    @Test func `an endpoint that duplicates gets each notification twice, the same bytes`() async throws {
        try await TestAppStoreServer.with { appStore in
            try await appStore.put(.sandbox) { $0.duplicate = true }
            appStore.happens(.purchased, to: 1)
            appStore.happens(.purchased, to: 2)
            try await appStore.settle()
            let received = appStore.world.withLock(\.received)
            #expect(received.count == 4)
            #expect(Set(received).count == 2)
            #expect(try await appStore.list().map(\.state) == [.delivered, .delivered])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a backlog of more than a page is sent once, each customer's in order and never two at a time`(
        _ engine: Engine
    ) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put()
            let count = 2 * DeliveryService.pageSize + 10
            // One customer has more than a page, and others have theirs between and behind it.
            for number in 0..<count { appStore.happens(.purchased, to: number % 3 == 0 ? 2 + number % 40 : 1) }
            #expect(try await appStore.settle() == count)
            let received = appStore.world.withLock(\.received).map { $0.split(separator: " ") }
            #expect(Set(received.map { $0[3] }).count == count)
            #expect(appStore.world.withLock(\.overlaps) == 0)
            for (_, ofCustomer) in Dictionary(grouping: received, by: { $0[1] }) {
                #expect(ofCustomer.map { $0[2] } == ofCustomer.map { $0[2] }.sorted())
            }
        }
    }

    @Test func `an attempt that hangs does not hold up another customer's`() async throws {
        try await TestAppStoreServer.with { appStore in
            try await appStore.put()
            let (hang, release) = AsyncStream.makeStream(of: Void.self)
            appStore.during.withLock { during in
                during = { payload in
                    guard payload.split(separator: " ")[1] == "1" else { return }
                    for await _ in hang {}
                }
            }
            let running = Task { [service = appStore.service] in await service.deliveries.run() }
            appStore.happens(.purchased, to: 1)
            try await eventually("the first customer's attempt hangs") { appStore.received == ["ONE_TIME_CHARGE 1"] }
            appStore.happens(.purchased, to: 2)
            appStore.service.deliveries.wake()
            try await eventually("the second customer's is made") {
                appStore.received == ["ONE_TIME_CHARGE 1", "ONE_TIME_CHARGE 2"]
            }
            release.finish()
            try await eventually("both are delivered") {
                try await appStore.list().allSatisfy { $0.state == .delivered }
            }
            running.cancel()
            await running.value
        }
    }

    @Test(arguments: Engine.allCases)
    func `an app whose server hangs takes its own eight attempts, and holds up no other app`(
        _ engine: Engine
    ) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let other = "com.example.other"
            try await appStore.put()
            try await appStore.put(of: other)
            let (hang, release) = AsyncStream.makeStream(of: Void.self)
            appStore.during.withLock { during in
                during = { payload in
                    guard payload.split(separator: " ")[1].utf8.first != UInt8(ascii: "5") else { return }
                    for await _ in hang {}
                }
            }
            let running = Task { [service = appStore.service] in await service.deliveries.run() }
            for customer in 10...29 { appStore.happens(.purchased, to: customer) }
            appStore.service.deliveries.wake()
            try await eventually("eight attempts hang") { appStore.world.withLock(\.underWay) == 8 }
            for customer in 50...59 { appStore.happens(.purchased, of: other, to: customer) }
            appStore.service.deliveries.wake()
            try await eventually("all of the other app's are made") {
                appStore.received.count { $0.hasPrefix("ONE_TIME_CHARGE 5") } == 10
            }
            #expect(appStore.received.count == 18)
            release.finish()
            try await eventually("all are delivered") {
                try await appStore.list().allSatisfy { $0.state == .delivered }
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
        try await TestAppStoreServer.with(engine) { appStore in
            let deliveries = appStore.service.deliveries
            // No look but those of hints and requests, which come at once.
            let running = Task { await deliveries.run(interval: .seconds(3_600)) }
            defer { running.cancel() }
            try await eventually("the first look has found no endpoint") { !deliveries.followsHints }
            try await eventually("hints are heard") { appStore.hint() > 0 }
            appStore.happens(.purchased, to: 1)
            #expect(try await appStore.list().map(\.state) == [.noEndpoint])
            appStore.happens(.purchased, to: 2)
            let trigger = NotificationDraft(
                bundleId: TestAppStoreServer.bundleId, notificationUUID: "", notificationType: .refund,
                signedDate: Timestamp(milliseconds: 0))
            _ = try await appStore.service.notifications.trigger(
                TriggerNotificationRequest(draft: trigger), deadline: .now + .seconds(5))
            appStore.happens(.purchased, to: 3)
            try await appStore.put(.sandbox)
            try await eventually("the endpoint is known") { deliveries.followsHints }
            appStore.happens(.purchased, to: 4)
            #expect(appStore.hint() > 0)
            try await eventually("what a hint announced is delivered") { appStore.received.count == 1 }
            #expect(appStore.received == ["ONE_TIME_CHARGE 4"])
            try await eventually("its outcome is written") {
                try await appStore.list().last?.state == .delivered
            }
            // Notifications of earlier events come before the trigger's.
            let made = try await appStore.list()
            #expect(
                made.map(\.notificationType) == [
                    .oneTimeCharge, .oneTimeCharge, .refund, .oneTimeCharge, .oneTimeCharge,
                ])
            #expect(made.map(\.state) == [.noEndpoint, .noEndpoint, .noEndpoint, .noEndpoint, .delivered])
            #expect(made.map(\.account) == ["account1", "account2", nil, "account3", "account4"])
            _ = try await appStore.service.endpoints.delete(AppRequest(bundleId: TestAppStoreServer.bundleId))
            deliveries.wake()
            try await eventually("the endpoint is gone") { !deliveries.followsHints }
        }
    }

    @Test func `what cannot be read does not keep a list or an endpoint waiting`() async throws {
        try await TestAppStoreServer.with { appStore in
            let deliveries = appStore.service.deliveries
            let running = Task { await deliveries.run(interval: .seconds(3_600)) }
            defer { running.cancel() }
            try await eventually("the first look has found no endpoint") { !deliveries.followsHints }
            appStore.happens(.purchased)
            appStore.world.withLock { $0.isQueueAway = true }
            #expect(try await appStore.list().isEmpty)
            try await appStore.put(.sandbox)
            appStore.world.withLock { $0.isQueueAway = false }
            deliveries.wake()
            // It is read when there is an endpoint.
            try await eventually("it is delivered") { appStore.received == ["ONE_TIME_CHARGE 1"] }
        }
    }

    // MARK: Endpoints

    @Test(arguments: Engine.allCases)
    func `without an endpoint a notification is made and not sent; one that waits goes to the next endpoint`(
        _ engine: Engine
    ) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            appStore.happens(.purchased)
            _ = try await appStore.service.notifications.settled(
                NotificationsSettledRequest(bundleId: TestAppStoreServer.bundleId, waitMs: 0),
                deadline: .now + .seconds(5))
            #expect(try await appStore.list().map(\.state) == [.noEndpoint])
            try await appStore.put()
            #expect(try await appStore.settle() == 0)
            appStore.world.withLock { $0.outcomes = [AttemptOutcome(.socketIssue)] }
            appStore.happens(.purchased)
            #expect(try await appStore.settle() == 1)
            _ = try await appStore.service.endpoints.delete(AppRequest(bundleId: TestAppStoreServer.bundleId))
            appStore.jump(to: "2027-03-02T10:00:00.000Z")
            #expect(try await appStore.settle() == 0)
            try await appStore.put(.sandbox)
            #expect(try await appStore.settle() == 1)
            #expect(try await appStore.list().map(\.state) == [.noEndpoint, .delivered])
            // Removed while an attempt is under way.
            appStore.world.withLock { $0.outcomes = [AttemptOutcome(.timedOut)] }
            appStore.during.withLock { during in
                during = { [service = appStore.service] _ in
                    _ = try? await service.endpoints.delete(AppRequest(bundleId: TestAppStoreServer.bundleId))
                }
            }
            appStore.happens(.purchased)
            #expect(try await appStore.settle() == 1)
            appStore.during.withLock { $0 = nil }
            try await appStore.put(.sandbox)
            #expect(try await appStore.settle() == 1)
            #expect(try await appStore.list().map(\.state) == [.noEndpoint, .delivered, .delivered])
        }
    }

    // MARK: Foreign text

    @Test(arguments: Engine.allCases)
    func `whatever a server says, its outcome is stored and lists can be read`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put()
            let binary = (UInt8.min ... .max).map { $0 }
            for customer in 1...4 { appStore.happens(.purchased, to: customer) }
            appStore.world.withLock { world in
                world.outcomes = [
                    AttemptOutcome(.unsuccessfulResponse, httpStatus: 500, bodyStart: PrintableText(binary)),
                    AttemptOutcome(.success, httpStatus: 200, bodyStart: PrintableText([0x1F, 0x8B, 0, 0xFF])),
                    AttemptOutcome(.tlsIssue, bodyStart: PrintableText(String(repeating: "\"\\\u{0}", count: 100_000))),
                ]
            }
            #expect(try await appStore.settle() == 4)
            #expect(appStore.received.count == 4)
            let page = try await appStore.service.notifications.list(
                NotificationsRequest(bundleId: TestAppStoreServer.bundleId))
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
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put()
            _ = try await appStore.service.database.write { transaction in
                try await transaction.execute(
                    transaction.dialect == .sqlite
                        ? """
                        CREATE TRIGGER refusal BEFORE UPDATE ON attempt WHEN NEW.http_status = 599
                        BEGIN SELECT RAISE(ABORT, 'refused'); END
                        """ : "ALTER TABLE attempt ADD CONSTRAINT refusal CHECK (http_status <> 599)")
            }
            for customer in 1...8 { appStore.happens(.purchased, to: customer) }
            appStore.world.withLock { world in
                world.outcomes = [AttemptOutcome(.unsuccessfulResponse, httpStatus: 599)]
            }
            // All eight end at once, so that a commit has several outcomes.
            let (wait, release) = AsyncStream.makeStream(of: Void.self)
            appStore.during.withLock { during in
                during = { _ in
                    if appStore.world.withLock(\.underWay) == 8 { release.finish() }
                    for await _ in wait {}
                }
            }
            #expect(try await appStore.settle() == 8)
            #expect(appStore.received.count == 8)
            let made = try await appStore.list()
            #expect(made.count { $0.state == .delivered } == 7)
            let refused = try #require(made.first { $0.state == .retrying })
            #expect(refused.attempts.map(\.sendAttemptResult) == [.unsuccessfulResponse])
            #expect(refused.attempts.map(\.httpStatus) == [nil])
            // A later test has the schema.
            guard engine == .postgres else { return }
            _ = try await appStore.service.database.write {
                try await $0.execute("ALTER TABLE attempt DROP CONSTRAINT refusal")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `of a notification that was sent any number of times the newest attempts are shown`(
        _ engine: Engine
    ) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put(.sandbox)
            appStore.happens(.purchased)
            try await appStore.settle()
            let found = try await appStore.service.database.read {
                try await $0.queryOne("SELECT position FROM notification")
            }
            let position: Int64 = try #require(found)["position"]
            try await appStore.service.database.write { transaction in
                for number in 2...700 {
                    try await transaction.send(
                        """
                        INSERT INTO attempt (id, position, number, attempted_at, url, result, body_start)
                        VALUES (?, ?, ?, ?, ?, 'OTHER', ?)
                        """, "n_more\(number)", position, number, number, String(repeating: "\"", count: 2_048),
                        String(repeating: "\"", count: 256))
                }
            }
            let attempts = try #require(try await appStore.list().first?.attempts)
            #expect(attempts.map(\.attemptDate.milliseconds) == (637...700).map(Int64.init))
        }
    }

    // MARK: Crashes and outages

    @Test(arguments: Engine.allCases)
    func `an attempt of a process that died is repeated with the same bytes, and counted once`(
        _ engine: Engine
    ) async throws {
        try await TestAppStoreServer.with(engine, margin: .milliseconds(-4_900)) { appStore in
            try await appStore.put(.apple)
            appStore.happens(.purchased)
            let clock = try await appStore.service.deliveries.clock(of: TestAppStoreServer.bundleId)
            let begun = try await appStore.service.deliveries.begin(
                TestAppStoreServer.bundleId, clock, limit: 8)
            let payload = try #require(begun.first?.payload)
            try await appStore.restart()
            try await appStore.service.deliveries.releaseOwn()
            try await eventually("the claim ends") {
                try await appStore.service.deliveries.endOverdue()
                return try await appStore.settle() > 0
            }
            #expect(appStore.world.withLock(\.received) == [payload])
            let sent = try #require(try await appStore.list().first)
            #expect(sent.attempts.map(\.sendAttemptResult) == [.success])
            #expect(appStore.world.withLock { Array($0.signed.values) } == [1])
        }
    }

    @Test(arguments: Engine.allCases)
    func `an attempt of a process that died is repeated although the clock was set back a day`(
        _ engine: Engine
    ) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put(.apple)
            appStore.happens(.purchased)
            let clock = try await appStore.service.deliveries.clock(of: TestAppStoreServer.bundleId)
            let begun = try await appStore.service.deliveries.begin(TestAppStoreServer.bundleId, clock, limit: 8)
            #expect(begun.count == 1)
            try await appStore.restart()
            try await appStore.service.database.write { transaction in
                try await transaction.send("UPDATE notification SET claimed_until = claimed_until + 86400000")
            }
            try await appStore.service.deliveries.endOverdue()
            #expect(try await appStore.settle() == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an attempt that is under way when the process stops is repeated, and not counted as a failure`(
        _ engine: Engine
    ) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put(.sandbox)
            appStore.happens(.purchased)
            appStore.world.withLock { $0.outcomes = [AttemptOutcome(.other)] }
            let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
            appStore.during.withLock { during in
                during = { _ in
                    beginning.finish()
                    // Until the process stops.
                    while !Task.isCancelled { await Task.yield() }
                }
            }
            let round = Task { [service = appStore.service] in
                try await service.deliveries.round(TestAppStoreServer.bundleId)
            }
            for await _ in begun {}
            round.cancel()
            _ = try? await round.value
            appStore.during.withLock { $0 = nil }
            #expect(try await appStore.list().map(\.state) == [.pending])
            #expect(try await appStore.settle() == 1)
            let sent = try #require(try await appStore.list().first)
            #expect(sent.attempts.map(\.sendAttemptResult) == [.success])
            let received = appStore.world.withLock(\.received)
            #expect(received.count == 2)
            #expect(Set(received).count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an attempt that two replicas give up is given up once, and its successor stays`(
        _ engine: Engine
    ) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put(.apple)
            appStore.happens(.purchased)
            let deliveries = appStore.service.deliveries
            let clock = try await deliveries.clock(of: TestAppStoreServer.bundleId)
            func begin() async throws -> DeliveryService.Begun? {
                try await deliveries.begin(TestAppStoreServer.bundleId, clock, limit: 8).first
            }
            func giveUp(_ attempt: DeliveryService.Begun) async throws {
                try await appStore.service.database.write { transaction in
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
            #expect(try await appStore.list().map(\.state) == [.delivered])
            #expect(try await appStore.list().map(\.attempts.count) == [1])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a payload is stored before it is posted, and each is signed once`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put()
            for number in 0..<50 { appStore.happens(.purchased, to: number % 10) }
            let stored = Locked<[Bool]>([])
            appStore.during.withLock { during in
                during = { payload in
                    let uuid = String(payload.split(separator: " ").last ?? "")
                    let request = NotificationRequest(
                        bundleId: TestAppStoreServer.bundleId, notificationUUID: uuid)
                    let found = try? await appStore.service.notifications.get(request, deadline: .now + .seconds(10))
                    stored.withLock { $0.append(found?.signedPayload == payload) }
                }
            }
            #expect(try await appStore.settle() == 50)
            appStore.during.withLock { $0 = nil }
            #expect(stored.withLock { $0 } == Array(repeating: true, count: 50))
            #expect(appStore.world.withLock { Array($0.signed.values) } == Array(repeating: 1, count: 50))
        }
    }

    @Test(arguments: Engine.allCases)
    func `the payload that was written first is posted, whatever another process has signed`(
        _ engine: Engine
    ) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let service = appStore.service
            appStore.happens(.purchased)
            _ = try await service.deliveries.clock(of: TestAppStoreServer.bundleId)
            let position = try #require(
                try await service.database.read { reader in
                    try await reader.queryOne("SELECT position FROM notification")?["position"] as Int64?
                })
            let late = try await service.notifications.signer.payloads(of: [position])
            appStore.world.withLock { $0.payloadBytes = 1_000 }
            let first = try await service.notifications.signer.payloads(of: [position])
            for payloads in [first, late] {
                try await service.database.write { try await NotificationRepository.keep(payloads, in: $0) }
            }
            #expect(first != late)
            try await appStore.put()
            let uuid = try #require(try await appStore.list().first).notificationUUID
            let request = NotificationRequest(bundleId: TestAppStoreServer.bundleId, notificationUUID: uuid)
            _ = try await service.notifications.resend(request, deadline: .now + .seconds(10))
            #expect(try await appStore.settle() == 1)
            #expect(appStore.world.withLock(\.received) == Array(first.values))
        }
    }

    @Test func `while the keys cannot be read nothing is begun, and all is sent afterwards`() async throws {
        try await TestAppStoreServer.with { appStore in
            try await appStore.put()
            for customer in 1...3 { appStore.happens(.purchased, to: customer) }
            appStore.world.withLock { $0.areKeysAway = true }
            await #expect(throws: StoreError.self) { try await appStore.settle() }
            #expect(try await appStore.list().map(\.attempts.count) == [0, 0, 0])
            appStore.world.withLock { $0.areKeysAway = false }
            #expect(try await appStore.settle() == 3)
        }
    }

    @Test func `while payment-queue is away what is there waits, because the clock is not known`() async throws {
        try await TestAppStoreServer.with { appStore in
            try await appStore.put()
            appStore.world.withLock { $0.isQueueAway = true }
            await #expect(throws: StoreError.self) { try await appStore.settle() }
            appStore.world.withLock { $0.isQueueAway = false }
            appStore.happens(.purchased)
            #expect(try await appStore.settle() == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `any outcomes, restarts and jumps: nothing is lost, nothing is made twice, and orders hold`(
        _ engine: Engine
    ) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        try await TestAppStoreServer.with(engine, margin: .milliseconds(-4_990)) { appStore in
            try await appStore.put(.apple)
            var happened = 0
            for day in 1...28 {
                appStore.jump(to: "2027-05-\(day < 10 ? "0" : "")\(day)T10:00:00.000Z")
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    appStore.happens(.purchased, to: Int.random(in: 1...3, using: &random))
                    happened += 1
                }
                let outcomes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    AttemptOutcome(SendAttemptResult.allCases.randomElement(using: &random) ?? .other)
                }
                appStore.world.withLock { $0.outcomes += outcomes }
                if Int.random(in: 0..<5, using: &random) == 0 {
                    let clock = try await appStore.service.deliveries.clock(of: TestAppStoreServer.bundleId)
                    _ = try await appStore.service.deliveries.begin(
                        TestAppStoreServer.bundleId, clock, limit: 2)
                    try await appStore.restart()
                    try await appStore.service.deliveries.releaseOwn()
                }
                try await appStore.settle()
            }
            appStore.world.withLock { $0.outcomes = [] }
            try await eventually("every claim has ended") {
                try await appStore.service.deliveries.endOverdue()
                appStore.jump(to: "2028-01-01T00:00:00.000Z")
                try await appStore.settle()
                return try await appStore.list().allSatisfy { [.delivered, .failed].contains($0.state) }
            }
            let made = try await appStore.list()
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
                let firsts = appStore.world.withLock(\.received)
                    .filter { $0.split(separator: " ")[1] == "\(customer)" && seen.insert($0).inserted }
                let order = made.filter { $0.account == "account\(customer)" }.map(\.notificationUUID)
                #expect(firsts.map { String($0.split(separator: " ")[3]) } == order, "seed \(seed)")
            }
        }
    }
}
