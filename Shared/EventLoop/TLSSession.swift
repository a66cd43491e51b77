internal import COpenSSL

/// TLS of one connection, without I/O: OpenSSL between two buffers in memory.
///
/// Received bytes go into `receive`, and `read` takes the plaintext out. Plaintext goes into `write`, `seal` makes
/// records of it, and `takeRecords` takes those out. A handshake consists of records that wait to be taken.
package final class TLSSession {
    /// Plaintext sealed in one go. The loop serves its other streams between two of them.
    static let sealBytes = 256 * 1024

    package private(set) var isEstablished = false
    /// The first failure, after which the session takes no input and seals no output.
    package private(set) var failure: TLSError?
    /// Whether the peer has announced the end of its output.
    package private(set) var peerHasFinished = false

    private let context: TLSContext
    private let peerName: String
    /// Sent instead of an alert to a peer that does not speak TLS.
    private let plainAnswer: [UInt8]
    private let ssl: OpaquePointer
    /// Owned by `ssl`: the received records, and those to be sent.
    private let input: OpaquePointer
    private let output: OpaquePointer
    /// Plaintext that waits for the end of the handshake, or for its turn. The first `sealed` bytes are done.
    private var plaintext = OutputBuffer()
    private var sealed = 0
    private var hasInput = false
    private var hasFinished = false
    private var verifyFailure: TLSError?

    /// - Parameters:
    ///   - peerName: On a client the name or address for which the server's certificate must be.
    ///   - plainAnswer: The answer to a peer without TLS, in the clear.
    /// - Throws: `failed` if memory is short.
    package init(_ context: TLSContext, peerName: String = "", plainAnswer: [UInt8] = []) throws(TLSError) {
        guard let ssl = SSL_new(context.context), let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem())
        else { throw .failed(TLSContext.reason()) }
        self.context = context
        self.peerName = peerName
        self.plainAnswer = plainAnswer
        (self.ssl, self.input, self.output) = (ssl, input, output)
        SSL_set_bio(ssl, input, output)
        tls_set_owner(ssl, Unmanaged.passUnretained(self).toOpaque())
        let verifies = context.verifiesPeer
        SSL_set_verify(ssl, verifies ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT : SSL_VERIFY_NONE) {
            ok, store in
            if ok == 0, let store, let owner = tls_owner(tls_of_store(store)) {
                Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue().refuses(store)
            }
            return ok
        }
        guard context.side == .client else {
            SSL_set_accept_state(ssl)
            return
        }
        if context.checksName {
            let parameters = SSL_get0_param(ssl)
            let isAddress = SocketAddress.numeric(peerName, 0) != nil
            if isAddress {
                X509_VERIFY_PARAM_set1_ip_asc(parameters, peerName)
            } else {
                X509_VERIFY_PARAM_set1_host(parameters, peerName, 0)
                tls_set_server_name(ssl, peerName)
            }
        }
        SSL_set_connect_state(ssl)
        // The hello; it needs no input, so it cannot fail for the peer's sake.
        try handshake()
    }

    deinit { SSL_free(ssl) }

    /// Takes bytes of the peer, and goes on with the handshake.
    /// - Throws: The peer's fault, once. An alert for it is then among the records.
    package func receive(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        guard failure == nil, !peerHasFinished, let first = bytes.first else { return }
        if !hasInput {
            hasInput = true
            // A handshake begins with a hello, or with an alert about ours.
            guard first == UInt8(SSL3_RT_HANDSHAKE) || first == UInt8(SSL3_RT_ALERT) else { throw fail(.notTLS) }
        }
        // At most the loop's read buffer, far below 2 GiB. A buffer in memory takes everything.
        BIO_write(input, bytes.baseAddress, Int32(bytes.count))
        if !isEstablished { try handshake() }
    }

    /// Decrypts the available bytes into `buffer`.
    /// - Returns: The number of bytes, or 0 if the rest of a record has not come yet.
    /// - Throws: As `receive`.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> Int {
        guard isEstablished, failure == nil else { return 0 }
        var count = 0
        while count < buffer.count {
            ERR_clear_error()
            let result = SSL_read(ssl, buffer.baseAddress! + count, Int32(clamping: buffer.count - count))
            if result <= 0 {
                let isEnd = try check(result)
                if isEnd { peerHasFinished = true }
                return count
            }
            count += Int(result)
        }
        return count
    }

    /// Plaintext that waits, in bytes.
    package var waitingBytes: Int { plaintext.count - sealed }

    /// Whether records can be taken, or plaintext waits to become records.
    package var hasOutput: Bool { BIO_ctrl_pending(output) > 0 || isEstablished && waitingBytes > 0 }

    /// Adds plaintext. After a failure it is thrown away.
    package func write(_ bytes: UnsafeRawBufferPointer) {
        if failure == nil, !hasFinished { plaintext.append(bytes) }
    }

    /// Makes records of at most ``sealBytes`` of the plaintext. Nothing before the end of the handshake.
    package func seal() throws(TLSError) {
        guard isEstablished, failure == nil, !hasFinished, waitingBytes > 0 else { return }
        let count = min(waitingBytes, Self.sealBytes)
        ERR_clear_error()
        // A buffer in memory takes all of it.
        let result = SSL_write(ssl, plaintext.bytes.baseAddress! + sealed, Int32(count))
        guard result == count else { throw fail(.failed(TLSContext.reason())) }
        sealed += count
        // The rest moves when it is no more than what was sealed, so each byte moves once at most.
        guard sealed * 2 >= plaintext.count else { return }
        plaintext.removeFirst(sealed)
        sealed = 0
    }

    /// Takes the records that are to be sent.
    package func takeRecords(_ body: (UnsafeRawBufferPointer) -> Void) {
        var bytes: UnsafePointer<CChar>?
        let count = tls_memory(output, &bytes)
        guard count > 0 else { return }
        body(UnsafeRawBufferPointer(start: bytes, count: count))
        tls_forget(output)
    }

    /// Ends the output, after the sealed plaintext. Plaintext that waits for the handshake is thrown away. A peer that
    /// has sent no bytes so far may lack TLS, and gets the answer for such peers.
    package func finish() {
        guard !hasFinished, waitingBytes == 0 || !isEstablished else { return }
        hasFinished = true
        forgetPlaintext()
        guard failure == nil else { return }
        if isEstablished { SSL_shutdown(ssl) } else if !hasInput { answerPlainly() }
    }

    // MARK: Failures

    private func handshake() throws(TLSError) {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 { isEstablished = true } else if try check(result) { throw fail(.failed("the peer ended it")) }
    }

    /// - Returns: Whether the peer has finished. False if it has more to send.
    /// - Throws: The failure.
    private func check(_ result: Int32) throws(TLSError) -> Bool {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return false
        case SSL_ERROR_ZERO_RETURN: return true
        default: throw fail(verifyFailure ?? Self.failure(Int32(ERR_GET_REASON(ERR_peek_error()))))
        }
    }

    private func fail(_ error: TLSError) -> TLSError {
        failure = error
        forgetPlaintext()
        if error == .notTLS { answerPlainly() }
        return error
    }

    private func forgetPlaintext() {
        plaintext.clear()
        sealed = 0
    }

    private func answerPlainly() {
        guard !plainAnswer.isEmpty else { return }
        tls_forget(output)
        BIO_write(output, plainAnswer, Int32(plainAnswer.count))
    }

    private static func failure(_ reason: Int32) -> TLSError {
        let text = TLSContext.reason()
        return switch reason {
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: .certificateRequired
        case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,
            SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN,
            SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, SSL_R_TLSV1_ALERT_UNKNOWN_CA, SSL_R_TLSV1_ALERT_ACCESS_DENIED:
            .certificateRefused(text)
        default: .failed(text)
        }
    }

    /// Notes why a certificate was refused. OpenSSL keeps only a number.
    private func refuses(_ store: OpaquePointer) {
        guard verifyFailure == nil, let certificate = X509_STORE_CTX_get_current_cert(store) else { return }
        let subject = TLSCertificate(certificate)
        let code = X509_STORE_CTX_get_error(store)
        verifyFailure =
            switch code {
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
                .wrongName(wanted: peerName, names: subject.names)
            case X509_V_ERR_CERT_HAS_EXPIRED: .expired(subject: subject.names, on: subject.notAfter)
            case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid(subject: subject.names, from: subject.notBefore)
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
                X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
                .unknownIssuer(subject.issuer)
            default: .untrusted(String(cString: X509_verify_cert_error_string(Int(code))))
            }
    }
}

/// The facts of a certificate that errors name.
private struct TLSCertificate {
    let certificate: OpaquePointer

    init(_ certificate: OpaquePointer) { self.certificate = certificate }

    /// The alternative names, or else the subject.
    var names: String {
        let index = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
        guard index >= 0, let names = X509_get_ext(certificate, index) else {
            return text { tls_print_name($0, X509_get_subject_name(certificate)) }
        }
        return text { X509V3_EXT_print($0, names, 0, 0) }.split(separator: ", ").map { name in
            name.drop { $0 != ":" }.dropFirst()
        }.joined(separator: ", ")
    }

    var issuer: String {
        text { tls_print_name($0, X509_get_issuer_name(certificate)) }
    }

    var notBefore: String { date(X509_get0_notBefore(certificate)) }
    var notAfter: String { date(X509_get0_notAfter(certificate)) }

    private func date(_ time: UnsafePointer<ASN1_TIME>?) -> String { text { ASN1_TIME_print($0, time) } }

    /// The output of `print`, at most 256 bytes, without unprintable characters.
    private func text(_ print: (OpaquePointer) -> Int32) -> String {
        guard let memory = BIO_new(BIO_s_mem()) else { return "?" }
        defer { BIO_free(memory) }
        _ = print(memory)
        var bytes: UnsafePointer<CChar>?
        let count = tls_memory(memory, &bytes)
        let raw = UnsafeRawBufferPointer(start: bytes, count: min(count, 256))
        return String(decoding: raw.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
