import BusProtocol
import EventLoop
import Logging

extension SBPCore {
    /// The error of a call that finds no connection.
    var notConnected: BusError {
        broadcast.endReason ?? BusError(.disconnected, "there is no connection to the bus")
    }

    /// Sends a request. The waiter is resumed in any case: with a reply, an error or at the deadline.
    func request(_ message: PubMessage, _ token: UInt64, _ waiter: PendingRequests.Waiter, timeout: Duration) {
        guard machine.isReady, let link else { return waiter.fail(notConnected) }
        guard pending.count < BusClientLimits.requestsMax else {
            return waiter.fail(
                BusError(.tooManyRequests, "\(BusClientLimits.requestsMax) requests wait for an answer already"))
        }
        do throws(BusViolation) {
            var message = message
            message.reply = try Subject("\(inbox).\(token)")
            try link.write { (output) throws(BusViolation) in try message.encode(into: &output) }
        } catch {
            return waiter.fail(BusError(error))
        }
        pending.add(waiter, token: token, subject: message.subject.text)
        let deadline = loop.uptime() + timeout
        let isEarliest = deadlines.earliest.map { deadline < $0 } ?? true
        deadlines.add(token, deadline: deadline)
        if isEarliest { armDeadlines() }
    }

    /// Abandons a request.
    func cancel(_ token: UInt64) {
        pending.remove(token)?.fail(BusError(.cancelled, "the task was cancelled"))
    }

    /// Sends an event, or keeps it for the next connection. Returns the error when it does neither.
    func publish(_ frame: [UInt8]) -> BusError? {
        if machine.isReady, let link {
            link.write(frame)
            return nil
        }
        if broadcast.state == .closed { return notConnected }
        guard buffered.count + frame.count <= BusClientLimits.bufferedBytesMax else {
            return BusError(.bufferFull, "1 MiB of events wait for a connection already")
        }
        buffered.append(contentsOf: frame)
        bufferedCount += 1
        return nil
    }

    func subscribe(
        _ sid: Int, _ pattern: SubjectPattern, _ queue: QueueName?, max: Int?, _ waiter: SubscriptionTable.Waiter,
        _ handler: @escaping SubscriptionTable.Handler
    ) {
        if broadcast.state == .closed { return waiter.resume(returning: .failure(notConnected)) }
        subscriptions.add(sid, pattern, queue: queue, max: max, waiter: waiter, handler: handler)
        if machine.isReady { sendSubscribe(sid) }
    }

    /// Ends a subscription whose caller was cancelled before the broker answered.
    func cancelSubscribe(_ sid: Int) {
        guard let waiter = subscriptions.remove(sid) else { return }
        write { (output) throws(BusViolation) in UnsubMessage(sid: sid).encode(into: &output) }
        waiter.resume(returning: .failure(BusError(.cancelled, "the task was cancelled")))
    }

    func unsubscribe(_ sid: Int, _ continuation: CheckedContinuation<Void, Never>) {
        guard machine.isReady else {
            subscriptions.remove(sid)?.resume(returning: .failure(BusError(.cancelled, "it was unsubscribed")))
            return continuation.resume()
        }
        guard let message = subscriptions.unsubscribeFrame(sid, continuation) else { return continuation.resume() }
        write { (output) throws(BusViolation) in message.encode(into: &output) }
    }

    func flush(_ number: Int, _ continuation: CheckedContinuation<Result<Void, BusError>, Never>) {
        guard machine.isReady else { return continuation.resume(returning: .failure(notConnected)) }
        flushes[number] = continuation
        write { (output) throws(BusViolation) in ControlFrame.ping(t: number, into: &output) }
    }

    func endFlush(_ number: Int, _ error: BusError) {
        flushes.removeValue(forKey: number)?.resume(returning: .failure(error))
    }
}
