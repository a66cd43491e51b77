import Crypto
import StoreModels

/// The last token of an installation's hint subject. It is a hash, because device names never appear in subjects.
enum InstallationKey {
    /// 32 hexadecimal digits of SHA-256(bundleId NUL deviceId).
    static func of(_ installation: InstallationReference) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let hash = SHA256.hash(data: Array("\(installation.bundleId)\0\(installation.deviceId)".utf8)).prefix(16)
        return String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
