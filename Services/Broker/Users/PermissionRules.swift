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

extension PermissionRules: Decodable {
    private enum Key: String, CodingKey, CaseIterable { case pub, sub, responses }
    private enum PublishKey: String, CodingKey, CaseIterable { case allow, deny }
    private enum SubscribeKey: String, CodingKey, CaseIterable { case allow, deny, queues }
    private enum ResponsesKey: String, CodingKey, CaseIterable {
        case max
        case lifetime = "ttl_ms"
    }

    /// Decodes the permissions strictly.
    /// - Throws: ``UsersFileFault`` with the place of an unknown member or an invalid value.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.strictMembers(Key.self)
        self.init()
        if members.contains(.pub) {
            let pub = try members.superDecoder(forKey: .pub).strictMembers(PublishKey.self)
            self.pub = Subjects(allow: try pub.patterns(.allow), deny: try pub.patterns(.deny) ?? [])
        }
        if members.contains(.sub) {
            let sub = try members.superDecoder(forKey: .sub).strictMembers(SubscribeKey.self)
            self.sub = Subjects(allow: try sub.patterns(.allow), deny: try sub.patterns(.deny) ?? [])
            queues = try sub.texts(.queues) { text throws(BusViolation) in try QueueName(text) }
        }
        if members.contains(.responses) {
            responses = try Self.responses(members.superDecoder(forKey: .responses).strictMembers(ResponsesKey.self))
        }
    }

    private static func responses(_ members: KeyedDecodingContainer<ResponsesKey>) throws -> Responses {
        let milliseconds = try members.integer(.lifetime, in: 1...86_400_000)
        return Responses(
            max: try members.integer(.max, in: 0...65_535) ?? Responses().max,
            lifetime: milliseconds.map { .milliseconds($0) } ?? Responses().lifetime)
    }
}

extension KeyedDecodingContainer {
    fileprivate func patterns(_ key: Key) throws -> [SubjectPattern]? {
        try texts(key) { text throws(BusViolation) in try SubjectPattern(text) }
    }

    /// Reads an array of texts and converts each.
    fileprivate func texts<Value>(_ key: Key, _ make: (String) throws(BusViolation) -> Value) throws -> [Value]? {
        var values: [Value] = []
        for (index, text) in (try ifThere([String].self, key) ?? []).enumerated() {
            do throws(BusViolation) {
                values.append(try make(text))
            } catch {
                throw UsersFileFault(codingPath + [key, ElementIndex(index)], error.reason)
            }
        }
        return contains(key) ? values : nil
    }

    fileprivate func integer(_ key: Key, in range: ClosedRange<Int>) throws -> Int? {
        guard let number = try ifThere(Int.self, key) else { return nil }
        guard range.contains(number) else {
            throw UsersFileFault(codingPath + [key], "must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
