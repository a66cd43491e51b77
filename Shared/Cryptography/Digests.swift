import COpenSSL
import FoundationEssentials

/// A hash function of libcrypto, under CryptoKit's name.
package protocol HashFunction: ~Copyable {
    /// The bytes of a digest.
    static var byteCount: Int { get }
    /// The function as libcrypto knows it.
    static var algorithm: OpaquePointer { get }
}

extension HashFunction where Self: ~Copyable {
    /// Returns the digest of bytes.
    package static func hash(data: some Sequence<UInt8>) -> [UInt8] {
        data.withContiguousStorageIfAvailable(digest(of:)) ?? Array(data).withUnsafeBufferPointer(digest(of:))
    }

    private static func digest(of bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        filled(byteCount) { EVP_Digest(bytes.baseAddress, bytes.count, $0, nil, algorithm, nil) == 1 }
    }
}

/// SHA-256, of bytes at once or part by part.
package struct SHA256: HashFunction, ~Copyable, @unchecked Sendable {
    package static let byteCount = 32
    // libcrypto's own lookup takes as long as a short digest. Its function is never changed.
    nonisolated(unsafe) package static let algorithm = fetched("SHA256")

    private let context: OpaquePointer

    /// Begins a digest.
    package init() {
        context = made(EVP_MD_CTX_new())
        must(EVP_DigestInit_ex(context, Self.algorithm, nil) == 1)
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds the next bytes.
    package mutating func update(data: some Sequence<UInt8>) {
        let context = context
        let isDone =
            data.withContiguousStorageIfAvailable { EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1 }
            ?? Array(data).withUnsafeBufferPointer { EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1 }
        must(isDone)
    }

    /// Returns the digest of all bytes.
    package consuming func finalize() -> [UInt8] {
        let context = context
        return filled(Self.byteCount) { EVP_DigestFinal_ex(context, $0, nil) == 1 }
    }
}

/// SHA-384.
package enum SHA384: HashFunction {
    package static let byteCount = 48
    nonisolated(unsafe) package static let algorithm = fetched("SHA384")
}

/// Functions that no signature may rely on.
package enum Insecure {
    /// SHA-1, for identifiers whose rules name it.
    package enum SHA1: HashFunction {
        package static let byteCount = 20
        nonisolated(unsafe) package static let algorithm = fetched("SHA1")
    }
}

/// A secret of any length. Its description shows none of it.
package struct SymmetricKey: Sendable, CustomStringConvertible {
    /// The secret.
    package let bytes: [UInt8]

    /// Keeps a secret.
    package init(data: some Sequence<UInt8>) { bytes = Array(data) }

    /// Makes 32 random bytes.
    package init() {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<32).map { _ in .random(in: 0...255, using: &generator) }
    }

    package var description: String { "\(bytes.count) secret bytes" }
}

/// Authentication codes by a hash function and a key (RFC 2104).
package enum HMAC<Hash: HashFunction & ~Copyable> {
    /// Returns the code of bytes.
    package static func authenticationCode(for data: some Sequence<UInt8>, using key: SymmetricKey) -> [UInt8] {
        let data = Array(data)
        return filled(Hash.byteCount) {
            COpenSSL.HMAC(Hash.algorithm, key.bytes, Int32(key.bytes.count), data, data.count, $0, nil) != nil
        }
    }

    /// Compares a code with that of bytes, in a time that does not depend on either.
    package static func isValidAuthenticationCode(
        _ code: some Sequence<UInt8>, authenticating data: some Sequence<UInt8>, using key: SymmetricKey
    ) -> Bool {
        isEqualInConstantTime(Array(code), authenticationCode(for: data, using: key))
    }
}

/// Keys made from keys (RFC 5869).
package enum HKDF<Hash: HashFunction & ~Copyable> {
    /// Returns a key of as many bytes as a digest.
    /// - Parameter info: The key's purpose.
    package static func deriveKey(inputKeyMaterial: SymmetricKey, salt: [UInt8], info: [UInt8]) -> SymmetricKey {
        let context = made(EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil))
        defer { EVP_PKEY_CTX_free(context) }
        let key = inputKeyMaterial.bytes
        must(
            EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_CTX_set_hkdf_md(context, Hash.algorithm) == 1
                && EVP_PKEY_CTX_set1_hkdf_key(context, key, Int32(key.count)) == 1
                && EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(salt.count)) == 1
                && EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)) == 1)
        var count = Hash.byteCount
        return SymmetricKey(data: filled(count) { EVP_PKEY_derive(context, $0, &count) == 1 })
    }
}

/// Compares secrets, in a time that depends on their lengths only.
package func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}

// MARK: Calls of libcrypto

/// Keeps libcrypto from freeing its tables when the process exits, because other threads may sign until the end. It has
/// an effect only before the first other call.
let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

/// An error of libcrypto: bytes that are not what they should be.
package struct CryptographyError: Error, CustomStringConvertible {
    package let description: String

    /// Takes the last error of this thread's list, and empties the list.
    /// - Parameter attempt: The attempt that failed, such as `reading a certificate`.
    init(_ attempt: String) {
        let code = ERR_peek_last_error()
        let reason = code == 0 ? nil : ERR_reason_error_string(code).map { String(cString: $0) }
        ERR_clear_error()
        description = "\(attempt): \(reason ?? "it is in another form")"
    }
}

/// Stops the process for a failure that only a lack of memory or a library without its functions explains.
func must(_ isDone: Bool) {
    precondition(isDone, "libcrypto: \(CryptographyError("calling it"))")
}

/// The object that libcrypto has made.
func made(_ object: OpaquePointer?) -> OpaquePointer {
    guard let object else { preconditionFailure("libcrypto: \(CryptographyError("calling it"))") }
    return object
}

/// Fills bytes by one call.
func filled(_ count: Int, _ fill: (UnsafeMutablePointer<UInt8>?) -> Bool) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
        must(fill(bytes.baseAddress))
        initialized = count
    }
}

private func fetched(_ name: String) -> OpaquePointer {
    must(isReady)
    return made(EVP_MD_fetch(nil, name, nil))
}

/// Writes an object's DER by one of libcrypto's functions.
func der(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
    var start: UnsafeMutablePointer<UInt8>?
    let count = Int(write(&start))
    must(count > 0)
    defer { CRYPTO_free(start, nil, 0) }
    return Array(UnsafeBufferPointer(start: start, count: count))
}

/// Reads an object from DER that it fills whole.
/// - Parameter kind: The object in an error, such as `a certificate`.
func object(
    _ kind: String, in bytes: some Sequence<UInt8>, free: (OpaquePointer?) -> Void,
    _ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
) throws(CryptographyError) -> OpaquePointer {
    must(isReady)
    let bytes = Array(bytes)
    let (object, isWhole) = bytes.withUnsafeBufferPointer { buffer in
        var rest = buffer.baseAddress
        let object = read(&rest, buffer.count)
        return (object, rest == buffer.baseAddress.map { $0 + buffer.count })
    }
    guard let object else { throw CryptographyError("reading \(kind)") }
    guard isWhole else {
        free(object)
        throw CryptographyError("reading \(kind)")
    }
    return object
}

/// Reads a text by libcrypto's reader of PEM.
func pemObject(
    _ kind: String, in text: String, _ read: (OpaquePointer) -> OpaquePointer?
) throws(CryptographyError) -> OpaquePointer {
    must(isReady)
    let source = made(BIO_new(BIO_s_mem()))
    defer { BIO_free(source) }
    let bytes = Array(text.utf8)
    guard bytes.count <= Int32.max, BIO_write(source, bytes, Int32(bytes.count)) == Int32(bytes.count),
        let object = read(source)
    else { throw CryptographyError("reading \(kind)") }
    return object
}

/// Writes a text by libcrypto's writer of PEM, without a last line feed.
func pem(_ write: (OpaquePointer) -> Int32) -> String {
    let target = made(BIO_new(BIO_s_mem()))
    defer { BIO_free(target) }
    must(write(target) == 1)
    var start: UnsafePointer<CChar>?
    let count = tls_memory(target, &start)
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    return String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
}
