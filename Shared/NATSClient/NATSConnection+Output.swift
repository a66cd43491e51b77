import BusClient
import BusProtocol
import EventLoop

extension NATSConnection {
    private static let tooMuch = BusError(.bufferFull, "64 MiB wait to be written already")

    /// Sends a request. The waiter is resumed in any case: with a reply, an error or at the deadline.
    package func request(_ message: NATSOutgoing, _ token: UInt64, _ waiter: PendingRequests.Waiter, timeout: Duration)
    {
        guard machine.isReady, let link else { return waiter.fail(core.notConnected) }
        if let error = sizeError(message) { return waiter.fail(error) }
        if let error = core.requestsError { return waiter.fail(error) }
        var message = message
        message.reply = "\(inbox).\(token)"
        guard link.give(.publish(message)) else { return waiter.fail(Self.tooMuch) }
        core.add(waiter, token: token, subject: message.subject, timeout: timeout)
    }

    package func publish(_ message: NATSOutgoing) -> BusError? {
        if machine.isReady, let link {
            if let error = sizeError(message) { return error }
            return link.give(.publish(message)) ? nil : Self.tooMuch
        }
        if broadcast.state == .closed { return core.notConnected }
        guard bufferedBytes + message.size <= BusClientLimits.bufferedBytesMax else {
            return BusError(.bufferFull, "1 MiB of events wait for a connection already")
        }
        bufferedBytes += message.size
        buffered.append(message)
        return nil
    }

    /// Checks the server's payload limit, which may be lower than the bus's.
    private func sizeError(_ message: NATSOutgoing) -> BusError? {
        guard message.size > payloadMax else { return nil }
        return BusError(.payloadTooLarge, "the message has \(message.size) bytes; the server accepts \(payloadMax)")
    }

    package func subscribe(
        _ sid: Int, _ pattern: SubjectPattern, _ queue: QueueName?, max: Int?,
        _ waiter: BusClientCore.Waiter, _ handler: @escaping @Sendable (BusMessage) -> Void
    ) {
        if broadcast.state == .closed { return waiter.resume(returning: .failure(core.notConnected)) }
        subscriptions.add(sid, pattern, queue: queue, max: max, waiter: waiter, handler: handler)
        if machine.isReady { sendSubscribe(sid) }
    }

    /// Ends a subscription whose caller was cancelled before the server answered.
    package func cancelSubscribe(_ sid: Int) {
        guard subscriptions.isAwaited(sid) else { return }
        let removed = subscriptions.remove(sid)
        if machine.isReady { link?.give(.unsubscribe(sid: sid)) }
        removed.beginning?.resume(returning: .failure(BusError(.cancelled, "the task was cancelled")))
    }

    package func unsubscribe(_ sid: Int, _ continuation: CheckedContinuation<Void, Never>) {
        guard machine.isReady, let link else {
            let removed = subscriptions.remove(sid)
            removed.beginning?.resume(returning: .failure(BusError(.cancelled, "it was unsubscribed")))
            for earlier in removed.ending { earlier.resume() }
            return continuation.resume()
        }
        guard subscriptions.end(sid, continuation) else { return continuation.resume() }
        link.give(.unsubscribe(sid: sid))
    }

    package func flush(_ number: Int, _ timeout: Duration, _ waiter: BusClientCore.Waiter) {
        guard machine.isReady, let link else { return waiter.resume(returning: .failure(core.notConnected)) }
        core.addFlush(number, waiter)
        link.give(.flush(number: number, timeout: timeout))
    }
}
