import BusClient
import BusProtocol
import Logging

extension NATSCore {
    /// Handles an event of a link; those of an abandoned link are ignored.
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
        case .message(Self.inboxSid, let message): answer(message)
        case .message(let sid, let message): subscriptions.handlerOfDelivery(to: sid)?(message)
        case .ended(let sid):
            for continuation in subscriptions.ended(sid) { continuation.resume() }
        case .flushed(let number, let failure, let refusal):
            if let refusal { refused(refusal) }
            flushed(number, failure)
        }
    }

    /// The reply subject is the inbox, a dot and the request's token.
    private func answer(_ message: BusMessage) {
        let suffix = message.subject.utf8.dropFirst(inbox.utf8.count + 1)
        guard let token = UInt64(String(Substring(suffix))) else { return }
        pending.answer(token, with: message)?()
    }

    private func flushed(_ number: Int, _ failure: BusError?) {
        if number == Self.resubscribedFlush {
            if let failure { handle(.lost(failure)) } else { resubscribed() }
        } else if number < 0 {
            // Without an answer the connection is about to be lost, and the next one subscribes again.
            if failure == nil { subscriptions.acknowledge(-number)?.resume(returning: .success(())) }
        } else {
            flushes.removeValue(forKey: number)?.resume(returning: failure.map { .failure($0) } ?? .success(()))
        }
    }

    /// Fails the requests or subscriptions of a refused subject. The server names the subject only: what one may not,
    /// none may.
    private func refused(_ text: String) {
        guard let refusal = NATSRefusal(text) else { return }
        if refusal.isSubscription {
            let (waiters, wasAcknowledged) = subscriptions.refuse(refusal.subject)
            for waiter in waiters { waiter.resume(returning: .failure(refusal.error)) }
            guard wasAcknowledged else { return }
            logger.error("a subscription was refused", metadata: ["subject": "\(refusal.subject)"])
            return
        }
        let waiters = pending.removeAll(subject: refusal.subject)
        for waiter in waiters { waiter.fail(refusal.error) }
        if waiters.isEmpty { logger.warning("the server refused", metadata: ["subject": "\(refusal.subject)"]) }
    }
}
