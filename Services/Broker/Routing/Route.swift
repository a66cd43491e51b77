import BusProtocol

/// Where messages on one subject go: plain subscriptions, and one group for each queue name whatever the patterns.
final class Route {
    /// The members of one queue group for one subject.
    struct Group {
        let queue: QueueName
        var members: [Subscription]
    }

    let plain: [Subscription]
    let groups: [Group]

    init(_ matches: [Subscription]) {
        var plain: [Subscription] = []
        var groups: [Group] = []
        for subscription in matches {
            guard let queue = subscription.queue else {
                plain.append(subscription)
                continue
            }
            if let index = groups.firstIndex(where: { $0.queue == queue }) {
                groups[index].members.append(subscription)
            } else {
                groups.append(Group(queue: queue, members: [subscription]))
            }
        }
        self.plain = plain
        self.groups = groups
    }

    var isEmpty: Bool { plain.isEmpty && groups.isEmpty }
}
