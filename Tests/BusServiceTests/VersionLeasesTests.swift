import BusClient
import EventLoop
import StoreModels
import StorebusTesting
import Testing

@testable import BusService

/// Goal: a reader requests a version once while its lease holds, and again after a recall that it has acknowledged.
/// Method: an owner in the test's hand, and recalls over a bus inside the process.
@Suite struct VersionLeasesTests {
    private final class Owner: Sendable {
        struct State {
            var version: Int64 = 1
            var holders: [String?] = []
        }

        let state = Locked(State())

        var holders: [String?] { state.withLock { $0.holders } }

        func lease(_ holder: String?) -> LeasedVersion<TestersVersion> {
            let version = state.withLock { state in
                state.holders.append(holder)
                return state.version
            }
            return LeasedVersion(version: TestersVersion(version: version), isLeased: holder != nil)
        }
    }

    private let bus = InMemoryBus()
    private let owner = Owner()
    private let later = ContinuousClock.now + .seconds(60)

    private func reader() -> VersionLeases<TestersVersion> {
        VersionLeases(of: .catalog, on: bus.client(name: "reader")) { [owner] (_, holder, _) async throws(StoreError) in
            owner.lease(holder)
        }
    }

    /// Runs `body` while recalls arrive, with the reader's name.
    private func withHolder(
        _ reader: VersionLeases<TestersVersion>, forgotten: Locked<[String?]> = Locked([]),
        _ body: (_ holder: String) async throws -> Void
    ) async throws {
        let recalls = reader.recalls { bundleId in forgotten.withLock { $0.append(bundleId) } }
        let receiving = Task { await recalls.run() }
        let result: Result<Void, any Error>
        do {
            try await eventually("the reader holds a lease") {
                _ = try await reader.version(of: "app", until: later)
                // The second time is that of the connection.
                return forgotten.withLock { $0.count } >= 2 && reader.held("app") != nil
            }
            result = .success(try await body(try #require(owner.holders.last ?? nil)))
        } catch {
            result = .failure(error)
        }
        receiving.cancel()
        await receiving.value
        try result.get()
    }

    @Test func `without recalls each version is requested, without a lease`() async throws {
        let reader = reader()
        for _ in 0..<3 { #expect(try await reader.version(of: "app", until: later).version == 1) }
        #expect(reader.held("app") == nil && reader.heldOrRequested("app") == nil)
        #expect(owner.holders == [nil, nil, nil])
    }

    @Test func `a recall is acknowledged when its lease is over, and the next version is requested`() async throws {
        let (reader, forgotten) = (reader(), Locked<[String?]>([]))
        try await withHolder(reader, forgotten: forgotten) { holder in
            owner.state.withLock { $0.version = 2 }
            forgotten.withLock { $0 = [] }
            _ = try await bus.client(name: "owner").request(
                VersionLease.recalled(by: .catalog, holder: holder),
                body: try StoreJSON.encode(LeaseRecalled(bundleId: "app")))
            #expect(reader.held("app") == nil)
            #expect(forgotten.withLock { $0 } == ["app"])
            #expect(try await reader.version(of: "app", until: later).version == 2)
            #expect(owner.holders.last == holder)
            // To all processes, also those that the owner has forgotten.
            owner.state.withLock { $0.version = 3 }
            #expect(
                await bus.client(name: "owner").recallLease(
                    of: VersionLease.everyone, by: .catalog, LeaseRecalled(bundleId: nil), timeout: .zero))
            try await eventually("everyone has heard of it") { forgotten.withLock { $0 } == ["app", nil] }
            #expect(try await reader.version(of: "app", until: later).version == 3)
        }
        // A reader that has stopped hears nothing, so it holds nothing.
        #expect(reader.held("app") == nil)
        #expect(try await reader.version(of: "app", until: later).version == 3)
        #expect(owner.holders.last == .some(nil))
    }
}
