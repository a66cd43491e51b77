/// A subscription of an ``InMemoryClient``.
struct InMemorySubscription: BusSubscription {
    let bus: InMemoryBus
    let id: Int

    func unsubscribe() async {
        bus.remove(id)
        await bus.barrier()
    }
}

extension InMemoryBus {
    /// Returns when every delivery that was queued before has been handled.
    func barrier() async {
        await withCheckedContinuation { continuation in
            enqueue { continuation.resume() }
        }
    }
}
