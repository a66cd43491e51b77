/// Every bound of SBP/1, in one place.
///
/// A limit that the broker advertises in `hello` is the default here, but a client believes `hello`. The relations
/// between the limits are asserted by `RegistryTests`.
package enum BusLimits {
    /// Bytes before the header: flags, header length (24 bits), body length (32 bits).
    package static let prefixBytes = 8
    /// The smallest header is `{}`.
    package static let headerBytesMin = 2
    /// Headers are small, so that a broker that reads each of them stays fast.
    package static let headerBytesMax = 8192
    /// A body is 1 MiB at most: the bus carries requests, not files.
    package static let bodyBytesMax = 1 << 20
    /// The most header bytes the broker holds for a connection before `connect` succeeded.
    package static let headerBytesMaxBeforeConnect = 4096
    /// Before `connect` succeeded no frame has a body.
    package static let bodyBytesMaxBeforeConnect = 0
    /// Bytes of header and body together that a client sends at most. A message then fits NATS's 1 MiB payload with its
    /// headers.
    package static let messageBytesMax = (1 << 20) - (16 << 10)
    /// Bytes that a `msg` header may be longer than its `pub`'s, because of the `sid`. Clients accept headers of
    /// `max_header` plus this.
    package static let deliveryHeaderSlackBytes = 64

    /// Bytes of a subject or pattern.
    package static let subjectBytesMax = 255
    /// Tokens of a subject or pattern.
    package static let subjectTokensMax = 16
    /// Bytes of a queue group's name.
    package static let queueBytesMax = 64
    /// Bytes of `key`, unescaped.
    package static let keyBytesMax = 128
    /// Entries of `headers`.
    package static let headersMax = 32
    /// Bytes of a client's `name`.
    package static let nameBytesMax = 64
    /// Bytes of a client's `inst`.
    package static let instanceBytesMax = 64
    /// JSON nesting accepted in members that are skipped. Deeper nesting is malformed.
    package static let nestingMax = 32
    /// The largest integer, 2⁵³−1, which every JSON library can hold exactly.
    package static let integerMax = (1 << 53) - 1

    /// Subscriptions of one connection.
    package static let subscriptionsMax = 65_536
    /// Connections of one broker.
    package static let connectionsMax = 1024

    /// How long a connection may take to send `connect`.
    package static let connectTimeout: Duration = .seconds(2)
    /// How long one frame may stay unfinished.
    package static let frameTimeout: Duration = .seconds(10)
    /// How long the sender of `bye` waits for the other side to close.
    package static let byeTimeout: Duration = .seconds(2)
    /// Silence after which a `ping` is sent, unless `connect` asked for another.
    package static let pingInterval: Duration = .milliseconds(20_000)
    /// The range of `ping_ms` of `connect`.
    package static let pingMillisecondsRange = 1000...600_000
    /// Pings without an answer after which a connection is `stale`.
    package static let pingsOutMax = 2

    /// Port of the bus.
    package static let port = 7420
    /// Port of the broker's monitoring pages.
    package static let monitorPort = 7421
}
