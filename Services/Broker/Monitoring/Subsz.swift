#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `/subsz`: subscriptions and the cache of routes, with nats-server's field names.
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
    /// The number of subscriptions in the complete list. 0 without a list.
    let total: Int
    let offset: Int
    let limit: Int
    /// The page of the list, with `?subs=1` only.
    var subscriptionsList: [Connz.SubscriptionDetail]?
}

extension Subsz {
    /// - Parameter query: `?subs=1&offset=&limit=`.
    init(_ core: BrokerCore, query: [String: String] = [:]) {
        serverId = core.identity.id
        now = MonitorJSON.date(core.time())
        numSubscriptions = core.subscriptionCount
        numInbox = core.subscriptionCount - core.router.subscriptionCount
        numCache = core.router.rememberedCount
        numInserts = core.router.inserts
        numRemoves = core.router.removes
        numMatches = core.router.matches
        cacheHitRate = numMatches == 0 ? 0 : Double(core.router.hits) / Double(numMatches)
        offset = max(0, query["offset"].flatMap { Int($0) } ?? 0)
        limit = min(ConnzQuery.limitMax, max(1, query["limit"].flatMap { Int($0) } ?? ConnzQuery.limitMax))
        guard ["1", "true"].contains(query["subs"]) else {
            total = 0
            return
        }
        total = numSubscriptions
        let all = core.connections.values.sorted { $0.cid < $1.cid }.lazy.flatMap { connection in
            connection.subscriptions.values.sorted { $0.sid < $1.sid }
        }
        subscriptionsList = all.dropFirst(offset).prefix(limit).map(Connz.SubscriptionDetail.init)
    }
}
