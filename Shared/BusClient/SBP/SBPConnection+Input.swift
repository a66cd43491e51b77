import BusProtocol
import Logging

extension SBPConnection {
    /// Handles one frame of the broker.
    func receive(_ header: Span<UInt8>, _ body: Span<UInt8>) {
        do throws(BusViolation) {
            switch try ServerMessage(header) {
            case .msg(let message): deliver(message, body)
            case .ok(let reply): acknowledged(reply)
            case .ping(let t):
                write { (output) throws(BusViolation) in ControlFrame.pong(echoing: t, into: &output) }
            case .pong(let t): answered(t)
            case .err(let reply): refused(reply)
            case .hello(let hello): handle(.hello(hello))
            case .bye(let why):
                handle(.lost(BusError(.disconnected, "the broker closed the connection: \(why)", origin: .broker)))
            case .drain(let drain):
                logger.info("the broker is about to stop", metadata: ["durationMs": "\(drain.inMilliseconds)"])
            case .unknown: break
            }
        } catch {
            handle(.lost(BusError(.protocolViolation, "the broker broke the protocol: \(error)")))
        }
    }

    private func deliver(_ message: MsgMessage, _ body: Span<UInt8>) {
        let delivery = BusMessage(
            subject: message.subject, reply: message.reply, key: message.key, headers: message.headers,
            status: message.status, body: body.withUnsafeBufferPointer { Array($0) })
        if message.sid == BusClientCore.inboxSid { return core.reply(delivery, inbox: inbox) }
        // An unknown sid is a delivery that crossed an unsubscribe.
        subscriptions.handlerOfDelivery(to: message.sid)?(delivery)
    }

    private func acknowledged(_ reply: OkMessage) {
        if reply.re == BusOp.connect.rawValue { return handle(.signedIn(reply)) }
        guard let sequence = reply.seq else { return }
        subscriptions.resolve(sequence, nil)?.resume()
    }

    private func answered(_ t: [UInt8]?) {
        guard let t, let number = Int(String(decoding: t, as: UTF8.self)) else { return }
        if number == Self.resubscribedPing { return core.connected(to: configuration.url) }
        core.endFlush(number, .success(()))
    }

    private func refused(_ reply: ErrMessage) {
        if reply.fatal { return handle(.refused(reply)) }
        let error = BusError(reply)
        if let sequence = reply.seq, let resolution = subscriptions.resolve(sequence, error) {
            resolution.resume()
            if let pattern = resolution.orphan {
                logger.error(
                    "a subscription was refused after a reconnect",
                    metadata: ["subject": "\(pattern)", "error": "\(error)"])
            }
            return
        }
        // Publishes carry no sequence number, so requests are found by subject: what one may not, none may.
        var isRequest = false
        if reply.re == BusOp.pub.rawValue, let subject = reply.subject {
            isRequest = core.failRequests(to: subject, error)
        }
        if !isRequest {
            logger.warning(
                "the broker refused", metadata: ["subject": "\(reply.subject ?? "")", "error": "\(error)"])
        }
    }
}
