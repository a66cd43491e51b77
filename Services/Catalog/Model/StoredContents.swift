import StoreModels

/// The hosted content of an app in every version, which decides about availability.
struct StoredContents: Hashable, Sendable {
    /// Length in bytes, by product and version.
    private var lengths: [ExactText: [ExactText: Int64]] = [:]

    mutating func add(_ version: String, length: Int64, of productIdentifier: String) {
        lengths[ExactText(productIdentifier), default: [:]][version] = length
    }

    /// Whether the declared content is stored: this version, of this length.
    func hold(_ declared: DeclaredContent, of productIdentifier: String) -> Bool {
        lengths[ExactText(productIdentifier)]?[declared.version] == declared.length
    }
}
