import BusProtocol

/// All subscriptions by the tokens of their patterns.
///
/// A node a token; `*` and `>` are ordinary children that a look-up also follows. Look-ups cost the number of tokens,
/// not the number of subscriptions; the routes found are remembered by `Router`.
struct SubjectTrie {
    private final class Node {
        var children: [String: Node] = [:]
        var subscriptions: [Subscription] = []
        var isEmpty: Bool { children.isEmpty && subscriptions.isEmpty }
    }

    private let root = Node()
    private(set) var count = 0

    /// Adds a subscription.
    mutating func insert(_ subscription: Subscription) {
        var node = root
        for token in subscription.pattern.text.split(separator: ".") {
            let name = String(token)
            let next = node.children[name] ?? Node()
            node.children[name] = next
            node = next
        }
        subscription.nodeIndex = node.subscriptions.count
        node.subscriptions.append(subscription)
        count += 1
    }

    /// Removes a subscription that is there, and the nodes that only it needed.
    mutating func remove(_ subscription: Subscription) {
        let tokens = subscription.pattern.text.split(separator: ".").map(String.init)
        var path = [root]
        for token in tokens {
            guard let next = path[path.count - 1].children[token] else { preconditionFailure("not subscribed") }
            path.append(next)
        }
        Self.swapRemove(subscription, from: path[path.count - 1])
        for depth in stride(from: tokens.count, to: 0, by: -1) where path[depth].isEmpty {
            path[depth - 1].children[tokens[depth - 1]] = nil
        }
        count -= 1
    }

    /// Appends every subscription whose pattern takes the subject.
    func match(_ subject: Span<UInt8>, into matches: inout [Subscription]) {
        let wildcards = !SubjectSyntax.isHiddenFromWildcards(subject)
        Self.collect(root, subject, 0, wildcards: wildcards, &matches)
    }

    private static func collect(
        _ node: Node, _ subject: Span<UInt8>, _ start: Int, wildcards: Bool, _ matches: inout [Subscription]
    ) {
        if node.children.isEmpty { return }
        let end = SubjectSyntax.tokenEnd(subject, start)
        if wildcards, let tail = node.children[">"] { matches.append(contentsOf: tail.subscriptions) }
        follow(node.children[subject.extracting(start..<end).text], subject, end, &matches)
        if wildcards { follow(node.children["*"], subject, end, &matches) }
    }

    private static func follow(_ node: Node?, _ subject: Span<UInt8>, _ end: Int, _ matches: inout [Subscription]) {
        guard let node else { return }
        if end == subject.count {
            matches.append(contentsOf: node.subscriptions)
        } else {
            collect(node, subject, end + 1, wildcards: true, &matches)
        }
    }

    private static func swapRemove(_ subscription: Subscription, from node: Node) {
        let index = subscription.nodeIndex
        precondition(node.subscriptions[index] === subscription, "a subscription knows its place")
        let last = node.subscriptions.removeLast()
        if last !== subscription {
            node.subscriptions[index] = last
            last.nodeIndex = index
        }
    }
}
