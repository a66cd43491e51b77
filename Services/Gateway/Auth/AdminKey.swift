import Crypto

/// The operator's key. Only its digest is kept, so that the key cannot appear in a log or a crash report.
struct AdminKey: Sendable {
    private let digest: SHA256.Digest

    init(_ key: String) {
        digest = SHA256.hash(data: Array(key.utf8))
    }

    /// Compares digests in constant time, independently of the lengths of the keys.
    func matches(_ candidate: String) -> Bool {
        SHA256.hash(data: Array(candidate.utf8)) == digest
    }
}
