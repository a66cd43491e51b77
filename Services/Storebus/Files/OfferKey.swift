import StoreModels

/// The private key an app's server signs promotional offers with, as it is in a file: PEM, or what
/// `storebus key create --kind subscriptionOffer -o json` prints, which names the key too.
struct OfferKey: Hashable, Sendable {
    var keyIdentifier: String
    var pem: String

    /// - Parameter identifier: of the key; a PEM file has none.
    /// - Throws: `fileNotFound`, `fileUnreadable`; `offerKeyUnusable` for a document without a key, `usage` for PEM whose
    ///   identifier is not given.
    static func read(_ path: String, identifier: String?) throws(CLIError) -> OfferKey {
        let bytes = try FileAccess.read(path, byteCountMax: 1024 * 1024)
        let text = String(decoding: bytes, as: UTF8.self)
        if text.hasPrefix("{") {
            let document = try? StrictJSON.parse(bytes)
            let key = document?["data"] ?? document
            guard let pem = key?["secret"]?.stringValue, let name = identifier ?? key?["keyIdentifier"]?.stringValue
            else { throw unusable("\(path) holds no key that signs offers") }
            return OfferKey(keyIdentifier: name, pem: pem)
        }
        guard let identifier else {
            throw CLIError(
                .usage, "\(path) does not say which key it is", hints: ["add --offer-key-id", "storebus key list"])
        }
        return OfferKey(keyIdentifier: identifier, pem: text)
    }

    static func unusable(_ message: String) -> CLIError {
        CLIError(
            .offerKeyUnusable, message,
            hints: ["a new one: storebus key create --kind subscriptionOffer -o json > offer-key.json"])
    }
}
