import BusProtocol

extension BrokerCore {
    /// Handles one frame.
    /// - Returns: How the decoder continues.
    func handle(
        _ header: Span<UInt8>, _ body: Span<UInt8>, from connection: BrokerConnection, now: Duration
    ) -> FrameDecoder.Verdict {
        let wasReady = connection.state == .ready
        // Nearly every frame is a message in canonical form, and is read in one pass.
        if wasReady, let publish = PublishHeader(canonical: header) {
            do throws(BusViolation) {
                try self.publish(publish, header, body, from: connection, now: now)
            } catch {
                refuse(connection, error, frame: try? FrameHeader(scanning: header), header: header)
            }
            return connection.state == .ending ? .stop : .proceed
        }
        do throws(BusViolation) {
            let scanned = try FrameHeader(scanning: header)
            do throws(BusViolation) {
                try admit(scanned, connection)
                try act(scanned, header, body, from: connection, now: now)
            } catch {
                refuse(connection, error, frame: scanned, header: header)
            }
        } catch {
            refuse(connection, error)
        }
        if connection.state == .ending { return .stop }
        return !wasReady && connection.state == .ready ? .proceedWith(.connected) : .proceed
    }

    /// Checks that the op is allowed in the connection's state.
    private func admit(_ frame: FrameHeader, _ connection: BrokerConnection) throws(BusViolation) {
        if connection.state == .ready {
            guard frame.op == .connect else { return }
            throw BusViolation(.protocolState, "this connection has already signed in")
        }
        switch frame.op {
        case .connect?, .ping?, .bye?: return
        case nil where frame[.op].kind != .string: return
        default: throw BusViolation(.authRequired, "sign in with 'connect' first")
        }
    }

    private func act(
        _ frame: FrameHeader, _ header: Span<UInt8>, _ body: Span<UInt8>, from connection: BrokerConnection,
        now: Duration
    ) throws(BusViolation) {
        switch try ClientMessage(frame, in: header, bodyCount: body.count) {
        case .pub(let publish): try self.publish(publish, header, body, from: connection, now: now)
        case .sub(let message): try subscribe(message, connection)
        case .unsub(let message): try unsubscribe(message, connection)
        case .connect(let message): try connect(message, connection)
        case .ping(let t): write(to: connection) { ControlFrame.pong(echoing: t, into: &$0) }
        case .pong: break
        case .bye:
            connection.endReason = "bye"
            finish(connection, .afterFlush)
        }
    }

    /// Sends `err` for a violation, and ends the connection if it is fatal. All violations before the `ok` of `connect`
    /// are fatal.
    func refuse(
        _ connection: BrokerConnection, _ violation: BusViolation, frame: FrameHeader? = nil,
        header: Span<UInt8> = Span()
    ) {
        let isFatal = violation.code.isFatal || connection.state == .awaitingConnect
        let reply = ErrMessage(
            violation.code, violation.reason, fatal: isFatal, re: frame?.op, seq: frame?.sequence(in: header),
            sid: frame?.subscription(in: header), subject: Self.subject(of: frame, violation.code, header))
        note(
            .refused(cid: connection.cid, name: connection.name, code: violation.code, message: violation.reason))
        send(reply, to: connection)
        if isFatal { finish(connection, .afterFlush, because: violation.code) }
    }

    /// Returns the rejected subject, for codes about subjects. In other cases it may not be valid text.
    private static func subject(of frame: FrameHeader?, _ code: BusErrorCode, _ header: Span<UInt8>) -> String? {
        guard let frame, [.permPub, .permSub, .reserved].contains(code), frame[.subject].kind == .string else {
            return nil
        }
        return header.extracting(frame[.subject].range).text
    }

    /// Sends `err` and counts it.
    func send(_ reply: ErrMessage, to connection: BrokerConnection) {
        counters.errors[reply.code, default: 0] += 1
        write(to: connection) { reply.encode(into: &$0) }
    }

    /// Ends a connection, after sending it the reason.
    func end(
        _ connection: BrokerConnection, _ code: BusErrorCode, _ message: String, _ ending: Ending = .afterFlush
    ) {
        guard connection.state != .ending else { return }
        send(ErrMessage(code, message, fatal: true), to: connection)
        finish(connection, ending, because: code)
    }

    /// Removes a connection from all tables immediately. Its socket closes as `ending` says.
    func finish(_ connection: BrokerConnection, _ ending: Ending, because code: BusErrorCode? = nil) {
        guard connection.state != .ending else { return }
        if let code { connection.endReason = code.rawValue }
        if code == .authFailed || code == .authTimeout { counters.authFailures += 1 }
        if code == .stale { counters.staleConnections += 1 }
        connection.state = .ending
        connection.ending = ending
        release(connection)
        markDirty(connection)
    }

    /// Drops a connection's subscriptions, inbox and instance. It may be called twice.
    func release(_ connection: BrokerConnection) {
        reportLost(connection)
        for subscription in connection.subscriptions.values { retire(subscription) }
        connection.releasedSubscriptions += connection.subscriptions.count
        connection.subscriptions = [:]
        if let slot = inboxes.slot(of: connection.inbox.utf8.span) { inboxes.remove(slot: slot) }
        if let instance = connection.instance {
            let key = InstanceKey(user: connection.user, instance: instance)
            if instances[key] === connection { instances[key] = nil }
        }
    }

    /// Ends a connection that begins with HTTP or TLS. HTTP gets a response with status 426.
    /// - Returns: Whether the first byte belongs to one of these protocols.
    func greeted(_ connection: BrokerConnection, _ first: UInt8) -> Bool {
        let isHTTP = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
        guard isHTTP || first == 0x16 else { return false }
        connection.endReason = isHTTP ? "http" : "tls"
        note(.foreignGreeting(cid: connection.cid, peer: connection.peer, what: isHTTP ? "HTTP" : "TLS"))
        if isHTTP { write(to: connection) { $0.append(contentsOf: Self.upgradeRequired.utf8) } }
        finish(connection, .afterFlush)
        return true
    }

    private static let upgradeRequired =
        "HTTP/1.1 426 Upgrade Required\r\nUpgrade: SBP/1\r\nConnection: Upgrade, close\r\n"
        + "Content-Type: text/plain\r\nContent-Length: \(upgradeText.utf8.count)\r\n\r\n" + upgradeText
    private static let upgradeText =
        "This is the Storebus message bus, not HTTP. The store's HTTP address is the gateway's, port 7430.\n"
}
