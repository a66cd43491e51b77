import AppAPI
import BusClient
import GatewayEdge
import OperatorAPI
import ServiceLifecycle

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
        let subscription = try? await hub.listen()
        // Sleeps until the process stops.
        while (try? await Task.sleep(for: .seconds(3600))) != nil {}
        await subscription?.unsubscribe()
    }

    private func tickEachSecond() async {
        for await _ in hub.opened {
            while hub.hasStreams, (try? await Task.sleep(for: DeliveryLimits.headsInterval)) != nil {
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
