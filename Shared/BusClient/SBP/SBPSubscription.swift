/// A subscription of an ``SBPClient``, across its connections.
struct SBPSubscription: BusSubscription {
    let client: SBPClient
    let sid: Int

    func unsubscribe() async { await client.unsubscribe(sid) }
}
