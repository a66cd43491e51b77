#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// UUIDs in lower case, as the store writes them.
package enum UUIDText {
    /// Makes a UUID of bytes.
    /// - Parameters:
    ///   - bytes: At least 16. Those behind are not used.
    ///   - version: The version of RFC 9562: 4 for random bytes, 5 for a digest by SHA-1, 8 for the store's own making.
    package static func make(_ bytes: some Sequence<UInt8>, version: UInt8) -> String {
        var bytes = Array(bytes.prefix(16))
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Hex.text(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// Returns a UUID of any spelling in lower case. Nil for text that is not a UUID.
    package static func read(_ text: String) -> String? {
        // 32 digits and 4 hyphens.
        guard text.utf8.count == 36 else { return nil }
        return UUID(uuidString: text)?.uuidString.lowercased()
    }
}
