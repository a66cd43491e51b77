import Crypto
import StoreModels

/// The literal subjects of the hints one stream listens to. Names that users choose never appear in a subject (S13), so
/// a key is the first 32 hexadecimal digits of the SHA-256 of two names with a NUL between them.
enum HintSubject {
    /// Subject for a customer's transactions: the names are `bundleId` and `customerIdentifier`.
    static func changed(_ customer: CustomerReference) -> String {
        PaymentEvents.customerChanged(key: key(customer.bundleId, customer.customerIdentifier))
    }

    /// Subject for an installation's intents: the names are `bundleId` and `deviceId`.
    static func intentsChanged(_ installation: Installation) -> String {
        PromotionEvents.intentsChanged(key: key(installation.bundleId, installation.deviceId))
    }

    private static func key(_ first: String, _ second: String) -> String {
        Hex.text(SHA256.hash(data: Array(first.utf8) + [0] + Array(second.utf8)).prefix(16))
    }
}
