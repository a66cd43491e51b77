import StoreModels

/// Checks that a payment matches its intent (I5), and compares repeated ones (I3), without I/O.
enum IntentPaymentPolicy {
    /// Checks a payment against its intent's.
    ///
    /// The user's names are not compared: the app sets them when it adds the payment.
    /// - Throws: `intentMismatch` that names the first member that differs.
    static func check(_ payment: Payment, continues intent: Payment) throws(StoreError) {
        func differs(_ member: String, _ found: String, _ expected: String) -> StoreError {
            StoreError(
                .intentMismatch, "the payment's \(member) is \(found) and the intent's is \(expected)",
                details: ["member": .string(member)])
        }
        guard payment.productIdentifier.isExactly(intent.productIdentifier) else {
            throw differs("productIdentifier", "'\(payment.productIdentifier)'", "'\(intent.productIdentifier)'")
        }
        guard payment.quantity == intent.quantity else {
            throw differs("quantity", "\(payment.quantity)", "\(intent.quantity)")
        }
        guard payment.paymentDiscount == intent.paymentDiscount else {
            throw differs(
                "paymentDiscount", payment.paymentDiscount.map { "'\($0.identifier)'" } ?? "none",
                intent.paymentDiscount.map { "'\($0.identifier)'" } ?? "none")
        }
    }

    /// Checks a payment for an intent that was continued before.
    /// - Throws: `intentDecided` for another key, `keyReused` for another payment under the same key.
    static func check(_ payment: Payment, repeats added: Payment?) throws(StoreError) {
        guard let added, added.requestIdentifier.isExactly(payment.requestIdentifier) else {
            throw StoreError(
                .intentDecided, "the intent was continued with another payment",
                details: ["state": .string(PurchaseIntent.State.continued.rawValue)])
        }
        guard added == payment else {
            throw StoreError(.keyReused, "the key came with another payment of this intent before")
        }
    }
}
