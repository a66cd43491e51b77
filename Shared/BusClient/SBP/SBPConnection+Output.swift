import BusProtocol
import EventLoop
import Logging

extension SBPConnection {
    /// Sends a request. The waiter is resumed in any case: with a reply, an error or at the deadline.
    package func request(_ message: PubMessage, _ token: UInt64, _ waiter: PendingRequests.Waiter, timeout: Duration) {
        guard machine.isReady, let link else { return waiter.fail(core.notConnected) }
        if let error = core.requestsError { return waiter.fail(error) }
        do throws(BusViolation) {
            var message = message
            message.reply = try Subject("\(inbox).\(token)")
            try link.write { (output) throws(BusViolation) in try message.encode(into: &output) }
        } catch {
            return waiter.fail(BusError(error))
        }
        core.add(waiter, token: token, subject: message.subject.text, timeout: timeout)
    }

    package func publish(_ frame: [UInt8]) -> BusError? {
        if machine.isReady, let link {
            link.write(frame)
            return nil
        }
        if broadcast.state == .closed { return core.notConnected }
        guard buffered.count + frame.count <= BusClientLimits.bufferedBytesMax else {
            return BusError(.bufferFull, "1 MiB of events wait for a connection already")
        }
        buffered.append(contentsOf: frame)
        bufferedCount += 1
        return nil
    }

    package func subscribe(
        _ sid: Int, _ pattern: SubjectPattern, _ queue: QueueName?, max: Int?, _ waiter: BusClientCore.Waiter,
        _ handler: @escaping @Sendable (BusMessage) -> Void
    ) {
        if broadcast.state == .closed { return waiter.resume(returning: .failure(core.notConnected)) }
        subscriptions.add(sid, pattern, queue: queue, max: max, waiter: waiter, handler: handler)
        if machine.isReady { sendSubscribe(sid) }
    }

    /// Ends a subscription whose caller was cancelled before the broker answered.
    package func cancelSubscribe(_ sid: Int) {
        guard let waiter = subscriptions.remove(sid) else { return }
        write { (output) throws(BusViolation) in UnsubMessage(sid: sid).encode(into: &output) }
        waiter.resume(returning: .failure(BusError(.cancelled, "the task was cancelled")))
    }

    package func unsubscribe(_ sid: Int, _ continuation: CheckedContinuation<Void, Never>) {
        guard machine.isReady else {
            subscriptions.remove(sid)?.resume(returning: .failure(BusError(.cancelled, "it was unsubscribed")))
            return continuation.resume()
        }
        guard let message = subscriptions.unsubscribeFrame(sid, continuation) else { return continuation.resume() }
        write { (output) throws(BusViolation) in message.encode(into: &output) }
    }

    package func flush(_ number: Int, _ timeout: Duration, _ waiter: BusClientCore.Waiter) {
        guard machine.isReady else { return waiter.resume(returning: .failure(core.notConnected)) }
        core.addFlush(number, waiter)
        write { (output) throws(BusViolation) in ControlFrame.ping(t: number, into: &output) }
    }
}
