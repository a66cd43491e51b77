import BusClient
import BusProtocol

extension NATSClient {
    /// The cluster's addresses and the client's identity. Nothing here may change while it runs.
    package struct Configuration: Sendable {
        /// Servers and credentials.
        package var url: NATSURL
        /// For people, at most 64 bytes. Longer names are cut.
        package var name: String
        /// Whether the client gets its own publishes back where it subscribes to them.
        package var echo = true
        /// Time between two pings, in whole milliseconds. The second unanswered ping ends the connection at the next,
        /// so a frozen server is left within three pings.
        package var pingInterval: Duration
        /// Draws the inbox and the waits between reconnects. Tests inject a seeded one.
        package var random: any RandomNumberGenerator & Sendable

        /// Creates a configuration with a random inbox.
        package init(
            url: NATSURL, name: String, pingInterval: Duration = BusClientLimits.pingInterval,
            random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
        ) {
            self.url = url
            self.name = String(decoding: name.utf8.prefix(BusLimits.nameBytesMax), as: UTF8.self)
            self.pingInterval = pingInterval
            self.random = random
        }

        /// A new inbox: `_INBOX.<128 random bits>`. For a user whose name is valid in a subject it is
        /// `_INBOX_<user>.<128 random bits>`, so that permissions can keep others out of it.
        mutating func makeInbox() -> String {
            var prefix = "_INBOX"
            if case .user(let user, _) = url.credentials, (try? Subject("_INBOX_\(user)")) != nil, !user.contains(".") {
                prefix += "_\(user)"
            }
            let high = String(random.next(), radix: 36)
            return "\(prefix).\(high)\(String(random.next(), radix: 36))"
        }
    }
}
