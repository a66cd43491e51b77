import StoreModels

/// A JWS that an app's server has signed, before its signature is checked.
package struct AppServerJWS: Sendable {
    /// The header's `kid`. Nil without one.
    package let keyIdentifier: String?
    /// The payload's bytes, which may be anything.
    package let payload: [UInt8]
    /// Two numbers of 32 bytes each, if it is a signature of ES256.
    package let signature: [UInt8]
    /// The text that is signed: header and payload in base64url, with a period between.
    package let input: [UInt8]

    /// Reads a JWS.
    /// - Returns: Nil unless the header is strict JSON that names ES256, and demands no extension.
    package init?(_ text: String) {
        guard let parts = Base64URL.parts(ofJWS: text), let header = try? StrictJSON.parse(parts[0]),
            header["alg"]?.stringValue == "ES256", header["crit"] == nil,
            let end = text.utf8.lastIndex(of: UInt8(ascii: "."))
        else { return nil }
        keyIdentifier = header["kid"]?.stringValue
        payload = parts[1]
        signature = parts[2]
        input = Array(text.utf8[..<end])
    }
}
