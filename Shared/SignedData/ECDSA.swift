#if canImport(CryptoKit)
    import CryptoKit

    /// Signatures and digests of the system's library: CryptoKit here.
    enum ECDSA {
        /// Verifies a signature in DER.
        static func verifies(
            _ signature: [UInt8], of bytes: [UInt8], _ digest: SigningCertificate.Digest, _ key: SigningCertificate.Key
        ) -> Bool {
            switch digest {
            case .sha256: verifies(signature, of: SHA256.hash(data: bytes), key)
            case .sha384: verifies(signature, of: SHA384.hash(data: bytes), key)
            }
        }

        private static func verifies(
            _ signature: [UInt8], of digest: some CryptoKit.Digest, _ key: SigningCertificate.Key
        ) -> Bool {
            switch key.curve {
            case .p256:
                guard let key = try? P256.Signing.PublicKey(x963Representation: key.point),
                    let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
                else { return false }
                return key.isValidSignature(signature, for: digest)
            case .p384:
                guard let key = try? P384.Signing.PublicKey(x963Representation: key.point),
                    let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature)
                else { return false }
                return key.isValidSignature(signature, for: digest)
            }
        }

        /// Signs with SHA-256 and a key on P-256 in PEM.
        /// - Returns: The two numbers of a JWS, 32 bytes each. Nil for a key that cannot be read.
        static func numbers(signing bytes: [UInt8], _ privateKey: String) -> [UInt8]? {
            let key = try? P256.Signing.PrivateKey(pemRepresentation: privateKey)
            return (try? key?.signature(for: bytes)).map { Array($0.rawRepresentation) }
        }

        /// The SHA-384 digest of bytes.
        static func sha384(_ bytes: [UInt8]) -> [UInt8] { Array(SHA384.hash(data: bytes)) }
    }
#else
    internal import COpenSSL

    /// Signatures and digests of the system's library: libcrypto here.
    enum ECDSA {
        /// Verifies a signature in DER.
        static func verifies(
            _ signature: [UInt8], of bytes: [UInt8], _ digest: SigningCertificate.Digest, _ key: SigningCertificate.Key
        ) -> Bool {
            // The key's point is checked to be on its curve.
            let read: OpaquePointer? = key.info.withUnsafeBufferPointer { info in
                var start = info.baseAddress
                return d2i_PUBKEY(nil, &start, info.count)
            }
            guard let read else {
                ERR_clear_error()
                return false
            }
            defer { EVP_PKEY_free(read) }
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            let hash = digest == .sha256 ? EVP_sha256() : EVP_sha384()
            let isValid =
                EVP_DigestVerifyInit(context, nil, hash, nil, read) == 1
                && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
            // A refused signature leaves an error in this thread's list.
            if !isValid { ERR_clear_error() }
            return isValid
        }

        /// Signs with SHA-256 and a key on P-256 in PEM.
        /// - Returns: The two numbers of a JWS, 32 bytes each. Nil for a key that cannot be read.
        static func numbers(signing bytes: [UInt8], _ privateKey: String) -> [UInt8]? {
            let read: OpaquePointer? = privateKey.withCString { text in
                let source = BIO_new_mem_buf(text, -1)
                defer { BIO_free(source) }
                return PEM_read_bio_PrivateKey(source, nil, nil, nil)
            }
            guard let read, let context = EVP_MD_CTX_new() else {
                ERR_clear_error()
                return nil
            }
            defer {
                EVP_PKEY_free(read)
                EVP_MD_CTX_free(context)
            }
            // The longest signature on P-256.
            var (signature, count) = ([UInt8](repeating: 0, count: 72), 72)
            let isSigned =
                EVP_DigestSignInit(context, nil, EVP_sha256(), nil, read) == 1
                && EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1
            guard isSigned else {
                ERR_clear_error()
                return nil
            }
            var rest = signature[..<count]
            let numbers = DER(taking: &rest, DER.Tag.sequence)?.elements?.map { $0.content.drop { $0 == 0 } }
            guard let numbers, numbers.allSatisfy({ $0.count <= 32 }) else { return nil }
            return numbers.flatMap { [UInt8](repeating: 0, count: 32 - $0.count) + $0 }
        }

        /// The SHA-384 digest of bytes.
        static func sha384(_ bytes: [UInt8]) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: 48) { digest, count in
                var length: UInt32 = 0
                let isDone = EVP_Digest(bytes, bytes.count, digest.baseAddress, &length, EVP_sha384(), nil) == 1
                count = isDone ? Int(length) : 0
            }
        }
    }
#endif

extension ECDSA {
    /// Verifies the two numbers of a JWS, 32 bytes each, with SHA-256.
    static func verifies(numbers: [UInt8], of bytes: [UInt8], _ key: SigningCertificate.Key) -> Bool {
        guard numbers.count == 64, key.curve == .p256 else { return false }
        let body = DER.integer(numbers[..<32]) + DER.integer(numbers[32...])
        return verifies([DER.Tag.sequence, UInt8(body.count)] + body, of: bytes, .sha256, key)
    }
}
