import BusProtocol

/// The receivers of one subject: plain subscriptions, and one group for each queue name. A group may have members with
/// different patterns.
final class SubjectRoute {
    /// The members of one queue group for one subject.
    struct Group {
        let queue: QueueName
        var members: [ClientSubscription]
    }

    /// Maximum number of users whose right to publish is cached.
    private static let rightsMax = 16

    let plain: [ClientSubscription]
    let groups: [Group]
    private var rights: [(permissions: Permissions, right: Permissions.Publishing)] = []

    init(_ matches: [ClientSubscription]) {
        var plain: [ClientSubscription] = []
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

    /// Returns a user's right to publish to this route's subject, which is computed once.
    func publishing(_ permissions: Permissions, to subject: Span<UInt8>) -> Permissions.Publishing {
        for known in rights where known.permissions === permissions { return known.right }
        let right = permissions.publishing(to: subject)
        // The empty route is shared by all subjects without a subscription.
        if isEmpty { return right }
        if rights.count >= Self.rightsMax { rights.removeAll() }
        rights.append((permissions, right))
        return right
    }
}
