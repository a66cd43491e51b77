#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An API key as a server sends it, `sbk_7K2MZQ4TXA_<43 characters of base64url>`. It contains its identifier, by which
/// the store finds it without comparing secrets.
package struct APIKeyText {
    private static let prefix = "sbk_"

    package let text: String
    package let keyIdentifier: String

    package init(keyIdentifier: String, secret: [UInt8]) {
        let encoded = Data(secret).base64EncodedString().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        self.keyIdentifier = keyIdentifier
        text = "\(Self.prefix)\(keyIdentifier)_\(String(encoded.filter { $0 != "=" }))"
    }

    /// Parses a bearer token. Nil for text that is not an API key.
    package init?(_ token: String) {
        guard token.hasPrefix(Self.prefix), token.utf8.count <= 128 else { return nil }
        let rest = token.dropFirst(Self.prefix.count)
        guard let end = rest.firstIndex(of: "_"), end != rest.startIndex else { return nil }
        text = token
        keyIdentifier = String(rest[..<end])
    }
}
