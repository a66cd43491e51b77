import Foundation

/// What the store knows of the identifiers it was asked about: each is in one of the two lists.
public final class SKProductsResponse: NSObject, Sendable {
    /// What can be bought, each product once.
    public let products: [SKProduct]
    /// What the store does not sell to this customer in this app; `storebus product explain` says why.
    public let invalidProductIdentifiers: [String]

    init(products: [SKProduct], invalidProductIdentifiers: [String]) {
        self.products = products
        self.invalidProductIdentifiers = invalidProductIdentifiers
    }
}
