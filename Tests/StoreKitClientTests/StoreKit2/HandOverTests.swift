import Foundation
import Testing

@testable import StoreKitClient

/// Goal: what listens to the default queue before a test's session hears the session's store.
@Suite struct HandOverTests {
    private func core() throws -> QueueCore {
        let nowhere = try #require(URL(string: "http://127.0.0.1:9"))
        let connection = StoreConnection(gateway: nowhere, bundleId: "none", deviceId: "none", account: "none")
        return QueueCore(connection, timing: ClientTiming())
    }

    @Test func `an iterator that begins at a core that was handed over listens to the next one`() throws {
        let (former, next, last) = (try core(), try core(), try core())
        let early = former.listen(\.storefronts)
        former.handOver(to: next)
        let late = former.listen(\.storefronts)
        next.handOver(to: last)
        let latest = former.listen(\.storefronts)
        for gone in [former, next] {
            let isEmpty = gone.state.withLock { $0.listeners.isEmpty }
            #expect(isEmpty)
        }
        let count = last.state.withLock { $0.listeners.storefronts.count }
        #expect(count == 3)
        withExtendedLifetime([early, late, latest]) {}
    }
}
