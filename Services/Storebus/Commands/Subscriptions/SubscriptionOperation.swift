import StoreModels

/// What support or time does to one subscription, and what is said of it:
///
/// ```
/// renewed  2000000000000001  com.example.pro.monthly  renews 2027-01-28 10:00:04Z for 9.99 USD
/// made     2000000000000005  purchased, expires 2027-01-28 10:00:04Z
/// ```
struct SubscriptionOperation: Sendable {
    let operation: OperateSubscriptionRequest.Operation
    /// What it is once it is done.
    let word: String
    let days: Int?

    init(_ operation: OperateSubscriptionRequest.Operation, _ word: String, days: Int? = nil) {
        self.operation = operation
        self.word = word
        self.days = days
    }

    func run(_ named: SubscriptionArguments, _ global: GlobalOptions) async throws(CLIError) {
        let context = try await named.context(global)
        let subscription = try await named.find(context)
        do {
            let reply = try await context.api.operate(operation, on: subscription.id, days: days)
            context.print(answer(reply, account: subscription.account))
        } catch  where error.code.name == StoreErrorCode.transactionStateInvalid.name {
            var error = error
            let name = subscription.originalTransactionIdentifier
            error.hints = ["where it stands: storebus sub show \(name)", "storebus why \(name)"]
            throw error
        }
    }

    /// A charge that goes through is a new transaction; the others move the end of the present one.
    private var makesTransaction: Bool { operation == .renew || operation == .resolveBilling }

    private func answer(_ reply: OperateSubscriptionReply, account: String?) -> Answer {
        let subscription = reply.subscription
        let standing = SubscriptionWords.standing(subscription)
        var members: [String: JSONValue] = [
            "operation": .string(operation.rawValue), "subscription": SubscriptionTable.json(subscription),
        ]
        if let account { members["account"] = .string(account) }
        var facts = Facts()
        facts.add(word, "\(subscription.originalTransactionIdentifier)  \(subscription.productIdentifier)  \(standing)")
        if let transaction = reply.transaction {
            members["transaction"] = JSONText.value(transaction)
            let remarks = Words.remarks(transaction)
            facts.add(
                makesTransaction ? "made" : "changed",
                "\(Words.name(transaction))  " + transaction.transactionState.rawValue
                    + (remarks.isEmpty ? "" : ", \(remarks)"))
        }
        let shown = facts
        return Answer(
            data: .object(members), names: [subscription.originalTransactionIdentifier],
            next: operation == .failNextRenewal
                ? "storebus time next\(subscription.bundleId.map(Known.option) ?? "")"
                : SubscriptionTable.next(subscription)
        ) { shown.text($0) }
        .about(subscription.bundleId)
    }
}
