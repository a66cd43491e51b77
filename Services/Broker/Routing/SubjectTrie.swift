import BusProtocol

/// The subscriptions by the tokens of their patterns.
///
/// Each token is a node, and `*` and `>` are separate children that a lookup also follows. The cost of a lookup depends
/// on the number of tokens, not of subscriptions, and it allocates memory only for its results, which `Router` caches.
struct SubjectTrie {
    private final class Node {
        /// The children by the token's bytes.
        @exclusivity(unchecked) var children = ByteTable<Node>()
        /// The child for `*`.
        var anyToken: Node?
        /// The child for `>`.
        var tail: Node?
        @exclusivity(unchecked) var subscriptions: [ClientSubscription] = []
        var isEmpty: Bool { children.count == 0 && anyToken == nil && tail == nil && subscriptions.isEmpty }

        func child(_ token: Span<UInt8>) -> Node? {
            switch SubjectTrie.wildcard(token) {
            case UInt8(ascii: "*")?: anyToken
            case UInt8(ascii: ">")?: tail
            default: children[token]
            }
        }

        func setChild(_ token: Span<UInt8>, _ child: Node?) {
            switch SubjectTrie.wildcard(token) {
            case UInt8(ascii: "*")?: anyToken = child
            case UInt8(ascii: ">")?: tail = child
            default:
                if let slot = children.slot(of: token) { children.remove(slot: slot) }
                if let child { _ = children.insert(token, child) }
            }
        }
    }

    private let root = Node()
    /// The length of the prefix common to all patterns, which lookups skip.
    private let prefixBytes: Int
    private(set) var count = 0

    /// - Parameter prefixBytes: The length of the common prefix of all patterns and subjects: whole tokens, including
    ///   the last dot.
    init(prefixBytes: Int = 0) {
        self.prefixBytes = prefixBytes
    }

    /// Adds a subscription.
    mutating func insert(_ subscription: ClientSubscription) {
        let pattern = subscription.pattern.text.utf8.span
        var node = root
        var at = prefixBytes
        while at < pattern.count {
            let end = SubjectSyntax.tokenEnd(pattern, at)
            let token = pattern.extracting(at..<end)
            if let next = node.child(token) {
                node = next
            } else {
                let next = Node()
                node.setChild(token, next)
                node = next
            }
            at = end + 1
        }
        subscription.nodeIndex = node.subscriptions.count
        node.subscriptions.append(subscription)
        count += 1
    }

    /// Removes an existing subscription, and the nodes that only it needed.
    mutating func remove(_ subscription: ClientSubscription) {
        _ = Self.remove(subscription, subscription.pattern.text.utf8.span, prefixBytes, from: root)
        count -= 1
    }

    /// Appends every subscription whose pattern matches the subject.
    func match(_ subject: Span<UInt8>, into matches: inout [ClientSubscription]) {
        let wildcards = prefixBytes > 0 || !SubjectSyntax.isHiddenFromWildcards(subject)
        Self.collect(root, subject, prefixBytes, wildcards: wildcards, &matches)
    }

    /// Removes a subscription from a node or its descendants.
    /// - Returns: Whether the node is then empty.
    private static func remove(
        _ subscription: ClientSubscription, _ pattern: Span<UInt8>, _ start: Int, from node: Node
    ) -> Bool {
        if start >= pattern.count {
            swapRemove(subscription, from: node)
            return node.isEmpty
        }
        let end = SubjectSyntax.tokenEnd(pattern, start)
        let token = pattern.extracting(start..<end)
        guard let next = node.child(token) else { preconditionFailure("not subscribed") }
        if remove(subscription, pattern, end + 1, from: next) { node.setChild(token, nil) }
        return node.isEmpty
    }

    private static func collect(
        _ node: Node, _ subject: Span<UInt8>, _ start: Int, wildcards: Bool, _ matches: inout [ClientSubscription]
    ) {
        let end = SubjectSyntax.tokenEnd(subject, start)
        if wildcards, let tail = node.tail { matches.append(contentsOf: tail.subscriptions) }
        if node.children.count > 0 {
            follow(node.children[subject.extracting(start..<end)], subject, end, &matches)
        }
        if wildcards { follow(node.anyToken, subject, end, &matches) }
    }

    private static func follow(_ node: Node?, _ subject: Span<UInt8>, _ end: Int, _ matches: inout [ClientSubscription])
    {
        guard let node else { return }
        if end == subject.count {
            matches.append(contentsOf: node.subscriptions)
        } else {
            collect(node, subject, end + 1, wildcards: true, &matches)
        }
    }

    private static func swapRemove(_ subscription: ClientSubscription, from node: Node) {
        let index = subscription.nodeIndex
        precondition(node.subscriptions[index] === subscription, "a subscription knows its place")
        let last = node.subscriptions.removeLast()
        if last !== subscription {
            node.subscriptions[index] = last
            last.nodeIndex = index
        }
    }

    private static func wildcard(_ token: Span<UInt8>) -> UInt8? {
        guard token.count == 1, token[0] == UInt8(ascii: "*") || token[0] == UInt8(ascii: ">") else { return nil }
        return token[0]
    }
}
