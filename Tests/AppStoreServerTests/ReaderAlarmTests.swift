import BusService
import EventLoop
import Logging
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import AppStoreServer

/// Goal: AppStoreServer says so when PaymentQueue's log does not continue behind its position, and goes on. It loses no
/// event and makes no notification twice.
@Suite(.serialized) struct ReaderAlarmTests {
    private func importOnce(_ appStore: TestAppStoreServer) async throws {
        _ = try await appStore.service.deliveries.clock(of: TestAppStoreServer.bundleId)
    }

    @Test(arguments: Engine.allCases, [PositionFault.ahead, .removed])
    func `a place that is refused is given up, and everything is read again without a second notification`(
        _ engine: Engine, _ fault: PositionFault
    ) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            try await appStore.put(.sandbox)
            for customer in 1...4 { appStore.happens(.purchased, to: customer) }
            appStore.happens(.purchased, .refunded, to: 1)
            try await appStore.settle()
            let before = try await appStore.list()
            #expect(before.count == 6)
            #expect(appStore.service.alarm.health == .pass)
            // Two more are in the log that does not know the place: one at a number of its own, one given twice.
            appStore.world.withLock { $0.now = $0.now + .seconds(60) }
            appStore.happens(.purchased, to: 5)
            appStore.world.withLock { world in
                var again = world.events[0]
                again.at = world.now
                world.events.insert(again, at: 1)
                world.fault = fault
            }
            try await importOnce(appStore)
            let health = appStore.service.alarm.health
            #expect(health.status == .fail)
            #expect(health.message?.contains("read again") == true, "\(health)")
            try await appStore.settle()
            let after = try await appStore.list()
            #expect(Set(after.map(\.notificationUUID)).isSuperset(of: before.map(\.notificationUUID)))
            #expect(after.count == before.count + 2)
            #expect(appStore.world.withLock { Set($0.received).count == $0.received.count })
            #expect(appStore.received.count == 8)
            // It is at the end again, and nothing is read a third time.
            appStore.happens(.purchased, to: 6)
            try await appStore.settle()
            #expect(appStore.received.count == 9)
        }
    }

    @Test(arguments: Engine.allCases)
    func `events of an isolated store that are read again make no second notification`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let app = IsolatedApp(shownBundleId: TestAppStoreServer.bundleId, number: 7, seed: 42)
            for _ in 0..<3 { appStore.happens(.purchased, to: 1) }
            appStore.world.withLock { world in
                for index in world.events.indices {
                    world.events[index].bundleId = app.bundleId
                    world.events[index].appTransactionIdentifier = "7000000000004200001"
                }
            }
            try await importOnce(appStore)
            func uuids() async throws -> [String] {
                try await appStore.list { $0.bundleId = app.bundleId }.map(\.notificationUUID)
            }
            let before = try await uuids()
            #expect(before.count == 3)
            appStore.world.withLock { $0.fault = .ahead }
            try await importOnce(appStore)
            #expect(try await uuids() == before)
            #expect(appStore.service.alarm.health.status == .fail)
        }
    }

    @Test func `of two replicas that are refused each goes on, and one of them writes`() async throws {
        try await TestAppStoreServer.with(.postgres) { appStore in
            try await appStore.put(.sandbox)
            for customer in 1...5 { appStore.happens(.purchased, to: customer) }
            try await appStore.settle()
            let first = appStore.service
            let second = try await appStore.start()
            appStore.happens(.purchased, to: 6)
            appStore.world.withLock { $0.fault = .ahead }
            async let one = first.deliveries.clock(of: TestAppStoreServer.bundleId)
            async let two = second.deliveries.clock(of: TestAppStoreServer.bundleId)
            _ = try await (one, two)
            #expect([first, second].contains { $0.alarm.health.status == .fail })
            try await appStore.settle()
            #expect(appStore.received.sorted() == (1...6).map { "ONE_TIME_CHARGE \($0)" })
        }
    }

    @Test func `the check fails until the log is read, and a minute more; then it warns for an hour`() {
        let now = Locked(ContinuousClock.now)
        let log = LogCapture()
        let alarm = ReaderAlarm(logger: Logger(label: "app-store-server") { _ in log.handler() }) {
            now.withLock { $0 }
        }
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
