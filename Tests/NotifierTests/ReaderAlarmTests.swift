import BusService
import EventLoop
import Logging
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import Notifier

/// Goal: a notifier that PaymentQueue's log does not continue behind says so, and goes on without losing an event or
/// making a notification twice.
@Suite(.serialized) struct ReaderAlarmTests {
    private func importOnce(_ notifier: TestNotifier) async throws {
        _ = try await notifier.service.deliveries.clock(of: TestNotifier.bundleId)
    }

    @Test(arguments: Engine.allCases, [PositionFault.ahead, .removed])
    func `a place that is refused is given up, and everything is read again without a second notification`(
        _ engine: Engine, _ fault: PositionFault
    ) async throws {
        try await TestNotifier.with(engine) { notifier in
            try await notifier.put(.sandbox)
            for customer in 1...4 { notifier.happens(.purchased, to: customer) }
            notifier.happens(.purchased, .refunded, to: 1)
            try await notifier.settle()
            let before = try await notifier.list()
            #expect(before.count == 6)
            #expect(notifier.service.alarm.health == .pass)
            // Two more are in the log that does not know the place: one at a number of its own, one given twice.
            notifier.world.withLock { $0.now = $0.now + .seconds(60) }
            notifier.happens(.purchased, to: 5)
            notifier.world.withLock { world in
                var again = world.events[0]
                again.at = world.now
                world.events.insert(again, at: 1)
                world.fault = fault
            }
            try await importOnce(notifier)
            let health = notifier.service.alarm.health
            #expect(health.status == .fail)
            #expect(health.message?.contains("read again") == true, "\(health)")
            try await notifier.settle()
            let after = try await notifier.list()
            #expect(Set(after.map(\.notificationUUID)).isSuperset(of: before.map(\.notificationUUID)))
            #expect(after.count == before.count + 2)
            #expect(notifier.world.withLock { Set($0.received).count == $0.received.count })
            #expect(notifier.received.count == 8)
            // It is at the end again, and nothing is read a third time.
            notifier.happens(.purchased, to: 6)
            try await notifier.settle()
            #expect(notifier.received.count == 9)
        }
    }

    @Test(arguments: Engine.allCases)
    func `events of an isolated store that are read again make no second notification`(_ engine: Engine) async throws {
        try await TestNotifier.with(engine) { notifier in
            let app = IsolatedApp(shownBundleId: TestNotifier.bundleId, number: 7, seed: 42)
            for _ in 0..<3 { notifier.happens(.purchased, to: 1) }
            notifier.world.withLock { world in
                for index in world.events.indices {
                    world.events[index].bundleId = app.bundleId
                    world.events[index].appTransactionIdentifier = "7000000000004200001"
                }
            }
            try await importOnce(notifier)
            func uuids() async throws -> [String] {
                try await notifier.list { $0.bundleId = app.bundleId }.map(\.notificationUUID)
            }
            let before = try await uuids()
            #expect(before.count == 3)
            notifier.world.withLock { $0.fault = .ahead }
            try await importOnce(notifier)
            #expect(try await uuids() == before)
            #expect(notifier.service.alarm.health.status == .fail)
        }
    }

    @Test func `of two replicas that are refused each goes on, and one of them writes`() async throws {
        try await TestNotifier.with(.postgres) { notifier in
            try await notifier.put(.sandbox)
            for customer in 1...5 { notifier.happens(.purchased, to: customer) }
            try await notifier.settle()
            let first = notifier.service
            let second = try await notifier.start()
            notifier.happens(.purchased, to: 6)
            notifier.world.withLock { $0.fault = .ahead }
            async let one = first.deliveries.clock(of: TestNotifier.bundleId)
            async let two = second.deliveries.clock(of: TestNotifier.bundleId)
            _ = try await (one, two)
            #expect([first, second].contains { $0.alarm.health.status == .fail })
            try await notifier.settle()
            #expect(notifier.received.sorted() == (1...6).map { "ONE_TIME_CHARGE \($0)" })
        }
    }

    @Test func `the check fails until the log is read, and a minute more; then it warns for an hour`() {
        let now = Locked(ContinuousClock.now)
        let log = LogCapture()
        let alarm = ReaderAlarm(logger: Logger(label: "notifier") { _ in log.handler() }) { now.withLock { $0 } }
        func status(after time: Duration) -> HealthStatus {
            now.withLock { $0 = $0 + time }
            return alarm.health.status
        }
        alarm.readToEnd()
        #expect(alarm.health == .pass)
        alarm.raise(.ahead, at: "v_1")
        #expect(status(after: .seconds(100_000)) == .fail)
        alarm.readToEnd()
        #expect(status(after: .seconds(59)) == .fail)
        #expect(status(after: .seconds(1)) == .warn)
        #expect(status(after: .seconds(3_539)) == .warn)
        #expect(status(after: .seconds(1)) == .pass)
        alarm.raise(.removed, at: "v_2")
        #expect(alarm.health.message?.contains("had not read (v_2)") == true)
        #expect(log.all.contains { $0.hasPrefix("error payment-queue has removed events") })
    }
}
