internal import COpenSSL
internal import EventLoop
import Foundation

/// A certificate authority of a test's own. Its certificate and those it signs are PEM files in a directory.
public final class TestAuthority: Sendable {
    /// The files of a certificate.
    public struct Identity: Sendable {
        /// The certificate.
        public let certificate: String
        /// Its private key.
        public let key: String
    }

    /// A failed call of OpenSSL.
    public struct Failure: Error {}

    /// Its subject, as OpenSSL prints it.
    public let name: String
    /// The file of its own certificate.
    public let certificate: String
    private let directory: TemporaryDirectory
    private let key: Key

    /// Unchecked, because keys are only read after they were made.
    private final class Key: @unchecked Sendable {
        let pointer: OpaquePointer

        init() throws {
            let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
            defer { EVP_PKEY_CTX_free(context) }
            var made: OpaquePointer?
            guard EVP_PKEY_keygen_init(context) == 1,
                EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
                EVP_PKEY_keygen(context, &made) == 1, let made
            else { throw Failure() }
            pointer = made
        }

        deinit { EVP_PKEY_free(pointer) }
    }

    /// Makes an authority.
    public init(_ name: String = "Test Authority") throws {
        TLSContext.prepareOpenSSL()
        self.name = "CN = \(name)"
        directory = try TemporaryDirectory(prefix: "storebus-tls")
        key = try Key()
        certificate = directory.file("ca.pem")
        try Self.write(
            try Self.make(
                subject: name, key: key, issuer: name, signer: key, days: -1...1,
                extensions: [NID_basic_constraints: "critical,CA:TRUE", NID_key_usage: "critical,keyCertSign"]),
            to: certificate)
    }

    /// Makes a key and a certificate for it.
    /// - Parameters:
    ///   - names: The alternative names, such as `DNS:broker.example` and `IP:127.0.0.1`.
    ///   - days: The validity, counted from now.
    public func identity(
        _ file: String, names: [String] = ["DNS:localhost", "IP:127.0.0.1"], days: ClosedRange<Int> = -1...1
    ) throws -> Identity {
        let own = try Key()
        let identity = Identity(certificate: directory.file("\(file).pem"), key: directory.file("\(file).key"))
        try Self.write(
            try Self.make(
                subject: file, key: own, issuer: String(name.dropFirst(5)), signer: key, days: days,
                extensions: [NID_subject_alt_name: names.joined(separator: ",")]), to: identity.certificate)
        let output = BIO_new_file(identity.key, "w")
        defer { BIO_free(output) }
        guard PEM_write_bio_PrivateKey(output, own.pointer, nil, nil, 0, nil, nil) == 1 else { throw Failure() }
        return identity
    }

    private static func make(
        subject: String, key: Key, issuer: String, signer: Key, days: ClosedRange<Int>, extensions: [Int32: String]
    ) throws -> OpaquePointer {
        guard let made = X509_new() else { throw Failure() }
        X509_set_version(made, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(made), Int.random(in: 1...Int(Int32.max)))
        let day = 86_400
        X509_gmtime_adj(X509_getm_notBefore(made), days.lowerBound * day)
        X509_gmtime_adj(X509_getm_notAfter(made), days.upperBound * day)
        X509_set_pubkey(made, key.pointer)
        for (name, text) in [(X509_get_subject_name(made), subject), (X509_get_issuer_name(made), issuer)] {
            X509_NAME_add_entry_by_txt(name, "CN", Int32(MBSTRING_UTF8), text, -1, -1, 0)
        }
        for (kind, value) in extensions {
            guard let part = X509V3_EXT_conf_nid(nil, nil, kind, value) else { throw Failure() }
            X509_add_ext(made, part, -1)
            X509_EXTENSION_free(part)
        }
        guard X509_sign(made, signer.pointer, EVP_sha256()) > 0 else { throw Failure() }
        return made
    }

    /// Writes a certificate and frees it.
    private static func write(_ certificate: OpaquePointer, to path: String) throws {
        defer { X509_free(certificate) }
        let output = BIO_new_file(path, "w")
        defer { BIO_free(output) }
        guard PEM_write_bio_X509(output, certificate) == 1 else { throw Failure() }
    }
}
