import BusClient
import ServiceLifecycle
import StoreModels

/// Runs live delivery. It ticks each second and as soon as the bus is back, and receives launches that other gateways
/// announce. When the process stops, streams and waiting requests end first, so that the server can drain.
struct DeliveryService: Service {
    let hub: DeliveryHub
    let waits: EventWaits

    func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await listen() }
                group.addTask { await tickEachSecond() }
                group.addTask { await tickOnReconnect() }
                // `gracefulShutdown` throws only when this task is cancelled, which ends it too.
                try? await gracefulShutdown()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            hub.stop()
            waits.stop()
        }
    }

    private func listen() async {
        let subscription = try? await hub.bus.subscribe(SessionOpened.subject) { [hub] message in
            guard let opened = try? StoreJSON.decode(SessionOpened.self, from: message.body) else { return }
            hub.receive(opened)
        }
        // Sleeps until the process stops.
        while (try? await Task.sleep(for: .seconds(3600))) != nil {}
        await subscription?.unsubscribe()
    }

    private func tickEachSecond() async {
        while (try? await Task.sleep(for: DeliveryLimits.headsInterval)) != nil { await hub.tick(now: .now) }
    }

    /// Messages published while the bus was away are lost; the heads show which customers they concern.
    private func tickOnReconnect() async {
        var wasConnected = true
        for await state in hub.bus.states {
            if state == .connected && !wasConnected { await hub.tick(now: .now) }
            wasConnected = state == .connected
            if Task.isCancelled { return }
        }
    }
}

/// The bounds of live delivery.
enum DeliveryLimits {
    /// Bytes that may wait for one observer. At the bound its connection is cut; no event is lost, because the next
    /// stream begins with everything unfinished.
    static let pendingBytesMax = 8 * 1024 * 1024
    /// How long the reader may take no byte during a write before the connection is cut.
    static let stallMax = Duration.seconds(5)
    /// How often a comment is sent, so that both sides notice a broken connection.
    static let commentInterval = Duration.seconds(15)
    /// How often the heads of all open customers are read.
    static let headsInterval = Duration.seconds(1)
    /// How long a stream waits for pending purchases that began in the store. After that it opens without them.
    static let intentsPatience = Duration.seconds(1)
    /// Streams of one gateway; further ones get 503.
    static let streamsMax = 20_000
    /// Streams of one installation; further ones get 429. One app has one observer, and a few that are closing.
    static let streamsPerInstallationMax = 10
    /// Installations whose newest session is remembered, and sessions whose last storefront is. At the bound all are
    /// dropped: then an older session's stream may stay open, or a storefront may be sent twice.
    static let sessionsRememberedMax = 65_536
}
