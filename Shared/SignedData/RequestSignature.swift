internal import StoreModels

/// The signature of an app's server for a request, which tests make in its place.
package enum RequestSignature {
    /// Signs claims as a JWS, with ES256.
    /// - Parameters:
    ///   - claims: JSON.
    ///   - keyID: The `kid` of the header.
    ///   - privateKey: PKCS #8 in PEM, on P-256.
    /// - Returns: Nil for a key that cannot be read.
    package static func jws(_ claims: [UInt8], keyID: String, privateKey: String) -> String? {
        let header = JSONValue.object(["alg": "ES256", "kid": .string(keyID), "typ": "JWT"])
        guard let header = try? StoreJSON.encode(header) else { return nil }
        let input = "\(Base64URL.encode(header)).\(Base64URL.encode(claims))"
        let numbers = ECDSA.numbers(signing: Array(input.utf8), privateKey)
        return numbers.map { "\(input).\(Base64URL.encode($0))" }
    }
}
