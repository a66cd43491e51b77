import BusProtocol
import EventLoop

/// A `nats.conf` with the same users and permissions, as far as nats-server can express them.
///
/// A user signs in with its name, and its token as the password: `nats://gateway:TOKEN@host:4222`. On NATS an inbox is
/// `_INBOX_<user>.…`, because nats-server has no inboxes per connection.
package struct NATSConfiguration {
    private let users: [BrokerUser]

    /// Creates the configuration of a users file.
    package init(_ file: UsersFile) {
        users = file.users
    }

    /// The text of the configuration, which contains the tokens.
    package var text: String {
        """
        # Made by `broker --users-file FILE --print-nats-conf`. It holds the tokens: keep it as secret as they are.
        #
        # Differences on NATS:
        # - Users sign in with name and password; the password is the token.
        # - An inbox is _INBOX_<user>.>, one for all connections of a user; clients set it as their inbox prefix.
        # - A subscription that overlaps a denied subject is accepted, and the denied messages are left out.
        # - A grant to answer wins over a denied subject; on the Storebus bus the denied subject wins.
        # - $SYS.REQ, $SYS.CHAOS and $SYS.TAP are the Storebus broker's own: they are left out. nats-server has a system
        #   account and monitoring pages instead.
        # - There is no replacement of an older connection of the same instance, no affinity by key, and no 429.
        authorization {
          users = [
        \(users.map(block).joined(separator: "\n"))
          ]
        }

        """
    }

    private func block(_ user: BrokerUser) -> String {
        let rules = user.permissions.rules
        let responses =
            rules.responses.max > 0
            ? "{ max: \(rules.responses.max), expires: \"\(rules.responses.lifetime.wholeMilliseconds)ms\" }" : nil
        let members = [
            ("publish", lists(allow: rules.pub.allow.map(Self.texts), deny: publishDenied(user))),
            ("subscribe", lists(allow: subscribeAllowed(user), deny: subscribeDenied(user))),
            ("allow_responses", responses),
        ]
        let permissions = members.compactMap { name, value in value.map { "        \(name): \($0)\n" } }.joined()
        return """
                {
                  user: \(Self.quoted(user.name)), password: \(Self.quoted(user.token))
                  permissions: {
            \(permissions)      }
                }
            """
    }

    /// Returns the patterns a user may not publish to. Foreign inboxes accept replies only.
    private func publishDenied(_ user: BrokerUser) -> [String] {
        Self.texts(user.permissions.rules.pub.deny) + othersInboxes(user)
    }

    private func subscribeAllowed(_ user: BrokerUser) -> [String]? {
        let rules = user.permissions.rules
        let queues = rules.queues?.map(\.text)
        guard let allow = rules.sub.allow.map(Self.texts) else {
            return queues.map { [">"] + $0.map { "> \($0)" } }
        }
        let withQueues = allow.flatMap { subject in [subject] + (queues ?? []).map { "\(subject) \($0)" } }
        return withQueues + ["_INBOX_\(user.name).>"]
    }

    private func subscribeDenied(_ user: BrokerUser) -> [String] {
        let rules = user.permissions.rules
        let noQueues = rules.queues?.isEmpty == true ? ["> *"] : []
        return Self.texts(rules.sub.deny) + noQueues + othersInboxes(user)
    }

    private func othersInboxes(_ user: BrokerUser) -> [String] {
        users.filter { $0.name != user.name }.map { "_INBOX_\($0.name).>" }
    }

    /// Formats a list. An empty `allow` allows no subject. But nats-server would ignore it, so `>` is denied instead.
    private func lists(allow: [String]?, deny: [String]) -> String? {
        let isNothing = allow?.isEmpty == true
        let denied = isNothing ? [">"] : deny
        let parts = [
            isNothing ? nil : allow.map { "allow: \(Self.list($0))" },
            denied.isEmpty ? nil : "deny: \(Self.list(denied))",
        ]
        let written = parts.compactMap { $0 }
        return written.isEmpty ? nil : "{ \(written.joined(separator: ", ")) }"
    }

    private static func texts(_ patterns: [SubjectPattern]) -> [String] {
        patterns.map(\.text).filter { !$0.hasPrefix("$SYS.") }
    }

    private static func list(_ texts: [String]) -> String { "[" + texts.map(quoted).joined(separator: ", ") + "]" }

    /// Quotes a text. nats.conf supports the JSON escapes that may occur.
    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONBytes.append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
