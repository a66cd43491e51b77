import BusProtocol

/// Finds the routes of subjects, with a trie of all subscriptions and a cache.
///
/// A change of subscriptions drops only the cached subjects it concerns. Subjects without subscriptions are never
/// cached: a flood of unknown subjects must not evict others.
struct Router {
    private var trie = SubjectTrie()
    private var taps = SubjectTrie()
    private var remembered = ByteTable<SubjectRoute>()
    private let rememberedMax: Int
    private let nowhere = SubjectRoute([])

    init(rememberedMax: Int) {
        self.rememberedMax = rememberedMax
    }

    /// The number of subscriptions added since the start.
    private(set) var inserts = 0
    /// The number of subscriptions removed since the start.
    private(set) var removes = 0
    /// The number of routes requested.
    private(set) var matches = 0
    /// The number of requested routes that were cached.
    private(set) var hits = 0

    /// The number of subscriptions, without those on inboxes.
    var subscriptionCount: Int { trie.count + taps.count }
    /// The number of cached routes.
    var rememberedCount: Int { remembered.count }
    /// Whether there is any trace.
    var hasTaps: Bool { taps.count > 0 }

    /// Adds a subscription.
    mutating func insert(_ subscription: ClientSubscription) {
        inserts += 1
        if subscription.isTap { return taps.insert(subscription) }
        trie.insert(subscription)
        forget(subscription.pattern)
    }

    /// Removes an existing subscription.
    mutating func remove(_ subscription: ClientSubscription) {
        removes += 1
        if subscription.isTap { return taps.remove(subscription) }
        trie.remove(subscription)
        forget(subscription.pattern)
    }

    /// Returns the route of a legal subject.
    mutating func route(_ subject: Span<UInt8>) -> SubjectRoute {
        matches += 1
        if let route = remembered[subject] {
            hits += 1
            return route
        }
        var found: [ClientSubscription] = []
        trie.match(subject, into: &found)
        if found.isEmpty { return nowhere }
        let route = SubjectRoute(found)
        if remembered.count >= rememberedMax { remembered.removeAll() }
        _ = remembered.insert(subject, route)
        return route
    }

    /// Returns the traces that match a subject.
    func tapped(_ subject: Span<UInt8>) -> [ClientSubscription] {
        var matches: [ClientSubscription] = []
        taps.match(subject, into: &matches)
        return matches
    }

    private mutating func forget(_ pattern: SubjectPattern) {
        if pattern.isLiteral {
            if let slot = remembered.slot(of: pattern.text.utf8.span) { remembered.remove(slot: slot) }
            return
        }
        for slot in Array(remembered.usedSlots) {
            let subject = remembered.key(ofSlot: slot)
            if SubjectSyntax.matches(pattern: pattern.text.utf8.span, subject: subject.span) {
                remembered.remove(slot: slot)
            }
        }
    }
}
