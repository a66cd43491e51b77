import COpenSSL
import FoundationEssentials

/// A certificate (X.509), read by libcrypto.
///
/// Two certificates are equal if their bytes are.
package struct Certificate: Hashable, Sendable, CustomStringConvertible {
    /// An extension's content.
    package struct Value: Hashable, Sendable {
        package let isCritical: Bool
        /// DER.
        package let bytes: [UInt8]
    }

    /// The purposes that a key is for, as bits of `KeyUsage` (RFC 5280 §4.2.1.3).
    package struct KeyUsage: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let digitalSignature = KeyUsage(rawValue: UInt32(KU_DIGITAL_SIGNATURE))
        package static let certificateSigning = KeyUsage(rawValue: UInt32(KU_KEY_CERT_SIGN))
        package static let listSigning = KeyUsage(rawValue: UInt32(KU_CRL_SIGN))
    }

    /// Unchecked, because a certificate is only read after it was made, and libcrypto locks what it keeps of it.
    private final class Object: @unchecked Sendable {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) { self.pointer = pointer }

        deinit { X509_free(pointer) }
    }

    /// DER, as it was read.
    package let bytes: [UInt8]
    private let object: Object

    var pointer: OpaquePointer { object.pointer }

    /// Takes over an object of libcrypto's.
    init(taking pointer: OpaquePointer) {
        object = Object(pointer)
        bytes = der { i2d_X509(pointer, $0) }
    }

    /// Reads a certificate.
    /// - Throws: ``CryptographyError`` for other bytes than one certificate.
    package init(derEncoded bytes: some Sequence<UInt8>) throws(CryptographyError) {
        let bytes = Array(bytes)
        object = Object(
            try Cryptography.object("a certificate", in: bytes, free: X509_free) { d2i_X509(nil, $0, $1) })
        self.bytes = bytes
    }

    /// Reads a certificate.
    /// - Throws: ``CryptographyError`` for other text than PEM of a certificate.
    package init(pemEncoded text: String) throws(CryptographyError) {
        self.init(taking: try pemObject("a certificate", in: text) { PEM_read_bio_X509($0, nil, nil, nil) })
    }

    /// PEM, without a last line feed.
    package var pem: String { Cryptography.pem { PEM_write_bio_X509($0, pointer) } }

    package var description: String { subjectText }

    package static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension Certificate {
    /// The name, DER.
    package var subject: [UInt8] { der { i2d_X509_NAME(X509_get_subject_name(pointer), $0) } }
    /// The issuer's name, DER.
    package var issuer: [UInt8] { der { i2d_X509_NAME(X509_get_issuer_name(pointer), $0) } }
    /// The number's bytes, without a zero in front.
    package var serialNumber: [UInt8] { Self.bytes(of: X509_get0_serialNumber(pointer)) }

    /// The first common name, or the whole name if it has none.
    package var subjectText: String {
        let name = X509_get_subject_name(pointer)
        let place = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
        var text: UnsafeMutablePointer<UInt8>?
        let count =
            place < 0 ? -1 : ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, place)))
        guard count >= 0 else {
            ERR_clear_error()
            return Cryptography.pem { tls_print_name($0, name) < 0 ? 0 : 1 }
        }
        defer { CRYPTO_free(text, nil, 0) }
        return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }

    /// The key, if it is one on P-256.
    package var publicKey: P256.Signing.PublicKey? {
        guard let key = X509_get_pubkey(pointer) else {
            ERR_clear_error()
            return nil
        }
        return P256.Signing.PublicKey(KeyObject(key))
    }

    /// The first second of its validity.
    package var notValidBefore: Date { Self.date(X509_get0_notBefore(pointer)) }
    /// The last second of its validity.
    package var notValidAfter: Date { Self.date(X509_get0_notAfter(pointer)) }

    /// Whether it is valid, in its first and last second, too.
    package func isValid(at date: Date) -> Bool { notValidBefore <= date && date < notValidAfter + 1 }

    /// Whether the issuer has signed it.
    package func isSigned(by issuer: Certificate) -> Bool {
        guard let key = X509_get0_pubkey(issuer.pointer), X509_verify(pointer, key) == 1 else {
            ERR_clear_error()
            return false
        }
        return true
    }

    /// Returns an extension's content.
    /// - Parameter identifier: Numbers with periods between.
    package func value(of identifier: String) -> Value? {
        let wanted = OBJ_txt2obj(identifier, 1)
        defer { ASN1_OBJECT_free(wanted) }
        let place = X509_get_ext_by_OBJ(pointer, wanted, -1)
        guard place >= 0, let found = X509_get_ext(pointer, place) else { return nil }
        return Value(
            isCritical: X509_EXTENSION_get_critical(found) == 1, bytes: Self.bytes(of: X509_EXTENSION_get_data(found)))
    }

    /// The purposes of its key. Nil if it does not restrict them.
    package var keyUsage: KeyUsage? {
        let bits = X509_get_key_usage(pointer)
        return bits == UInt32.max ? nil : KeyUsage(rawValue: bits)
    }

    /// Whether its basic constraints say that it is an authority. Nil without basic constraints.
    package var isAuthority: Bool? {
        let flags = X509_get_extension_flags(pointer)
        guard flags & UInt32(EXFLAG_BCONS) != 0 else { return nil }
        return flags & UInt32(EXFLAG_CA) != 0
    }

    /// The most authorities below it. Nil without a limit.
    package var pathLengthMax: Int? {
        let length = X509_get_pathlen(pointer)
        return length < 0 ? nil : length
    }

    /// Whether it may answer for its issuer about revocation.
    package var signsOCSP: Bool {
        let bits = X509_get_extended_key_usage(pointer)
        return bits != UInt32.max && bits & UInt32(XKU_OCSP_SIGN) != 0
    }

    /// The identifier of its key.
    package var subjectKeyIdentifier: [UInt8]? { X509_get0_subject_key_id(pointer).map(Self.bytes(of:)) }
    /// The identifier of its issuer's key.
    package var authorityKeyIdentifier: [UInt8]? { X509_get0_authority_key_id(pointer).map(Self.bytes(of:)) }

    /// The addresses of OCSP responders.
    package var ocspURLs: [String] {
        guard let stack = X509_get1_ocsp(pointer) else { return [] }
        defer { X509_email_free(stack) }
        return (0..<OPENSSL_sk_num(stack)).compactMap { OPENSSL_sk_value(stack, $0) }.map {
            String(cString: $0.assumingMemoryBound(to: CChar.self))
        }
    }

    private static func bytes(of text: UnsafePointer<ASN1_STRING>?) -> [UInt8] {
        Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text))))
    }

    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date {
        var (days, seconds): (Int32, Int32) = (0, 0)
        let epoch = ASN1_TIME_set(nil, 0)
        defer { ASN1_STRING_free(epoch) }
        must(ASN1_TIME_diff(&days, &seconds, epoch, time) == 1)
        return Date(timeIntervalSince1970: Double(days) * 86_400 + Double(seconds))
    }
}

// MARK: Making

/// The content of a certificate that is to be made.
package struct CertificateContent {
    /// An extension.
    package enum Extension: Sendable {
        /// In libcrypto's notation. It is part of the program and never someone's text.
        case known(Known, StaticString)
        /// The names and addresses of a server, by which clients reach it. An address is IPv4 or IPv6.
        case hosts([String])
        /// The address at which clients ask whether the certificate is revoked. ASCII.
        case ocspResponder(String)
        /// DER, behind an identifier of numbers with periods between.
        case encoded(String, [UInt8], isCritical: Bool = false)
    }

    /// Extensions that libcrypto writes.
    package enum Known: Sendable {
        case basicConstraints, keyUsage, extendedKeyUsage

        fileprivate var number: Int32 {
            switch self {
            case .basicConstraints: NID_basic_constraints
            case .keyUsage: NID_key_usage
            case .extendedKeyUsage: NID_ext_key_usage
            }
        }
    }

    /// At most 64 characters.
    package var commonName: String
    /// At most 64 characters. Nil leaves it out.
    package var organization: String?
    /// The issuer's name in DER. Nil for one that signs itself.
    package var issuer: [UInt8]?
    /// A positive number, at most 20 bytes.
    package var serialNumber: [UInt8]
    /// The first second of its validity.
    package var notValidBefore: Date
    /// The last second of its validity.
    package var notValidAfter: Date
    /// The key that the certificate is for.
    package var publicKey: P256.Signing.PublicKey
    /// Besides the identifiers of both keys, which each certificate has.
    package var extensions: [Extension]

    package init(
        commonName: String, organization: String?, issuer: [UInt8]?, serialNumber: [UInt8], notValidBefore: Date,
        notValidAfter: Date, publicKey: P256.Signing.PublicKey, extensions: [Extension]
    ) {
        self.commonName = commonName
        self.organization = organization
        self.issuer = issuer
        self.serialNumber = serialNumber
        self.notValidBefore = notValidBefore
        self.notValidAfter = notValidAfter
        self.publicKey = publicKey
        self.extensions = extensions
    }

    /// Makes the certificate, signed by its issuer's key with SHA-256.
    /// - Throws: ``CryptographyError`` for a name or an extension that no certificate can have.
    package func signed(by key: P256.Signing.PrivateKey) throws(CryptographyError) -> Certificate {
        let certificate = made(X509_new())
        do {
            try fill(certificate, issuerKey: key.publicKey)
        } catch {
            X509_free(certificate)
            throw error
        }
        must(X509_sign(certificate, key.object.pointer, SHA256.algorithm) > 0)
        return Certificate(taking: certificate)
    }

    private func fill(_ certificate: OpaquePointer, issuerKey: P256.Signing.PublicKey) throws(CryptographyError) {
        // Version 3.
        must(X509_set_version(certificate, 2) == 1)
        let number = BN_bin2bn(serialNumber, Int32(serialNumber.count), nil)
        defer { BN_free(number) }
        must(BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil)
        must(ASN1_TIME_set(X509_getm_notBefore(certificate), Int(notValidBefore.timeIntervalSince1970)) != nil)
        must(ASN1_TIME_set(X509_getm_notAfter(certificate), Int(notValidAfter.timeIntervalSince1970)) != nil)
        let name = X509_get_subject_name(certificate)
        for case (let type, let text?) in [("CN", commonName), ("O", organization)] {
            let bytes = Array(text.utf8)
            guard X509_NAME_add_entry_by_txt(name, type, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0) == 1 else {
                throw CryptographyError("naming a certificate '\(text)'")
            }
        }
        if let issuer {
            let issuer = try Cryptography.object("a name", in: issuer, free: X509_NAME_free) {
                d2i_X509_NAME(nil, $0, $1)
            }
            defer { X509_NAME_free(issuer) }
            must(X509_set_issuer_name(certificate, issuer) == 1)
        } else {
            must(X509_set_issuer_name(certificate, name) == 1)
        }
        must(X509_set_pubkey(certificate, publicKey.object.pointer) == 1)
        let identifiers: [Extension] = [
            .encoded("2.5.29.14", [0x04, 20] + Insecure.SHA1.hash(data: publicKey.x963Representation)),
            .encoded("2.5.29.35", [0x30, 22, 0x80, 20] + Insecure.SHA1.hash(data: issuerKey.x963Representation)),
        ]
        for content in extensions + identifiers {
            let encoded = try Self.encoded(content)
            defer { X509_EXTENSION_free(encoded) }
            must(X509_add_ext(certificate, encoded, -1) == 1)
        }
    }

    private static func encoded(_ content: Extension) throws(CryptographyError) -> OpaquePointer {
        switch content {
        case .known(let type, let text):
            return made(X509V3_EXT_conf_nid(nil, nil, type.number, "\(text)"))
        case .hosts(let hosts):
            let names = made(OPENSSL_sk_new_null())
            defer { GENERAL_NAMES_free(names) }
            for host in hosts {
                let address = a2i_GENERAL_NAME(nil, nil, nil, GEN_IPADD, host, 0)
                guard let name = address ?? a2i_GENERAL_NAME(nil, nil, nil, GEN_DNS, host, 0) else {
                    throw CryptographyError("naming '\(host)'")
                }
                must(OPENSSL_sk_push(names, name) > 0)
            }
            // A name that is no address has left an error.
            ERR_clear_error()
            return made(X509V3_EXT_i2d(NID_subject_alt_name, 0, UnsafeMutableRawPointer(names)))
        case .ocspResponder(let address):
            guard let access = ACCESS_DESCRIPTION_new() else { preconditionFailure("libcrypto: no memory") }
            let list = made(OPENSSL_sk_new_null())
            defer { AUTHORITY_INFO_ACCESS_free(list) }
            must(OPENSSL_sk_push(list, access) > 0)
            access.pointee.method = OBJ_nid2obj(NID_ad_OCSP)
            GENERAL_NAME_free(access.pointee.location)
            access.pointee.location = a2i_GENERAL_NAME(nil, nil, nil, GEN_URI, address, 0)
            guard access.pointee.location != nil else { throw CryptographyError("naming '\(address)'") }
            return made(X509V3_EXT_i2d(NID_info_access, 0, UnsafeMutableRawPointer(list)))
        case .encoded(let identifier, let value, let isCritical):
            let type = OBJ_txt2obj(identifier, 1)
            let content = ASN1_OCTET_STRING_new()
            defer {
                ASN1_OBJECT_free(type)
                ASN1_STRING_free(content)
            }
            must(ASN1_OCTET_STRING_set(content, value, Int32(value.count)) == 1)
            guard let made = X509_EXTENSION_create_by_OBJ(nil, type, isCritical ? 1 : 0, content) else {
                throw CryptographyError("the extension \(identifier)")
            }
            return made
        }
    }
}
