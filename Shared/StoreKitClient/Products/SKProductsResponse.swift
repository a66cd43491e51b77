/// What the store knows of the identifiers it was asked about: each is in one of the two lists.
open class SKProductsResponse: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: the lists are set once, before anything else sees them.
    private var found: [SKProduct] = []
    private var invalid: [String] = []

    public override init() { super.init() }

    convenience init(products: [SKProduct], invalidProductIdentifiers: [String]) {
        self.init()
        found = products
        invalid = invalidProductIdentifiers
    }

    /// What can be bought, each product once.
    open var products: [SKProduct] { found }
    /// What the store does not sell to this customer in this app; `storebus product explain` says why.
    open var invalidProductIdentifiers: [String] { invalid }
}
