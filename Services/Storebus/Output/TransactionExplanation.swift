import StoreModels

/// Why a transaction is where it is: its state, its origin, and whether and why it is sent again.
struct TransactionExplanation: Sendable {
    let row: TransactionTable.Row
    /// Of the subscription it belongs to, if it belongs to one.
    let subscription: SubscriptionExplanation?

    /// Which setting failed it; nil for one that has not failed.
    let failure: FailureExplanation?

    init(row: TransactionTable.Row, subscription: SubscriptionExplanation? = nil) {
        self.init(row: row, subscription: subscription, failure: nil)
    }

    init(row: TransactionTable.Row, subscription: SubscriptionExplanation?, failure: FailureExplanation?) {
        self.row = row
        self.subscription = subscription
        self.failure = failure
    }

    var answer: Answer {
        var members = row.json.objectValue ?? [:]
        members["explanation"] = .string(because)
        if let failure { members["failure"] = .string(failure.because) }
        if let subscription {
            members["subscription"] = SubscriptionTable.json(subscription.subscription)
            members["renewal"] = .string(subscription.because)
            members["cost"] = subscription.price(of: row.transaction).map { .string($0) } ?? .null
        }
        return Answer(data: .object(members), names: [Words.name(row.transaction)], next: next) { [self] in
            facts.text($0)
        }.about(row.bundleId)
    }

    private var facts: Facts {
        let transaction = row.transaction
        let payment = transaction.payment
        var facts = Facts()
        facts.add("transaction", Words.name(transaction))
        facts.add("state", transaction.transactionState.rawValue, isState: true)
        facts.add(
            "from",
            "\(row.account) on device \(transaction.originDeviceId), app \(row.bundleId), key \(payment.requestIdentifier)"
        )
        facts.add("product", payment.productIdentifier)
        let remarks = Words.remarks(transaction)
        facts.add("remarks", remarks.isEmpty ? nil : remarks)
        facts.add("failed", failure?.because)
        facts.add("finished", row.isFinished ? "yes" : "no")
        facts.add("sent", Words.count(transaction.deliveries, "time"))
        facts.add("because", because)
        guard let subscription else { return facts }
        facts.add("cost", subscription.price(of: transaction))
        let whole = subscription.subscription
        facts.add(
            "subscription",
            "\(whole.originalTransactionIdentifier), \(whole.state.rawValue), \(SubscriptionWords.standing(whole))")
        facts.add("renewal", subscription.because)
        return facts
    }

    /// One sentence or two, without a full stop at the end.
    var because: String {
        let transaction = row.transaction
        if row.isFinished { return "the app has finished it: it is not sent again" }
        switch transaction.transactionState {
        case .purchasing where transaction.storefrontChange != nil:
            let place = transaction.storefrontChange?.storefront.countryCode ?? ""
            return "\(row.account) has moved to \(place), and the app is asked whether the purchase goes on there"
        case .purchasing: return "it has no outcome yet; a payment sheet or the processor is waited for"
        case .deferred: return "somebody has to approve it; until then every device of \(row.account) is told so"
        case .failed where transaction.isInterrupted:
            return
                "the shopper was interrupted: once that is resolved, the purchase is made anew; this one is sent at every launch until it is finished"
        case .purchased, .failed, .restored:
            let reason = "the app has not finished it, so it is sent at every launch"
            guard transaction.deliveries == 0 else { return reason }
            let who = transaction.transactionState == .purchased ? "no app of \(row.account)" : "no app on that device"
            return "\(reason); \(who) has had its stream open since, so it was sent to nobody yet"
        }
    }

    private var next: String {
        let transaction = row.transaction
        if row.isFinished { return "storebus tx show \(Words.name(transaction))" }
        return switch transaction.transactionState {
        case .purchasing: "storebus prompt list --as \(row.account)"
        case .deferred: "storebus approve \(Words.name(transaction))"
        case .failed where transaction.isInterrupted: "storebus resolve \(Words.name(transaction))"
        case .purchased, .failed, .restored:
            transaction.deliveries == 0
                ? "storebus watch --as \(row.account)"
                : Words.finish(transaction, as: row.account)
        }
    }
}
