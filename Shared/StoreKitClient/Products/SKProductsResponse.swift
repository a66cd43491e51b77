/// The response to a products request. Each requested identifier is in one of the two lists.
open class SKProductsResponse: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: the lists are set once, before the object is shared.
    private var found: [SKProduct] = []
    private var invalid: [String] = []

    /// Creates an empty response, for subclasses in an app's tests.
    public override init() { super.init() }

    convenience init(products: [SKProduct], invalidProductIdentifiers: [String]) {
        self.init()
        found = products
        invalid = invalidProductIdentifiers
    }

    /// The products that can be bought, each once.
    open var products: [SKProduct] { found }
    /// The identifiers that the store does not sell to this customer in this app. `storebus product explain` says why.
    open var invalidProductIdentifiers: [String] { invalid }
}
