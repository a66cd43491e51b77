import StoreModels

/// Checks a request's syntax before anything is looked up.
///
/// Errors that StoreKit reports through the observer pass here: an unknown product becomes a failed transaction.
enum PaymentValidation {
    /// Maximum bytes. StoreKit names no limit.
    static let applicationUsernameMax = 4096
    static let appAccountTokenMax = identifierMax
    /// Maximum bytes of a foreign identifier: 255 characters of at most four bytes, as the gateway counts.
    static let identifierMax = 1020
    /// Maximum bytes of a discount's signature. One of P-256 has about a hundred in base64.
    static let signatureMax = 4096
    /// The quantities StoreKit allows.
    static let quantities = 1...10

    /// Checks a payment.
    /// - Throws: `idempotencyKeyInvalid` or `requestInvalid` (422 for the quantity).
    static func check(_ payment: Payment) throws(StoreError) {
        try checkKey(payment.requestIdentifier)
        guard quantities.contains(payment.quantity) else {
            var error = StoreError(
                .requestInvalid, "quantity must be 1 to 10, not \(payment.quantity)",
                details: ["path": .string("$.quantity")])
            error.status = 422
            throw error
        }
        try StoreError.checkIdentifier(payment.productIdentifier, .product, "productIdentifier")
        try checkLength(payment.applicationUsername ?? "", 0...applicationUsernameMax, "applicationUsername")
        try checkLength(payment.appAccountToken ?? "", 0...appAccountTokenMax, "appAccountToken")
        if let intent = payment.intentIdentifier { try checkLength(intent, 1...identifierMax, "intentIdentifier") }
        if let discount = payment.paymentDiscount { try checkDiscount(discount) }
    }

    private static func checkDiscount(_ discount: PaymentDiscount) throws(StoreError) {
        try checkLength(discount.identifier, 0...identifierMax, "paymentDiscount.identifier")
        try checkLength(discount.keyIdentifier, 0...identifierMax, "paymentDiscount.keyIdentifier")
        try checkLength(discount.nonce, 0...identifierMax, "paymentDiscount.nonce")
        try checkLength(discount.signature, 0...signatureMax, "paymentDiscount.signature")
    }

    /// Checks an idempotency key.
    /// - Throws: `idempotencyKeyInvalid`.
    static func checkKey(_ key: String) throws(StoreError) {
        guard isKey(key) else {
            throw StoreError(
                .idempotencyKeyInvalid, "the idempotency key must be 1 to 255 printable ASCII characters")
        }
    }

    /// Tells whether a text has 1 to 255 characters from space (0x20) to tilde (0x7E).
    static func isKey(_ key: String) -> Bool {
        (1...255).contains(key.utf8.count) && key.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    static func checkLength(_ text: String, _ range: ClosedRange<Int>, _ member: String) throws(StoreError) {
        guard range.contains(text.utf8.count) else {
            throw StoreError.requestInvalid(
                member, "\(member) must have \(range.lowerBound) to \(range.upperBound) bytes")
        }
    }
}
