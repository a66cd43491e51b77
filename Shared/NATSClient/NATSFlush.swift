import BusClient
internal import CNATS

/// One flush: a ping to the server, then a marker in libnats's delivery thread. The marker comes behind every message
/// that libnats had received by the time of the pong.
///
/// The marker is the completion of a subscription that is made and ended for this: libnats posts it at the end of the
/// delivery thread's list.
final class NATSFlush: @unchecked Sendable {
    // Why unchecked: the connection is an opaque pointer; the flush queue, where alone it is used, also destroys it.
    private let link: NATSLink
    private let connection: OpaquePointer
    private let barrier: String
    private let number: Int
    private var refusal: String?

    init(link: NATSLink, connection: OpaquePointer, barrier: String, number: Int) {
        self.link = link
        self.connection = connection
        self.barrier = barrier
        self.number = number
    }

    /// Blocks until the server has answered. The link gets the outcome with the other items.
    func run(timeout: Duration) {
        let status = natsConnection_FlushTimeout(connection, timeout.natsMilliseconds)
        guard status == NATS_OK else {
            return end(
                status == NATS_TIMEOUT
                    ? BusError(.timeout, "the server did not answer within \(timeout)") : BusError(connection: status))
        }
        // libnats reports a refusal on another thread, perhaps after the pong; the connection's last error is set by
        // now.
        var text: UnsafePointer<CChar>?
        if natsConnection_GetLastError(connection, &text) == NATS_NOT_PERMITTED, let text {
            refusal = String(cString: text)
        }
        putMarker()
    }

    private func putMarker() {
        let context = Unmanaged.passRetained(self)
        var subscription: OpaquePointer?
        guard natsConnection_Subscribe(&subscription, connection, barrier, ignoreMessage, nil) == NATS_OK,
            natsSubscription_SetOnCompleteCB(subscription, markerReached, context.toOpaque()) == NATS_OK
        else {
            context.release()
            natsSubscription_Destroy(subscription)
            return end(BusError(.disconnected, "the connection was lost"))
        }
        // Ends it, too.
        natsSubscription_Destroy(subscription)
    }

    fileprivate func end(_ failure: BusError?) {
        link.take(.flushed(number: number, failure: failure, refusal: refusal))
    }
}

private func ignoreMessage(
    _: OpaquePointer?, _: OpaquePointer?, _ message: OpaquePointer?, _: UnsafeMutableRawPointer?
) {
    natsMsg_Destroy(message)
}

private func markerReached(_ closure: UnsafeMutableRawPointer?) {
    guard let closure else { return }
    Unmanaged<NATSFlush>.fromOpaque(closure).takeRetainedValue().end(nil)
}
