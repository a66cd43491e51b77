/// A setting of a customer that stops each of the customer's purchases, by its name in the store.
package enum StoppingSetting: String, CaseIterable, Sendable {
    /// The processor declines it, and each renewal too.
    case processor
    /// It is deferred until a parent decides.
    case askToBuy
    /// It fails as interrupted.
    case interruptPurchases

    /// Finds the setting that has stopped a purchase.
    /// - Parameters:
    ///   - state: Of the transaction.
    ///   - error: The setting that its error names.
    init?(state: String?, error: String?) {
        switch (state, error) {
        case ("deferred", _): self = .askToBuy
        case ("failed", let name?): self.init(rawValue: name)
        default: return nil
        }
    }
}
