internal import StoreHTTP
internal import StoreModels

/// Additions to StoreKit for purchases that begin in the store.
extension SKPaymentQueue {
    /// Returns this device's deferred purchases that can still be made, oldest first. The request is tried once.
    /// - Throws: A `URLError` when the store could not be reached, an ``SKError`` when it refused.
    public func deferredStorePayments() async throws -> [DeferredStorePayment] {
        let call = HTTPCall(IntentRoutes.list, query: ["state": StorePurchaseIntent.State.deferred.rawValue])
        return try await Result(ofRequest: { [gateway = core.gateway] in
            // The store keeps at most 50, which is less than a page.
            let response = try await gateway.send(call).checked()
            let intents = try response.body(of: IntentRoutes.list, as: DeferredIntents.self).intents
            return intents.compactMap(\.value).map { DeferredStorePayment($0) }
        }).get()
    }

    /// Cancels a deferred purchase, and records the message shown to the user. The store cannot distinguish a `false`
    /// that defers from one that cancels, so without this call the purchase counts as deferred until it expires. It may
    /// be called within `shouldAddStorePayment`, which then returns `false`.
    ///
    /// - Parameters:
    ///   - payment: The payment that `shouldAddStorePayment` received, or one of ``deferredStorePayments()``.
    ///   - feedback: The message, at most 500 characters. With nil, the operator sees that the user got no explanation.
    ///   - completionHandler: Called on the callback queue, with an ``SKError`` if the purchase was made or has
    ///     expired.
    /// - Precondition: The payment began in the store.
    public func cancelStorePayment(
        _ payment: SKPayment, feedback: String? = nil,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        guard let intent = payment.fields.intentIdentifier else {
            fatalError("a payment that did not begin in the store is not cancelled there: do not add it")
        }
        core.cancel(intent, feedback: feedback, completionHandler)
    }
}

private struct DeferredIntents: JSONForm, Decodable {
    typealias Body = IntentsPage

    let intents: [Readable<StorePurchaseIntent>]
}
