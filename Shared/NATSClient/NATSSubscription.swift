import BusClient

/// A subscription of a ``NATSClient``, across its connections.
struct NATSSubscription: BusSubscription {
    let client: NATSClient
    let sid: Int

    func unsubscribe() async { await client.unsubscribe(sid) }
}
