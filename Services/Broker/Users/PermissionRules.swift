import BusProtocol

/// What a user may do, as written in the users file.
///
/// ```json
/// {"pub":{"allow":["sb.catalog.v1.>"],"deny":[]},
///  "sub":{"allow":["sb.payment.v1.>"],"deny":[],"queues":["q"]},
///  "responses":{"max":1,"ttl_ms":60000}}
/// ```
package struct PermissionRules: Sendable, Equatable {
    /// Subjects of one direction. Deny wins.
    package struct Subjects: Sendable, Equatable {
        /// Absent: everything; empty: nothing.
        package var allow: [SubjectPattern]?
        package var deny: [SubjectPattern]

        package init(allow: [SubjectPattern]? = nil, deny: [SubjectPattern] = []) {
            self.allow = allow
            self.deny = deny
        }
    }

    /// What receiving a message with `reply` grants.
    package struct Responses: Sendable, Equatable {
        /// Publishes to exactly that subject.
        package var max: Int
        /// How long the grant lives.
        package var lifetime: Duration

        package init(max: Int = 1, lifetime: Duration = .seconds(60)) {
            self.max = max
            self.lifetime = lifetime
        }
    }

    package var pub: Subjects
    package var sub: Subjects
    /// Names of queue groups the user may join; absent: all.
    package var queues: [QueueName]?
    package var responses: Responses

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
