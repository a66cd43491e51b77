import BusProtocol

/// A user's permissions, as written in the users file.
///
/// ```json
/// {"pub":{"allow":["sb.catalog.v1.>"],"deny":[]},
///  "sub":{"allow":["sb.payment.v1.>"],"deny":[],"queues":["q"]},
///  "responses":{"max":1,"ttl_ms":60000}}
/// ```
package struct PermissionRules: Sendable, Equatable {
    /// The subjects of one direction. `deny` overrides `allow`.
    package struct Subjects: Sendable, Equatable {
        /// The allowed patterns. Nil allows every subject, and an empty list allows none.
        package var allow: [SubjectPattern]?
        /// The denied patterns.
        package var deny: [SubjectPattern]

        /// Creates rules, by default without restrictions.
        package init(allow: [SubjectPattern]? = nil, deny: [SubjectPattern] = []) {
            self.allow = allow
            self.deny = deny
        }
    }

    /// The grant from receiving a message with `reply`.
    package struct Responses: Sendable, Equatable {
        /// The number of publishes to exactly that subject. 0 for none.
        package var max: Int
        /// The lifetime of the grant.
        package var lifetime: Duration

        /// Creates a grant, by default one publish within a minute.
        package init(max: Int = 1, lifetime: Duration = .seconds(60)) {
            self.max = max
            self.lifetime = lifetime
        }
    }

    /// The subjects to publish to.
    package var pub: Subjects
    /// The subjects to subscribe to.
    package var sub: Subjects
    /// The queue groups that the user may join. Nil for all.
    package var queues: [QueueName]?
    /// The grant for replies.
    package var responses: Responses

    /// Creates rules, by default without restrictions.
    package init(
        pub: Subjects = Subjects(), sub: Subjects = Subjects(), queues: [QueueName]? = nil,
        responses: Responses = Responses()
    ) {
        self.pub = pub
        self.sub = sub
        self.queues = queues
        self.responses = responses
    }
}
