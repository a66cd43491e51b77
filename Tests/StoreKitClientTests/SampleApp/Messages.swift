/// The sentences of the sample app.
enum Messages {
    static let deferred = "The purchase waits for somebody's approval."
    static let unknownPaymentTransaction = "This transaction is in a state that nobody has heard of."
    static let failed = "The purchase failed:"
}
