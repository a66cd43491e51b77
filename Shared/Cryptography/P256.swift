import COpenSSL
import FoundationEssentials

/// ECDSA on P-256 with SHA-256, by libcrypto under CryptoKit's names.
package enum P256 {
    package enum Signing {}
}

/// A key as libcrypto has it. Unchecked, because a key is only read after it was made.
final class KeyObject: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// The public key's DER (RFC 5480).
    var publicInfo: [UInt8] { der { i2d_PUBKEY(pointer, $0) } }
}

extension P256.Signing {
    /// A public key.
    package struct PublicKey: Hashable, Sendable {
        /// The DER of a point without compression in front of its 64 bytes (RFC 5480 §2).
        private static let prefix: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]

        let object: KeyObject
        /// DER (RFC 5480).
        package let derRepresentation: [UInt8]

        /// Nil for a key on another curve or of another kind.
        init?(_ object: KeyObject) {
            let info = object.publicInfo
            guard info.count == Self.prefix.count + 64, info.starts(with: Self.prefix) else { return nil }
            self.object = object
            derRepresentation = info
        }

        /// Reads a key.
        /// - Throws: ``CryptographyError`` for other text than PEM of a public key on P-256.
        package init(pemRepresentation: String) throws(CryptographyError) {
            let read = try pemObject("a public key", in: pemRepresentation) { PEM_read_bio_PUBKEY($0, nil, nil, nil) }
            guard let key = Self(KeyObject(read)) else { throw CryptographyError("reading a public key on P-256") }
            self = key
        }

        /// PEM, without a last line feed.
        package var pemRepresentation: String { pem { PEM_write_bio_PUBKEY($0, object.pointer) } }
        /// The point: 4, and two numbers of 32 bytes.
        package var x963Representation: ArraySlice<UInt8> { derRepresentation.suffix(65) }

        /// Verifies a signature of bytes.
        package func isValidSignature(_ signature: ECDSASignature, for data: some Sequence<UInt8>) -> Bool {
            let data = Array(data)
            let context = made(EVP_MD_CTX_new())
            defer { EVP_MD_CTX_free(context) }
            must(EVP_DigestVerifyInit(context, nil, SHA256.algorithm, nil, object.pointer) == 1)
            let bytes = signature.bytes
            guard EVP_DigestVerify(context, bytes, bytes.count, data, data.count) == 1 else {
                // A refused signature leaves an error in this thread's list.
                ERR_clear_error()
                return false
            }
            return true
        }

        package static func == (left: Self, right: Self) -> Bool { left.derRepresentation == right.derRepresentation }
        package func hash(into hasher: inout Hasher) { hasher.combine(derRepresentation) }
    }

    /// A private key.
    package struct PrivateKey: Sendable {
        /// The DER around the 32 bytes of a key (RFC 5915), which names the curve and leaves the public key to the reader.
        private static let around: (prefix: [UInt8], suffix: [UInt8]) = (
            [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20],
            [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        )

        let object: KeyObject
        package let publicKey: PublicKey

        private init(_ pointer: OpaquePointer) throws(CryptographyError) {
            object = KeyObject(pointer)
            guard let key = PublicKey(object) else { throw CryptographyError("reading a private key on P-256") }
            publicKey = key
        }

        /// Makes a random key.
        package init() {
            must(isReady)
            let context = made(EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil))
            defer { EVP_PKEY_CTX_free(context) }
            var key: OpaquePointer?
            must(
                EVP_PKEY_keygen_init(context) == 1
                    && EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1
                    && EVP_PKEY_keygen(context, &key) == 1)
            object = KeyObject(made(key))
            guard let publicKey = PublicKey(object) else { preconditionFailure("libcrypto made another key") }
            self.publicKey = publicKey
        }

        /// Reads a key's 32 bytes.
        /// - Throws: ``CryptographyError`` for another length, zero, and numbers beyond the curve's order.
        package init(rawRepresentation: some Collection<UInt8>) throws(CryptographyError) {
            guard rawRepresentation.count == 32 else { throw CryptographyError("reading 32 bytes of a private key") }
            try self.init(derRepresentation: Self.around.prefix + rawRepresentation + Self.around.suffix)
        }

        /// Reads a key.
        /// - Parameter derRepresentation: DER of RFC 5915 or of PKCS#8.
        /// - Throws: ``CryptographyError`` for other bytes, and for keys on other curves.
        package init(derRepresentation: some Sequence<UInt8>) throws(CryptographyError) {
            let read = try Cryptography.object("a private key", in: derRepresentation, free: EVP_PKEY_free) {
                d2i_AutoPrivateKey(nil, $0, $1)
            }
            guard EVP_PKEY_get_id(read) == EVP_PKEY_EC, Self.isConsistent(read) else {
                EVP_PKEY_free(read)
                throw CryptographyError("reading a private key on P-256")
            }
            try self.init(read)
        }

        /// Reads a key.
        /// - Throws: ``CryptographyError`` for other text than PEM of a key on P-256 without a password.
        package init(pemRepresentation: String) throws(CryptographyError) {
            let read = try pemObject("a private key", in: pemRepresentation) { source in
                // Without a function of ours, libcrypto asks the terminal for a password.
                PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
            }
            guard EVP_PKEY_get_id(read) == EVP_PKEY_EC, Self.isConsistent(read) else {
                EVP_PKEY_free(read)
                throw CryptographyError("reading a private key on P-256")
            }
            try self.init(read)
        }

        /// Whether the number is in its range and the point is its own.
        private static func isConsistent(_ key: OpaquePointer) -> Bool {
            let context = made(EVP_PKEY_CTX_new_from_pkey(nil, key, nil))
            defer { EVP_PKEY_CTX_free(context) }
            return EVP_PKEY_check(context) == 1
        }

        /// The number, 32 bytes.
        package var rawRepresentation: [UInt8] {
            var number: OpaquePointer?
            must(EVP_PKEY_get_bn_param(object.pointer, "priv", &number) == 1)
            defer { BN_clear_free(number) }
            return filled(32) { BN_bn2binpad(number, $0, 32) == 32 }
        }

        /// DER of PKCS#8.
        package var derRepresentation: [UInt8] {
            let info = made(EVP_PKEY2PKCS8(object.pointer))
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            return der { i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
        }

        /// PEM of PKCS#8, without a last line feed.
        package var pemRepresentation: String {
            pem { PEM_write_bio_PKCS8PrivateKey($0, object.pointer, nil, nil, 0, nil, nil) }
        }

        /// Signs bytes.
        package func signature(for data: some Sequence<UInt8>) -> ECDSASignature {
            let data = Array(data)
            let context = made(EVP_MD_CTX_new())
            defer { EVP_MD_CTX_free(context) }
            // The longest signature on P-256.
            var (bytes, count) = ([UInt8](repeating: 0, count: 72), 72)
            must(
                EVP_DigestSignInit(context, nil, SHA256.algorithm, nil, object.pointer) == 1
                    && EVP_DigestSign(context, &bytes, &count, data, data.count) == 1)
            return ECDSASignature(signed: Array(bytes[..<count]))
        }
    }

    /// A signature: two numbers.
    package struct ECDSASignature: Sendable {
        /// DER of a sequence of two integers.
        let bytes: [UInt8]

        fileprivate init(signed bytes: [UInt8]) { self.bytes = bytes }

        /// Reads a signature.
        /// - Throws: ``CryptographyError`` for other bytes than DER of two integers.
        package init(derRepresentation: some Sequence<UInt8>) throws(CryptographyError) {
            let bytes = Array(derRepresentation)
            let numbers = try Self.numbers(bytes)
            defer { ECDSA_SIG_free(numbers) }
            // libcrypto reads BER, too.
            let isOfCurve = [ECDSA_SIG_get0_r(numbers), ECDSA_SIG_get0_s(numbers)].allSatisfy {
                BN_is_negative($0) == 0 && BN_num_bits($0) <= 256
            }
            guard isOfCurve, der({ i2d_ECDSA_SIG(numbers, $0) }) == bytes else {
                throw CryptographyError("reading a signature")
            }
            self.bytes = bytes
        }

        /// Reads a signature of a JWS.
        /// - Throws: ``CryptographyError`` for another count than 64 bytes.
        package init(rawRepresentation: some Sequence<UInt8>) throws(CryptographyError) {
            let raw = Array(rawRepresentation)
            guard raw.count == 64 else { throw CryptographyError("reading a signature of 64 bytes") }
            let numbers = made(ECDSA_SIG_new())
            defer { ECDSA_SIG_free(numbers) }
            let (first, second) = raw.withUnsafeBufferPointer {
                (BN_bin2bn($0.baseAddress, 32, nil), BN_bin2bn($0.baseAddress! + 32, 32, nil))
            }
            must(ECDSA_SIG_set0(numbers, first, second) == 1)
            bytes = der { i2d_ECDSA_SIG(numbers, $0) }
        }

        /// DER of a sequence of two integers.
        package var derRepresentation: Data { Data(bytes) }

        /// The two numbers, 32 bytes each, as a JWS has them.
        package var rawRepresentation: [UInt8] {
            guard let numbers = try? Self.numbers(bytes) else { preconditionFailure("a signature was read before") }
            defer { ECDSA_SIG_free(numbers) }
            return [ECDSA_SIG_get0_r(numbers), ECDSA_SIG_get0_s(numbers)].flatMap { number in
                filled(32) { BN_bn2binpad(number, $0, 32) == 32 }
            }
        }

        private static func numbers(_ bytes: [UInt8]) throws(CryptographyError) -> OpaquePointer {
            try object("a signature", in: bytes, free: ECDSA_SIG_free) { d2i_ECDSA_SIG(nil, $0, $1) }
        }
    }
}
