import Crypto
import Foundation
import StoreModels

extension StoreKitFileReader {
    /// Reads `subscriptionOffersKeyPair`, the key with which Xcode signs promotional offers. Only its public half is
    /// kept; the private half is read here and not stored. An unreadable key rejects no file: an export has none.
    mutating func readOfferKey(_ place: JSONPlace) -> SubscriptionOfferKey? {
        guard !place.isAbsent else { return nil }
        guard let identifier = place.member("id").value?.stringValue,
            (1...Self.identifierCharactersMax).contains(identifier.unicodeScalars.count),
            let text = place.member("privateKey").value?.stringValue, let bytes = Data(base64Encoded: text),
            let key = try? P256.Signing.PrivateKey(derRepresentation: bytes)
        else {
            findings.note("\(place.path) has no key that can be read; promotional offers cannot be signed with it.")
            return nil
        }
        return SubscriptionOfferKey(keyIdentifier: identifier, publicKey: key.publicKey.pemRepresentation)
    }
}
