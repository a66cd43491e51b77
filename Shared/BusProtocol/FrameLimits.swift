/// How large a frame may be on one connection at one moment.
package struct FrameLimits: Sendable, Equatable {
    /// Bytes of the header.
    package var headerBytesMax: Int
    /// Bytes of the body.
    package var bodyBytesMax: Int

    package init(headerBytesMax: Int, bodyBytesMax: Int) {
        self.headerBytesMax = headerBytesMax
        self.bodyBytesMax = bodyBytesMax
    }

    /// What the broker takes from a connection that has not signed in.
    package static let beforeConnect = FrameLimits(
        headerBytesMax: BusLimits.headerBytesMaxBeforeConnect, bodyBytesMax: BusLimits.bodyBytesMaxBeforeConnect)
    /// What the broker takes from a connection that has.
    package static let connected = FrameLimits(
        headerBytesMax: BusLimits.headerBytesMax, bodyBytesMax: BusLimits.bodyBytesMax)
    /// What a client takes from a broker with the default limits.
    package static let fromBroker = FrameLimits(
        headerBytesMax: BusLimits.headerBytesMax + BusLimits.deliveryHeaderSlackBytes,
        bodyBytesMax: BusLimits.bodyBytesMax)
}
