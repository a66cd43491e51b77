internal import COpenSSL
import Glibc

/// The files of one side of TLS, as PEM. Read by ``TLSContext``.
package struct TLSFiles: Sendable, Hashable {
    /// The content of a file.
    package enum Kind: String, Sendable {
        case authorities, certificate, key
    }

    /// The authorities whose signatures count. On a client nil means the system's. On a server nil means that clients
    /// need no certificate.
    package var authorities: String?
    /// This side's certificate, followed by those that lead to an authority.
    package var certificate: String?
    /// The certificate's private key, without a password.
    package var key: String?
    /// Whether the peer's certificate must be for the name that was asked for. False only where `authorities` is the
    /// peer's certificate itself.
    package var checksName = true

    /// Creates a set of files, by default an empty one.
    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }
}

/// The shared state of one side's sessions: certificate, key and authorities.
package final class TLSContext: Sendable {
    /// The side of a session.
    package enum Side: Sendable {
        case client, server
    }

    let side: Side
    let checksName: Bool
    /// Whether the peer needs a certificate.
    let verifiesPeer: Bool
    /// OpenSSL's object, which never changes after `init`. Its count of references is atomic.
    nonisolated(unsafe) let context: OpaquePointer

    /// Reads the files.
    /// - Throws: `file`, naming the file and its fault.
    package init(_ side: Side, _ files: TLSFiles) throws(TLSError) {
        Self.prepareOpenSSL()
        guard let context = SSL_CTX_new(side == .client ? TLS_client_method() : TLS_server_method()) else {
            throw .failed(Self.reason())
        }
        self.side = side
        self.context = context
        checksName = files.checksName
        verifiesPeer = side == .client || files.authorities != nil
        tls_context_configure(context)
        // Otherwise OpenSSL would ask for the password of a key on the terminal.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in -1 }
        try loadIdentity(files)
        try loadAuthorities(files.authorities)
    }

    /// Takes a server's identity from memory, as DER. Clients need no certificate.
    /// - Parameters:
    ///   - chain: The certificate, followed by those that lead to an authority.
    ///   - key: The certificate's private key.
    /// - Throws: `failed`, with OpenSSL's words.
    package convenience init(chain: [[UInt8]], key: [UInt8]) throws(TLSError) {
        try self.init(.server, TLSFiles())
        ERR_clear_error()
        for (index, der) in chain.enumerated() {
            let certificate = Self.decoded(der) { d2i_X509(nil, $0, $1) }
            defer { X509_free(certificate) }
            guard let certificate,
                (index == 0
                    ? SSL_CTX_use_certificate(context, certificate) : tls_add_to_chain(context, certificate)) == 1
            else { throw .failed("certificate \(index + 1) of the chain: \(Self.reason())") }
        }
        let own = Self.decoded(key) { d2i_AutoPrivateKey(nil, $0, $1) }
        defer { EVP_PKEY_free(own) }
        guard let own, SSL_CTX_use_PrivateKey(context, own) == 1 else {
            throw .failed("the private key: \(Self.reason())")
        }
    }

    deinit { SSL_CTX_free(context) }

    /// Keeps OpenSSL from freeing its tables when the process exits. A thread of libnats may use them until the end. It
    /// has an effect only before the first other call of OpenSSL, so callers of libraries that use it call this first.
    package static func prepareOpenSSL() { _ = isPrepared }

    private static let isPrepared = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    private func loadIdentity(_ files: TLSFiles) throws(TLSError) {
        guard let certificate = files.certificate, let key = files.key else {
            if let certificate = files.certificate {
                throw .file(.certificate, path: certificate, problem: "has no file of the key beside it")
            }
            if let key = files.key { throw .file(.key, path: key, problem: "has no file of the certificate beside it") }
            return
        }
        try Self.checkReadable(.certificate, certificate)
        try Self.checkReadable(.key, key)
        ERR_clear_error()
        guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
            throw .file(.certificate, path: certificate, problem: "has no certificate in PEM: \(Self.reason())")
        }
        guard SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1 else {
            if Int32(ERR_GET_REASON(ERR_peek_last_error())) == X509_R_KEY_VALUES_MISMATCH {
                throw .file(.key, path: key, problem: "does not belong to the certificate \(certificate)")
            }
            throw .file(.key, path: key, problem: "has no private key in PEM without a password: \(Self.reason())")
        }
    }

    private static func decoded(
        _ der: [UInt8], _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) -> OpaquePointer? {
        der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return decode(&position, bytes.count)
        }
    }

    private func loadAuthorities(_ path: String?) throws(TLSError) {
        ERR_clear_error()
        if let path {
            try Self.checkReadable(.authorities, path)
            guard SSL_CTX_load_verify_file(context, path) == 1 else {
                throw .file(.authorities, path: path, problem: "has no certificate in PEM: \(Self.reason())")
            }
            // An authority need not be a root: each certificate of the file is trusted.
            X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), UInt(X509_V_FLAG_PARTIAL_CHAIN))
            if side == .server { SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(path)) }
        } else if side == .client {
            SSL_CTX_set_default_verify_paths(context)
        }
    }

    private static func checkReadable(_ kind: TLSFiles.Kind, _ path: String) throws(TLSError) {
        guard access(path, F_OK) == 0 else { throw .file(kind, path: path, problem: "does not exist") }
        guard access(path, R_OK) == 0 else { throw .file(kind, path: path, problem: "cannot be read") }
    }

    /// OpenSSL's words for the oldest error of this thread.
    static func reason() -> String {
        ERR_reason_error_string(ERR_peek_error()).map { String(cString: $0) } ?? "no reason given"
    }
}
