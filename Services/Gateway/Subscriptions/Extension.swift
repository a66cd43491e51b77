import StoreModels

/// The body of `POST /admin/v1/transactions/{id}/extend`: `{"days":30}`.
struct Extension: Decodable {
    var days: Int
    /// Range of days, as in Apple's server API.
    static let daysAllowed = 1...90

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        guard Self.daysAllowed.contains(days) else {
            throw .invalid("$.days", "must be \(Self.daysAllowed.lowerBound) to \(Self.daysAllowed.upperBound)")
        }
    }
}
