import BusClient
internal import CNATS
import EventLoop
import Glibc

/// The options of libnats.
enum NATSOptions {
    /// Options that try each server once and report to a link. The caller destroys them.
    ///
    /// libnats does not reconnect by itself: it would send waiting requests whose callers had long received a failure.
    static func make(_ configuration: NATSClient.Configuration, link: NATSLink) -> Result<OpaquePointer, BusError> {
        TLSContext.prepareOpenSSL()
        if let failure = fileFailure(configuration.url) { return .failure(failure) }
        var made: OpaquePointer?
        guard natsOptions_Create(&made) == NATS_OK, let options = made else {
            return .failure(BusError(.disconnected, "libnats cannot be started"))
        }
        let closure = NATSLinks.add(link)
        let statuses = [
            setServers(configuration.url, options),
            setCredentials(configuration.url.credentials, options),
            setTLS(configuration.url.tls, options),
            natsOptions_SetName(options, configuration.name),
            natsOptions_SetTimeout(options, BusClientLimits.connectTimeout.natsMilliseconds),
            natsOptions_SetAllowReconnect(options, false),
            natsOptions_SetSendAsap(options, true),
            natsOptions_SetNoEcho(options, !configuration.echo),
            natsOptions_SetPingInterval(options, configuration.pingInterval.natsMilliseconds),
            natsOptions_SetMaxPingsOut(options, NATSLimits.pingsOutMax),
            natsOptions_SetWriteDeadline(options, NATSLimits.writeDeadline.natsMilliseconds),
            // One thread for all subscriptions, so that messages of different ones keep their order.
            nats_SetMessageDeliveryPoolSize(1),
            natsOptions_UseGlobalMessageDelivery(options, true),
            natsOptions_SetClosedCB(options, connectionClosed, closure),
            natsOptions_SetErrorHandler(options, errorHappened, closure),
        ]
        guard let failed = statuses.first(where: { $0 != NATS_OK }) else { return .success(options) }
        natsOptions_Destroy(options)
        return .failure(BusError(connection: failed))
    }

    private static func setServers(_ url: NATSURL, _ options: OpaquePointer) -> natsStatus {
        let texts = url.servers.map { strdup($0.description) }
        defer { for text in texts { free(text) } }
        // libnats shuffles them and copies the texts.
        var pointers = texts.map { $0.map { UnsafePointer<CChar>($0) } }
        return natsOptions_SetServers(options, &pointers, Int32(pointers.count))
    }

    /// Reads the files for TLS before libnats does, whose errors do not name them.
    private static func fileFailure(_ url: NATSURL) -> BusError? {
        guard let files = url.tls else { return nil }
        do throws(TLSError) {
            _ = try TLSContext(.client, files)
            return nil
        } catch {
            return BusError(tls: error, peer: "server", address: "\(url)", authorities: files.authorities)
        }
    }

    /// Without authorities libnats takes the system's. It compares the certificate's names with the server's host.
    private static func setTLS(_ files: TLSFiles?, _ options: OpaquePointer) -> natsStatus {
        guard let files else { return NATS_OK }
        var status = natsOptions_SetSecure(options, true)
        if status == NATS_OK, let path = files.authorities {
            status = natsOptions_LoadCATrustedCertificates(options, path)
        }
        if status == NATS_OK, let certificate = files.certificate, let key = files.key {
            status = natsOptions_LoadCertificatesChain(options, certificate, key)
        }
        return status
    }

    private static func setCredentials(_ credentials: NATSURL.Credentials, _ options: OpaquePointer) -> natsStatus {
        switch credentials {
        case .none: NATS_OK
        case .token(let token): natsOptions_SetToken(options, token)
        case .user(let user, let password): natsOptions_SetUserInfo(options, user, password)
        }
    }
}

/// The links that libnats may call back. Its connection callbacks get a number, not a pointer: a late callback finds no
/// link instead of freed memory.
enum NATSLinks {
    private static let links = Locked<[UInt: NATSLink]>([:])
    private static let last = Locked<UInt>(0)

    static func add(_ link: NATSLink) -> UnsafeMutableRawPointer? {
        let number = last.withLock { last in
            last += 1
            return last
        }
        links.withLock { $0[number] = link }
        return UnsafeMutableRawPointer(bitPattern: number)
    }

    static func find(_ closure: UnsafeMutableRawPointer?) -> NATSLink? {
        links.withLock { $0[UInt(bitPattern: closure)] }
    }

    static func remove(_ link: NATSLink) {
        links.withLock { links in
            for (number, other) in links where other === link { links[number] = nil }
        }
    }
}

private func connectionClosed(_ connection: OpaquePointer?, _ closure: UnsafeMutableRawPointer?) {
    guard let link = NATSLinks.find(closure) else { return }
    var text: UnsafePointer<CChar>?
    let status = natsConnection_GetLastError(connection, &text)
    let detail = text.map { String(cString: $0) }
    link.tell(.lost(BusError(connection: status == NATS_OK ? NATS_CONNECTION_CLOSED : status, detail)))
}

private func errorHappened(
    _ connection: OpaquePointer?, _ subscription: OpaquePointer?, _ status: natsStatus,
    _ closure: UnsafeMutableRawPointer?
) {
    guard status == NATS_NOT_PERMITTED, let link = NATSLinks.find(closure) else { return }
    var text: UnsafePointer<CChar>?
    guard natsConnection_GetLastError(connection, &text) != NATS_OK, let text else { return }
    link.tell(.refused(String(cString: text)))
}

/// The bounds of a NATS client in addition to ``BusClientLimits``, each with its reason.
enum NATSLimits {
    /// Bytes that may wait for libnats to write them. SBP/1's broker keeps as much for a slow consumer. Beyond it
    /// events and requests are refused with `bufferFull`.
    static let outgoingBytesMax = 64 << 20
    /// Messages that may wait for the loop. Beyond it messages are dropped, counted and logged, because libnats reads
    /// on when its reader is slow.
    static let incomingMax = 65_536
    /// Bytes of messages that may wait for the loop.
    static let incomingBytesMax = 64 << 20
    /// Timeout of one write, after which the connection counts as lost.
    static let writeDeadline: Duration = .seconds(2)
    /// Pings without an answer after which the connection is dead.
    static let pingsOutMax: Int32 = 2
}

extension Duration {
    /// Milliseconds for libnats, at least one.
    var natsMilliseconds: Int64 { Int64(max(1, wholeMilliseconds)) }
}
