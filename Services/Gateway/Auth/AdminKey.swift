import Crypto

/// The operator's key. Kept as a digest only, so that it cannot end up in a log or a crash report.
struct AdminKey: Sendable {
    private let digest: SHA256.Digest

    init(_ key: String) {
        digest = SHA256.hash(data: Array(key.utf8))
    }

    /// Compares digests in constant time, whatever the lengths.
    func matches(_ candidate: String) -> Bool {
        SHA256.hash(data: Array(candidate.utf8)) == digest
    }
}
