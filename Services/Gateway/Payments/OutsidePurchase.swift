import StoreHTTP
import StoreModels

extension OutsidePurchase: CheckedBody {
    /// Device identifier of transactions bought outside the app.
    static let deviceId = "app-store"

    package func validate() throws(StoreError) {
        try Identifier.check(account, as: .account, at: "$.account")
        try Identifier.check(productIdentifier, as: .product, at: "$.productIdentifier")
        guard let offer else { return }
        switch offer.type {
        case .introductory:
            guard offer.identifier == nil else {
                throw .invalid("$.offer.identifier", "must be left out for an introductory offer")
            }
        case .code, .winBack:
            guard let identifier = offer.identifier else { throw .invalid("$.offer.identifier", "is missing") }
            try Identifier.check(identifier, at: "$.offer.identifier")
        case .subscription:
            throw .invalid("$.offer.type", "is introductory, code or winBack; a promotional offer is signed and in-app")
        }
    }

    func payment(key: String) -> Payment {
        Payment(requestIdentifier: key, productIdentifier: productIdentifier, quantity: quantity?.number ?? 1)
    }
}
