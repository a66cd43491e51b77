/// The reason why a receipt is refused.
public enum ReceiptError: String, Error, CaseIterable, Sendable {
    /// It is not base64 or not PKCS#7, or the signed content is not a receipt.
    case malformed
    /// The signature is not this store's, or what is signed has been changed.
    case signature
    /// It is another app's.
    case bundleId
    /// It is of the other environment.
    case environment
}
