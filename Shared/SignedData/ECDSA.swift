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
