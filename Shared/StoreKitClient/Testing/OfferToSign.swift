internal import SignedData
internal import StoreModels

/// The claims of a promotional offer that the app's server signs, as in Apple's "Generating JWS to sign App Store
/// requests".
package struct OfferToSign: Encodable {
    let iss: String
    let bid: String
    let productId: String
    let offerIdentifier: String
    // The store reads the wall clock, as the app's server does.
    let iat = Int(Date().timeIntervalSince1970)
    let aud = "promotional-offer"
    let nonce = UUID().uuidString.lowercased()

    /// - Parameters:
    ///   - iss: The store's issuer.
    ///   - bid: The app.
    package init(iss: String, bid: String, productId: String, offerIdentifier: String) {
        (self.iss, self.bid, self.productId, self.offerIdentifier) = (iss, bid, productId, offerIdentifier)
    }

    /// Signs the claims.
    /// - Parameter privateKey: PEM.
    /// - Returns: A JWS. Nil for a key that cannot be read.
    package func signed(keyID: String, privateKey: String) -> String? {
        (try? StoreJSON.encode(self)).flatMap { RequestSignature.jws($0, keyID: keyID, privateKey: privateKey) }
    }
}
