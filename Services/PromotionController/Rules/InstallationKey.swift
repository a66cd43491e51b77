import Crypto
import StoreModels

/// The last token of an installation's hint subject. It is a hash, because device names never appear in subjects.
enum InstallationKey {
    /// 32 hexadecimal digits of SHA-256(bundleId NUL deviceId).
    static func of(_ installation: InstallationReference) -> String {
        Hex.text(SHA256.hash(data: Array("\(installation.bundleId)\0\(installation.deviceId)".utf8)).prefix(16))
    }
}
