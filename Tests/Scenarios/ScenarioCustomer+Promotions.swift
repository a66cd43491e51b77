import NIOHTTP1
import StoreModels
import StorebusTesting

/// What an app does with promotions and with purchases that began in the store.
extension ScenarioCustomer {
    /// The order of this device: `fetchStorePromotionOrder`.
    func order() async throws -> OrderAnswer {
        try await store.must(.GET, "/v1/promotions/order", token: token).decoded()
    }

    /// `update(storePromotionOrder:)`; the answer, with any status.
    func setOrder(_ products: [String]) async throws -> StoreStack.Answer {
        try await store.repeated(
            .PUT, "/v1/promotions/order", token: token,
            .object(["productIdentifiers": .array(products.map { .string($0) })]))
    }

    /// `fetchStorePromotionVisibility(for:)`.
    func visibility(of product: String) async throws -> StorePromotionVisibility {
        let answer = try await store.must(.GET, "/v1/promotions/visibility/\(product)", token: token)
        return try answer.decoded(as: VisibilityAnswer.self).visibility
    }

    /// `update(storePromotionVisibility:for:)`; the answer, with any status.
    func setVisibility(of product: String, _ visibility: String) async throws -> StoreStack.Answer {
        try await store.repeated(
            .PUT, "/v1/promotions/visibility/\(product)", token: token, .object(["visibility": .string(visibility)]))
    }

    struct OrderAnswer: Decodable {
        let productIdentifiers: [String]
        /// Whole ones.
        let products: [Product]
    }

    private struct VisibilityAnswer: Decodable {
        let visibility: StorePromotionVisibility
    }

    /// What the delegate answers, repeated until it is answered; the answer, with any status below 500.
    func decide(
        _ intent: String, _ decision: String, feedback: String? = nil
    ) async throws -> StoreStack.Answer {
        var body: [String: JSONValue] = ["decision": .string(decision)]
        if let feedback { body["feedback"] = .string(feedback) }
        return try await store.repeated(.POST, "/v1/intents/\(intent)/decision", token: token, .object(body))
    }

    /// `SKPaymentQueue.default().add(savedPayment)`; the answer, with any status below 500.
    func addSaved(
        _ payment: Payment, key: String, product: String? = nil, quantity: Int? = nil
    ) async throws -> StoreStack.Answer {
        guard let intent = payment.intentIdentifier else { throw StackError("the payment began in no store") }
        return try await store.repeated(
            .POST, "/v1/payments", token: token, key: key,
            .object([
                "productIdentifier": .string(product ?? payment.productIdentifier),
                "quantity": .integer(quantity ?? payment.quantity), "intentIdentifier": .string(intent),
            ]))
    }

    func intent(_ identifier: String) async throws -> StorePurchaseIntent {
        try await store.must(.GET, "/v1/intents/\(identifier)", token: token).decoded()
    }

    /// This device's intents in these states, such as `pending,deferred`.
    func intents(_ states: String) async throws -> [StorePurchaseIntent] {
        try await store.must(.GET, "/v1/intents?state=\(states)", token: token).decoded(as: IntentsPage.self).intents
    }

    /// Waits until the intent's payment has become a transaction.
    /// - Returns: Its `id`.
    func transactionId(of intent: String) async throws -> String {
        var id: String?
        try await eventually("the intent has its transaction", within: .seconds(30)) {
            id = try await self.intent(intent).transactionId
            return id != nil
        }
        guard let id else { throw StackError("no transaction of \(intent)") }
        return id
    }

    /// The store's purchases a launch gets before `synchronized`, and the stream, which goes on.
    func observePromotions() async throws -> (pending: [StorePurchaseIntent], observer: Observer) {
        var observer = try await observe()
        var pending: [StorePurchaseIntent] = []
        while let event = try await observer.next() {
            if event.name == "synchronized" { return (pending, observer) }
            guard event.name != "openApp" else { throw StackError("an app that opens is not opened") }
            if event.name == "promotedPurchase" { pending.append(try event.intent()) }
        }
        throw StackError("the stream ended before it was synchronized")
    }
}

extension Observer.Event {
    func intent() throws -> StorePurchaseIntent {
        guard let intent = data["intent"] else { throw StackError("\(name) without an intent") }
        return try StoreJSON.decode(StorePurchaseIntent.self, from: try StoreJSON.encode(intent))
    }
}

extension Observer {
    /// The next purchase that began in the store, told live: `openApp` comes right before it (M74).
    mutating func nextPromotedPurchase() async throws -> StorePurchaseIntent {
        let opening = try await next { $0.name == "openApp" || $0.name == "promotedPurchase" }
        guard opening.name == "openApp" else { throw StackError("a purchase was told before the app was opened") }
        guard let event = try await next(), event.name == "promotedPurchase" else {
            throw StackError("nothing came after openApp")
        }
        let intent = try event.intent()
        guard opening.data["intentIdentifier"]?.stringValue == intent.intentIdentifier else {
            throw StackError("the app was opened for another purchase")
        }
        return intent
    }

    /// Reads on to a transaction's state; a purchase of the store meanwhile is an error.
    mutating func next(_ state: TransactionState, of product: String) async throws -> PaymentTransaction {
        while let event = try await next() {
            if event.name == "openApp" || event.name == "promotedPurchase" {
                throw StackError("\(event.name) on this stream")
            }
            guard event.name == "updatedTransactions" else { continue }
            let found = try event.transactions().first {
                $0.payment.productIdentifier == product && $0.transactionState == state
            }
            if let found { return found }
        }
        throw StackError("the stream ended before \(product) was \(state)")
    }
}
