import StoreHTTP
import StoreModels

extension Extension {
    /// Range of days, as in Apple's server API.
    static let daysAllowed = 1...90

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        guard Self.daysAllowed.contains(days) else {
            throw .invalid("$.days", "must be \(Self.daysAllowed.lowerBound) to \(Self.daysAllowed.upperBound)")
        }
    }
}
