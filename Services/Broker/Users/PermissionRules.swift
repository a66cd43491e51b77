import BusProtocol

/// A user's permissions, as written in the users file.
///
/// ```json
/// {"pub":{"allow":["sb.catalog.v1.>"],"deny":[]},
///  "sub":{"allow":["sb.payment.v1.>"],"deny":[],"queues":["q"]},
///  "responses":{"max":1,"ttl_ms":60000}}
/// ```
package struct PermissionRules: Sendable, Equatable {
    /// Subjects of one direction. `deny` overrides `allow`.
    package struct Subjects: Sendable, Equatable {
        /// Absent allows everything, empty nothing.
        package var allow: [SubjectPattern]?
        package var deny: [SubjectPattern]

        package init(allow: [SubjectPattern]? = nil, deny: [SubjectPattern] = []) {
            self.allow = allow
            self.deny = deny
        }
    }

    /// Grant from receiving a message with `reply`.
    package struct Responses: Sendable, Equatable {
        /// Number of publishes to exactly that subject.
        package var max: Int
        /// Lifetime of the grant.
        package var lifetime: Duration

        package init(max: Int = 1, lifetime: Duration = .seconds(60)) {
            self.max = max
            self.lifetime = lifetime
        }
    }

    package var pub: Subjects
    package var sub: Subjects
    /// Queue groups the user may join; absent for all.
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
