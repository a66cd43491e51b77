import BusClient
import BusProtocol
import Logging

extension NATSConnection {
    /// Handles an event of a link. Those of an abandoned link are ignored.
    func receive(_ event: NATSLink.Event, from number: NATSLinkNumber) {
        guard isCurrent(number) else { return }
        switch event {
        case .opened(let payloadMax):
            self.payloadMax = payloadMax
            handle(.opened)
        case .lost(let error): handle(.lost(error))
        case .refused(let text): refused(text)
        case .received(let items, let dropped):
            if dropped > 0 {
                logger.warning("messages were dropped, this process is too slow", metadata: ["count": "\(dropped)"])
            }
            for item in items {
                // A handler may have closed the client.
                guard isCurrent(number) else { return }
                take(item)
            }
        }
    }

    private func take(_ item: NATSIncoming) {
        switch item {
        case .message(BusClientCore.inboxSid, let message): core.reply(message, inbox: inbox)
        case .message(let sid, let message): subscriptions.handlerOfDelivery(to: sid)?(message)
        case .ended(let sid):
            for continuation in subscriptions.ended(sid) { continuation.resume() }
        case .flushed(let number, let failure, let refusal):
            if let refusal { refused(refusal) }
            flushed(number, failure)
        }
    }

    private func flushed(_ number: Int, _ failure: BusError?) {
        if number == Self.resubscribedFlush {
            if let failure { handle(.lost(failure)) } else { core.connected(to: configuration.url) }
        } else if number < 0 {
            // Without an answer the connection is about to be lost, and the next one subscribes again.
            if failure == nil { subscriptions.acknowledge(-number)?.resume(returning: .success(())) }
        } else {
            core.endFlush(number, failure.map { .failure($0) } ?? .success(()))
        }
    }

    /// Fails the requests or subscriptions of a refused subject. The server names the subject only, and refuses it to
    /// all of them.
    private func refused(_ text: String) {
        guard let refusal = NATSRefusal(text) else { return }
        if refusal.isSubscription {
            let (waiters, wasAcknowledged) = subscriptions.refuse(refusal.subject)
            for waiter in waiters { waiter.resume(returning: .failure(refusal.error)) }
            guard wasAcknowledged else { return }
            logger.error("a subscription was refused", metadata: ["subject": "\(refusal.subject)"])
            return
        }
        guard !core.failRequests(to: refusal.subject, refusal.error) else { return }
        logger.warning("the server refused", metadata: ["subject": "\(refusal.subject)"])
    }
}
