import StoreModels

/// The hosted content an app has in the store, every version of it: what availability is decided by.
struct StoredContents: Hashable, Sendable {
    /// Bytes, by product and version.
    private var lengths: [ExactText: [ExactText: Int64]] = [:]

    mutating func add(_ version: String, length: Int64, of productIdentifier: String) {
        lengths[ExactText(productIdentifier), default: [:]][version] = length
    }

    /// Whether what the catalogue declares is there: this version, of this length.
    func hold(_ declared: DeclaredContent, of productIdentifier: String) -> Bool {
        lengths[ExactText(productIdentifier)]?[declared.version] == declared.length
    }
}
