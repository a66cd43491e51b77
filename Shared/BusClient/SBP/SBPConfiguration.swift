import BusProtocol

extension SBPClient {
    /// The broker's address and the client's identity. Nothing here may change while it runs.
    package struct Configuration: Sendable {
        /// Host, port and token.
        package var url: BusURL
        /// For people, at most 64 bytes. Longer names are cut.
        package var name: String
        /// Random for each process start, at most 64 bytes. The broker lets a second connection of the same instance
        /// replace the first.
        package var instance: String
        /// The client's version, as monitoring shows it.
        package var version: String
        /// Whether the client gets its own publishes back where it subscribes to them.
        package var echo = true
        /// Silence after which the client pings. The broker pings after the same, within 1 s…600 s.
        package var pingInterval: Duration
        /// Silence after which the connection is dead. It is longer than `pingInterval`.
        package var silenceMax: Duration
        /// Draws the waits between reconnects. Tests inject a seeded one.
        package var random: any RandomNumberGenerator & Sendable

        /// - Parameter instance: Nil for a random one.
        package init(
            url: BusURL = BusURL(), name: String, instance: String? = nil, version: String = "0.1.0",
            pingInterval: Duration = BusClientLimits.pingInterval, silenceMax: Duration = BusClientLimits.silenceMax,
            random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
        ) {
            self.url = url
            self.name = String(decoding: name.utf8.prefix(BusLimits.nameBytesMax), as: UTF8.self)
            self.instance = instance ?? Self.randomInstance()
            self.version = version
            self.pingInterval = pingInterval
            self.silenceMax = silenceMax
            self.random = random
        }

        private static func randomInstance() -> String {
            let high = String(UInt64.random(in: .min ... .max), radix: 36)
            return high + String(UInt64.random(in: .min ... .max), radix: 36)
        }
    }
}
