import BusProtocol

/// Finds routes: a trie of all subscriptions, and a memory of the routes found.
///
/// The memory survives subscriptions coming and going, because a change forgets only the subjects it concerns. That
/// nobody listens is never remembered: a flood of unknown subjects must not push out the known ones.
struct Router {
    private var trie = SubjectTrie()
    private var taps = SubjectTrie()
    private var remembered = ByteTable<Route>()
    private let rememberedMax: Int
    private let nowhere = Route([])

    init(rememberedMax: Int) {
        self.rememberedMax = rememberedMax
    }

    /// Subscriptions added since the start.
    private(set) var inserts = 0
    /// Subscriptions removed since the start.
    private(set) var removes = 0
    /// Routes asked for.
    private(set) var matches = 0
    /// Routes that were remembered when they were asked for.
    private(set) var hits = 0

    /// Number of subscriptions, without those on inboxes.
    var subscriptionCount: Int { trie.count + taps.count }
    /// Number of subjects whose route is remembered.
    var rememberedCount: Int { remembered.count }
    /// Whether anybody traces.
    var hasTaps: Bool { taps.count > 0 }

    /// Adds a subscription.
    mutating func insert(_ subscription: Subscription) {
        inserts += 1
        if subscription.isTap { return taps.insert(subscription) }
        trie.insert(subscription)
        forget(subscription.pattern)
    }

    /// Removes a subscription that is there.
    mutating func remove(_ subscription: Subscription) {
        removes += 1
        if subscription.isTap { return taps.remove(subscription) }
        trie.remove(subscription)
        forget(subscription.pattern)
    }

    /// The route of a legal subject.
    mutating func route(_ subject: Span<UInt8>) -> Route {
        matches += 1
        if let route = remembered[subject] {
            hits += 1
            return route
        }
        var found: [Subscription] = []
        trie.match(subject, into: &found)
        if found.isEmpty { return nowhere }
        let route = Route(found)
        if remembered.count >= rememberedMax { remembered.removeAll() }
        _ = remembered.insert(subject, route)
        return route
    }

    /// The traces that want to see a subject.
    func tapped(_ subject: Span<UInt8>) -> [Subscription] {
        var matches: [Subscription] = []
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
