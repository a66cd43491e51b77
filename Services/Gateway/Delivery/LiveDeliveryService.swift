import BusClient
import ServiceLifecycle
import StoreModels

/// Runs live delivery. It ticks each second while a stream is open, and after each reconnection of the bus. It receives
/// launches that other gateways announce. When the process stops, streams and waiting requests end first, so that the
/// server can drain.
struct LiveDeliveryService: Service {
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
        for await _ in hub.opened {
            while !hub.streams.isEmpty, (try? await Task.sleep(for: DeliveryLimits.headsInterval)) != nil {
                await hub.tick(now: .now)
            }
        }
    }

    /// Ticks after a reconnect. Messages published while the bus was away are lost, and the heads show which customers
    /// they concern.
    private func tickOnReconnect() async {
        var wasConnected = true
        for await state in hub.bus.states {
            if state == .connected && !wasConnected { await hub.tick(now: .now) }
            wasConnected = state == .connected
            if Task.isCancelled { return }
        }
    }
}

/// The limits of live delivery.
enum DeliveryLimits {
    /// Maximum number of bytes waiting for one observer. At the bound its connection is cut. No event is lost, because
    /// the next stream begins with every unfinished transaction.
    static let pendingBytesMax = 8 * 1024 * 1024
    /// The interval of comments, by which both sides detect a broken connection.
    static let commentInterval = Duration.seconds(15)
    /// The interval at which the heads of all open customers are read.
    static let headsInterval = Duration.seconds(1)
    /// The longest time a stream waits for pending purchase intents. After that it opens without them.
    static let intentsTimeout = Duration.seconds(1)
    /// The longest time a read of the operator's stream waits for a service. After it the service counts as away.
    static let eventsTimeout = Duration.seconds(2)
    /// Maximum number of streams of one gateway. Further ones get 503.
    static let streamsMax = 20_000
    /// Maximum number of streams of one installation. Further ones get 429. An app has one stream, and perhaps a few
    /// that are closing.
    static let streamsPerInstallationMax = 10
    /// Maximum number of remembered newest sessions, and of remembered storefronts. At the bound all are dropped: then
    /// an older session's stream may stay open, or a storefront may be sent twice.
    static let sessionsRememberedMax = 65_536
}
