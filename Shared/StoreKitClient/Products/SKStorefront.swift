internal import StoreModels

/// The store of one country.
open class SKStorefront: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: the model is set once, before the object is shared.
    private var model: StoreModels.Storefront?

    /// Creates an empty storefront, for subclasses in an app's tests.
    public override init() { super.init() }

    convenience init(_ model: StoreModels.Storefront) {
        self.init()
        self.model = model
    }

    /// The country's ISO 3166-1 alpha-3 code.
    open var countryCode: String { model?.countryCode ?? "" }
    /// The store's number of the storefront.
    open var identifier: String { model?.identifier ?? "" }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let model, let other = object as? SKStorefront else { return super.isEqual(object) }
        return other.model == model
    }
    open override var hash: Int { model?.identifier.hashValue ?? super.hash }
}
