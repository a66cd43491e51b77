import BusService
import EventLoop
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import AppStoreServer

/// Goal: operators, apps' servers and listeners see every notification with its attempts, and can have it again.
@Suite(.serialized) struct NotificationServiceTests {
    /// A deadline that a loaded machine keeps.
    private static let soon: Duration = .seconds(60)
    private static let app = AppRequest(bundleId: TestAppStoreServer.bundleId)

    private func code(_ body: () async throws -> Void) async throws -> StoreErrorCode? {
        do {
            try await body()
            return nil
        } catch let error as StoreError {
            return error.code
        }
    }

    // MARK: Lists

    @Test(arguments: Engine.allCases)
    func `a list has filters and pages, newest first`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put(.sandbox)
            appStore.world.withLock { $0.outcomes = [AttemptOutcome(.timedOut)] }
            appStore.happens(.purchased, to: 1)
            appStore.happens(.subscribed, to: 2)
            appStore.happens(.refunded, to: 1)
            try await appStore.settle()
            #expect(try await appStore.list().map(\.notificationType) == [.oneTimeCharge, .subscribed, .refund])
            #expect(try await appStore.list { $0.notificationType = .refund }.count == 1)
            #expect(try await appStore.list { $0.subtype = .initialBuy }.count == 1)
            #expect(try await appStore.list { $0.account = "account1" }.count == 2)
            #expect(try await appStore.list { $0.state = .failed }.count == 1)
            #expect(try await appStore.list { $0.bundleId = "com.example.other" }.isEmpty)
            #expect(try await appStore.list().allSatisfy { $0.signedPayload == nil })
            let service = appStore.service.notifications
            let first = try await service.list(NotificationsRequest(bundleId: TestAppStoreServer.bundleId, limit: 2))
            #expect(first.notifications.map(\.notificationType) == [.refund, .subscribed])
            let rest = try await service.list(
                NotificationsRequest(bundleId: TestAppStoreServer.bundleId, after: first.after, limit: 2))
            #expect(rest.notifications.map(\.notificationType) == [.oneTimeCharge])
            #expect(rest.after == nil)
            for (after, limit) in [("x", 10), (nil, 0), (nil, 101)] as [(String?, Int)] {
                let refused = try await code {
                    _ = try await service.list(
                        NotificationsRequest(bundleId: TestAppStoreServer.bundleId, after: after, limit: limit))
                }
                #expect(refused == .requestInvalid)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `the history has what was tried, oldest first, with its payload`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            appStore.happens(.purchased, to: 9)
            _ = try await appStore.service.deliveries.clock(of: TestAppStoreServer.bundleId)
            try await appStore.put(.apple)
            appStore.world.withLock { $0.outcomes = [AttemptOutcome(.timedOut)] }
            for customer in 1...3 { appStore.happens(.purchased, to: customer) }
            try await appStore.settle()
            let service = appStore.service.notifications
            var request = NotificationHistoryRequest(
                bundleId: TestAppStoreServer.bundleId, startDate: Timestamp("2027-03-01T10:00:00.000Z")!,
                endDate: Timestamp("2027-03-02T00:00:00.000Z")!, limit: 2)
            let first = try await service.history(request)
            #expect(first.notifications.map(\.account) == ["account1", "account2"])
            #expect(first.notifications.allSatisfy { $0.signedPayload != nil && $0.attempts.count == 1 })
            request.after = first.after
            #expect(try await service.history(request).notifications.map(\.account) == ["account3"])
            request.after = nil
            request.onlyFailures = true
            #expect(try await service.history(request).notifications.count == 1)
            request.onlyFailures = false
            request.customerIdentifier = "c_3"
            #expect(try await service.history(request).notifications.map(\.account) == ["account3"])
            request.customerIdentifier = nil
            request.notificationType = .refund
            #expect(try await service.history(request).notifications.isEmpty)
            request.notificationType = nil
            request.startDate = Timestamp("2027-03-01T10:00:00.001Z")!
            #expect(try await service.history(request).notifications.isEmpty)
            request.after = "x"
            #expect(try await code { _ = try await service.history(request) } == .requestInvalid)
        }
    }

    @Test func `a notification that was never sent is signed when an operator reads it`() async throws {
        try await TestAppStoreServer.with { appStore in
            appStore.happens(.purchased)
            _ = try await appStore.service.deliveries.clock(of: TestAppStoreServer.bundleId)
            let listed = try #require(try await appStore.list().first)
            let service = appStore.service.notifications
            let request = NotificationRequest(
                bundleId: TestAppStoreServer.bundleId, notificationUUID: listed.notificationUUID)
            let first = try await service.get(request, deadline: .now + Self.soon)
            let payload = try #require(first.signedPayload)
            #expect(try await service.get(request, deadline: .now + Self.soon).signedPayload == payload)
            var foreign = request
            foreign.bundleId = "com.example.other"
            #expect(try await code { _ = try await service.get(foreign, deadline: .now + Self.soon) } == .notFound)
        }
    }

    // MARK: Test, resend and trigger

    @Test func `a test notification needs an endpoint and is sent like any other`() async throws {
        try await TestAppStoreServer.with { appStore in
            let service = appStore.service.notifications
            #expect(
                try await code { _ = try await service.test(Self.app, deadline: .now + Self.soon) } == .notFound)
            try await appStore.put(.sandbox)
            let made = try await service.test(Self.app, deadline: .now + Self.soon)
            #expect(made.at == appStore.world.withLock(\.now))
            try await appStore.settle()
            #expect(appStore.received == ["TEST -"])
            #expect(try await appStore.list().map(\.notificationUUID) == [made.notificationUUID])
        }
    }

    @Test func `a notification is sent again on request, the same bytes, whatever became of it`() async throws {
        try await TestAppStoreServer.with { appStore in
            let service = appStore.service.notifications
            appStore.happens(.purchased)
            _ = try await appStore.service.deliveries.clock(of: TestAppStoreServer.bundleId)
            let uuid = try #require(try await appStore.list().first).notificationUUID
            let request = NotificationRequest(bundleId: TestAppStoreServer.bundleId, notificationUUID: uuid)
            #expect(try await code { _ = try await service.resend(request, deadline: .now + Self.soon) } == .notFound)
            for (number, result) in [SendAttemptResult.timedOut, .success, .timedOut].enumerated() {
                try await appStore.put(.sandbox, url: "http://localhost:\(number + 1)/")
                appStore.world.withLock { $0.outcomes = [AttemptOutcome(result)] }
                _ = try await service.resend(request, deadline: .now + Self.soon)
                #expect(try await appStore.settle() == 1)
            }
            let sent = try await service.get(request, deadline: .now + Self.soon)
            #expect(sent.attempts.map(\.sendAttemptResult) == [.timedOut, .success, .timedOut])
            #expect(sent.attempts.map(\.url) == ["http://localhost:1/", "http://localhost:2/", "http://localhost:3/"])
            // It was delivered, and an attempt after it changes nothing about that.
            #expect(sent.state == .delivered)
            #expect(Set(appStore.world.withLock(\.received)).count == 1)
        }
    }

    @Test func `a trigger is signed at once, and one that cannot be signed leaves nothing`() async throws {
        try await TestAppStoreServer.with { appStore in
            try await appStore.put(.sandbox)
            let service = appStore.service.notifications
            func request(_ type: NotificationType, _ subtype: NotificationSubtype?) -> TriggerNotificationRequest {
                TriggerNotificationRequest(
                    draft: NotificationDraft(
                        bundleId: TestAppStoreServer.bundleId, notificationUUID: "", notificationType: type,
                        subtype: subtype, signedDate: Timestamp(milliseconds: 0)),
                    customerIdentifier: "c_1", account: "alice")
            }
            let made = try await service.trigger(request(.expired, .voluntary), deadline: .now + Self.soon)
            #expect(made.signedPayload?.hasPrefix("EXPIRED.VOLUNTARY") == true)
            #expect(made.account == "alice")
            try await appStore.settle()
            #expect(appStore.received == ["EXPIRED.VOLUNTARY -"])
            #expect(
                try await code {
                    _ = try await service.trigger(request(.refund, .voluntary), deadline: .now + Self.soon)
                } == .requestInvalid)
            appStore.world.withLock { $0.areKeysAway = true }
            #expect(
                try await code {
                    _ = try await service.trigger(request(.refund, nil), deadline: .now + Self.soon)
                } == .serviceUnavailable)
            #expect(try await appStore.list().count == 1)
        }
    }

    // MARK: Settled

    @Test func `settled waits for what is due, and not for what is due later`() async throws {
        try await TestAppStoreServer.with { appStore in
            let service = appStore.service.notifications
            func settled() async throws -> NotificationsSettled {
                try await service.settled(
                    NotificationsSettledRequest(bundleId: TestAppStoreServer.bundleId, waitMs: 0),
                    deadline: .now + Self.soon)
            }
            try await appStore.put(.apple)
            appStore.happens(.purchased, to: 1)
            appStore.happens(.purchased, to: 2)
            #expect(try await settled() == NotificationsSettled(settled: false, pending: 2, made: 2, delivered: 0))
            appStore.world.withLock { $0.outcomes = [AttemptOutcome(.timedOut)] }
            try await appStore.settle()
            #expect(try await settled() == NotificationsSettled(settled: true, pending: 0, made: 2, delivered: 1))
            appStore.jump(to: "2027-03-02T10:00:00.000Z")
            #expect(try await settled().pending == 1)
            appStore.world.withLock { $0.nextEvent = Timestamp("2027-03-01T12:00:00.000Z") }
            try await appStore.settle()
            #expect(try await settled().settled == false)
            let refused = try await code {
                _ = try await service.settled(
                    NotificationsSettledRequest(bundleId: TestAppStoreServer.bundleId, waitMs: -1),
                    deadline: .now + Self.soon)
            }
            #expect(refused == .requestInvalid)
        }
    }

    // MARK: Leases

    @Test(arguments: Engine.allCases)
    func `a listener leases, reports, and gets what it did not report again`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine, margin: .milliseconds(-4_900)) { appStore in
            try await appStore.put(.fast, url: NotificationEndpoint.listen)
            for customer in 1...3 { appStore.happens(.purchased, to: customer) }
            let service = appStore.service.leases
            func lease(_ max: Int = 8) async throws -> [LeaseNotificationsReply.Attempt] {
                try await service.lease(
                    LeaseNotificationsRequest(bundleId: TestAppStoreServer.bundleId, max: max, waitMs: 0),
                    deadline: .now + Self.soon
                ).attempts
            }
            // AppStoreServer itself sends nothing.
            #expect(try await appStore.settle() == 0)
            let two = try await lease(2)
            #expect(two.map(\.notificationType) == [.oneTimeCharge, .oneTimeCharge])
            #expect(try await lease().count == 1)
            #expect(try await lease().isEmpty)
            var report = ReportAttemptRequest(
                bundleId: TestAppStoreServer.bundleId, attemptIdentifier: two[0].attemptIdentifier,
                sendAttemptResult: .success)
            report.httpStatus = 204
            _ = try await service.report(report)
            _ = try await service.report(report)
            try await eventually("the leases end") {
                try await appStore.service.deliveries.endOverdue()
                return try await appStore.list { $0.state = .retrying }.count == 2
            }
            // Too late.
            _ = try await service.report(
                ReportAttemptRequest(
                    bundleId: TestAppStoreServer.bundleId, attemptIdentifier: two[1].attemptIdentifier,
                    sendAttemptResult: .success))
            let waiting = try await appStore.list { $0.state = .retrying }
            #expect(waiting.map { $0.attempts.first?.sendAttemptResult } == [.noResponse, .noResponse])
            #expect(try await lease().isEmpty)
            appStore.world.withLock { $0.wall = $0.wall + .seconds(1) }
            let again = try await lease()
            #expect(
                Set(again.map(\.signedPayload)).isSubset(
                    of: Set(
                        waiting.map(\.notificationUUID).map { uuid in
                            again.first { $0.notificationUUID == uuid }?.signedPayload ?? ""
                        })))
            #expect(again.count == 2)
            let delivered = try await appStore.list { $0.state = .delivered }
            #expect(delivered.first?.attempts.first?.httpStatus == 204)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a lease has what fits into a reply, and no attempt of what does not is counted`(
        _ engine: Engine
    ) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put(.sandbox, url: NotificationEndpoint.listen)
            // Four of them do not fit.
            appStore.world.withLock { $0.payloadBytes = 150_000 }
            for customer in 1...7 { appStore.happens(.purchased, to: customer) }
            var leased: [Int] = []
            for _ in 1...4 {
                let reply = try await appStore.service.leases.lease(
                    LeaseNotificationsRequest(bundleId: TestAppStoreServer.bundleId, max: 32, waitMs: 0),
                    deadline: .now + Self.soon)
                leased.append(reply.attempts.count)
                #expect(try StoreJSON.encode(reply).count <= BusServiceLimits.replyBytesMax)
                for attempt in reply.attempts {
                    _ = try await appStore.service.leases.report(
                        ReportAttemptRequest(
                            bundleId: TestAppStoreServer.bundleId, attemptIdentifier: attempt.attemptIdentifier,
                            sendAttemptResult: .success))
                }
            }
            #expect(leased == [3, 3, 1, 0])
            let made = try await appStore.list()
            #expect(made.allSatisfy { $0.state == .delivered && $0.attempts.count == 1 })
        }
    }

    @Test(arguments: Engine.allCases)
    func `a lease that nobody waits for any more is given back, and not counted`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put(.sandbox, url: NotificationEndpoint.listen)
            appStore.happens(.purchased)
            func lease(_ deadline: ContinuousClock.Instant) async throws -> Int {
                try await appStore.service.leases.lease(
                    LeaseNotificationsRequest(bundleId: TestAppStoreServer.bundleId, max: 8, waitMs: 0),
                    deadline: deadline
                ).attempts.count
            }
            #expect(try await code { _ = try await lease(.now) } == .deadlineExceeded)
            #expect(try await appStore.list().map(\.attempts) == [[]])
            #expect(try await lease(.now + Self.soon) == 1)
            #expect(try await appStore.list().map(\.attempts.count) == [1])
        }
    }

    @Test(arguments: Engine.allCases)
    func `what a listener reports of a response is kept as printable text`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put(.sandbox, url: NotificationEndpoint.listen)
            appStore.happens(.purchased)
            let leased = try await appStore.service.leases.lease(
                LeaseNotificationsRequest(bundleId: TestAppStoreServer.bundleId, max: 8, waitMs: 0),
                deadline: .now + Self.soon)
            let attempt = try #require(leased.attempts.first)
            var report = ReportAttemptRequest(
                bundleId: TestAppStoreServer.bundleId, attemptIdentifier: attempt.attemptIdentifier,
                sendAttemptResult: .unsuccessfulResponse)
            report.bodyStart = "\u{1F}\u{8B}\u{0}" + String(repeating: "x", count: 1_000)
            _ = try await appStore.service.leases.report(report)
            let attempts = try await appStore.list().flatMap(\.attempts)
            let kept = try #require(attempts.first?.bodyStart)
            #expect(kept.hasPrefix("\u{FFFD}\u{FFFD}\u{FFFD}xxx"))
            #expect(kept.utf8.count == PrintableText.bytesMax)
        }
    }

    @Test func `leases of another endpoint, and reports of no attempt, are refused`() async throws {
        try await TestAppStoreServer.with { appStore in
            let service = appStore.service.leases
            func lease(_ max: Int, _ wait: Int) async throws -> StoreErrorCode? {
                try await code {
                    _ = try await service.lease(
                        LeaseNotificationsRequest(bundleId: TestAppStoreServer.bundleId, max: max, waitMs: wait),
                        deadline: .now + Self.soon)
                }
            }
            #expect(try await lease(1, 0) == .transactionStateInvalid)
            try await appStore.put()
            #expect(try await lease(1, 0) == .transactionStateInvalid)
            #expect(try await lease(0, 0) == .requestInvalid)
            #expect(try await lease(33, 0) == .requestInvalid)
            #expect(try await lease(1, 20_001) == .requestInvalid)
            let refused = try await code {
                _ = try await service.report(
                    ReportAttemptRequest(
                        bundleId: TestAppStoreServer.bundleId, attemptIdentifier: "n_1", sendAttemptResult: .success))
            }
            #expect(refused == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `stores of equal seeds have equal UUIDs, and each shows its own notification`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let service = appStore.service.notifications
            let apps = [7, 8].map {
                IsolatedApp(shownBundleId: TestAppStoreServer.bundleId, number: $0, seed: 42).bundleId
            }
            for app in apps { appStore.happens(.purchased, of: app) }
            appStore.world.withLock { $0.events[1].changes = $0.events[0].changes }
            _ = try await appStore.service.deliveries.clock(of: TestAppStoreServer.bundleId)
            let uuid = try #require(try await appStore.list { $0.bundleId = apps[0] }.first).notificationUUID
            #expect(try await appStore.list { $0.bundleId = apps[1] }.map(\.notificationUUID) == [uuid])
            for app in apps {
                let request = NotificationRequest(bundleId: app, notificationUUID: uuid)
                let found = try await service.get(request, deadline: .now + Self.soon)
                #expect(found.bundleId == app)
                #expect(found.signedPayload?.hasSuffix(uuid) == true)
            }
            let removal = AppStoreDataRemoval(database: appStore.service.database)
            _ = try await removal.remove(RemoveAppRequest(bundleId: apps[0]))
            #expect(try await appStore.list { $0.bundleId = apps[0] }.isEmpty)
            #expect(try await appStore.list { $0.bundleId = apps[1] }.map(\.notificationUUID) == [uuid])
        }
    }

    // MARK: Endpoints

    @Test(arguments: Engine.allCases)
    func `an endpoint is kept as it was given, and replaced`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            #expect(try await appStore.service.endpoints.get(Self.app).endpoint == nil)
            try await appStore.put(.apple, url: "http://localhost:1/a?b=%20c")
            try await appStore.restart()
            let kept = try #require(try await appStore.service.endpoints.get(Self.app).endpoint)
            #expect(kept.url == "http://localhost:1/a?b=%20c")
            #expect(kept.timeoutMs == 5_000)
            for timeout in [99, 60_001] {
                #expect(try await code { try await appStore.put { $0.timeoutMs = timeout } } == .requestInvalid)
            }
            #expect(try await code { try await appStore.put(url: "http://169.254.169.254/") } == .urlInvalid)
            #expect(try await appStore.service.endpoints.get(Self.app).endpoint == kept)
            _ = try await appStore.service.endpoints.delete(Self.app)
            #expect(try await appStore.service.endpoints.get(Self.app).endpoint == nil)
        }
    }
}
