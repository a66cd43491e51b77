#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `/subsz`: subscriptions and the memory of routes, with nats-server's field names.
struct Subsz: Encodable {
    let serverId: String
    let now: Date
    let numSubscriptions: Int
    let numInbox: Int
    let numCache: Int
    let numInserts: Int
    let numRemoves: Int
    let numMatches: Int
    let cacheHitRate: Double
}

extension Subsz {
    init(_ core: BrokerCore) {
        serverId = core.identity.id
        now = MonitorJSON.date(core.time())
        numSubscriptions = core.subscriptionCount
        numInbox = core.subscriptionCount - core.router.subscriptionCount
        numCache = core.router.rememberedCount
        numInserts = core.router.inserts
        numRemoves = core.router.removes
        numMatches = core.router.matches
        cacheHitRate = numMatches == 0 ? 0 : Double(core.router.hits) / Double(numMatches)
    }
}
