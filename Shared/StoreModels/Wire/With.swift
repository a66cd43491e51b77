/// Copies a value and changes the copy, where an initialiser does not take every member.
///
/// ```swift
/// let restored = with(PaymentTransaction(id: id, transactionState: .restored, …)) { $0.expiresDate = expiry }
/// ```
/// - Throws: The error of `change`.
package func with<Value>(_ value: Value, _ change: (inout Value) throws -> Void) rethrows -> Value {
    var copy = value
    try change(&copy)
    return copy
}
