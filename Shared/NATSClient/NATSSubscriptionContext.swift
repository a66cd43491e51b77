import BusClient
internal import CNATS

/// The context of libnats's callbacks for one subscription. The library libnats owns a reference from the
/// subscription's beginning to its completion, and never calls it after that.
final class NATSSubscriptionContext: Sendable {
    private let link: NATSLink
    private let sid: Int

    init(link: NATSLink, sid: Int) {
        self.link = link
        self.sid = sid
    }

    /// - Returns: Nil when the connection is gone.
    func subscribe(_ connection: OpaquePointer, _ subject: String, queue: String?) -> OpaquePointer? {
        let context = Unmanaged.passRetained(self)
        var subscription: OpaquePointer?
        let status =
            if let queue {
                natsConnection_QueueSubscribe(
                    &subscription, connection, subject, queue, onMessage, context.toOpaque())
            } else {
                natsConnection_Subscribe(&subscription, connection, subject, onMessage, context.toOpaque())
            }
        guard status == NATS_OK, let subscription else {
            context.release()
            return nil
        }
        // The loop's own bound is the one that counts; see `NATSLink.take`.
        natsSubscription_SetPendingLimits(subscription, -1, -1)
        if natsSubscription_SetOnCompleteCB(subscription, onComplete, context.toOpaque()) != NATS_OK {
            // The connection was lost between the two calls, so no completion will be reported. A message may still be
            // on its way to the context: leaking its reference is safer than releasing it.
            end()
        }
        return subscription
    }

    fileprivate func take(_ message: BusMessage) { link.take(.message(sid: sid, message)) }

    fileprivate func end() { link.ended(sid) }
}

private func onMessage(
    _: OpaquePointer?, _: OpaquePointer?, _ message: OpaquePointer?, _ closure: UnsafeMutableRawPointer?
) {
    guard let message, let closure else { return }
    defer { natsMsg_Destroy(message) }
    Unmanaged<NATSSubscriptionContext>.fromOpaque(closure).takeUnretainedValue().take(BusMessage(copying: message))
}

private func onComplete(_ closure: UnsafeMutableRawPointer?) {
    guard let closure else { return }
    Unmanaged<NATSSubscriptionContext>.fromOpaque(closure).takeRetainedValue().end()
}
