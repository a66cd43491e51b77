import StoreModels

/// Introductory offers as `storebus eligibility` shows them: one product as facts, all of them as a table.
struct EligibilityReport: Sendable {
    let reply: EligibilityReply
    let account: String
    /// What is known of the products, for their offers.
    let products: [Product]
    let bundleId: String

    init(_ reply: EligibilityReply, account: String, products: [Product], bundleId: String) {
        self.reply = reply
        self.account = account
        self.products = products
        self.bundleId = bundleId
    }

    private func product(_ one: ProductEligibility) -> Product? {
        products.first { $0.productIdentifier.isExactly(one.productIdentifier) }
    }

    private func json(_ one: ProductEligibility) -> JSONValue {
        var members = JSONText.value(one).objectValue ?? [:]
        members["because"] = .string(EligibilityWords.because(one))
        members["account"] = .string(account)
        if let offer = EligibilityWords.offer(product(one)) { members["offer"] = .string(offer) }
        return .object(members)
    }

    private var notes: [String] { reply.degraded.map { "\($0) is away" } }

    /// ```
    /// product      com.example.pro.monthly
    /// offer        1 week free, then 9.99 USD a month
    /// eligibility  eligible for alice
    /// because      no earlier subscription in group 21378123
    /// rule         newSubscriber
    /// ```
    func answer(_ one: ProductEligibility) -> Answer {
        var facts = Facts()
        Self.add(one, offer: EligibilityWords.offer(product(one)), account: account, to: &facts)
        let shown = facts
        return Answer(
            data: json(one), names: [one.productIdentifier], next: next(one), notes: notes
        ) { shown.text($0) }
    }

    static func add(_ one: ProductEligibility, offer: String?, account: String, to facts: inout Facts) {
        facts.add("product", one.productIdentifier)
        facts.add("offer", offer)
        facts.add("eligibility", "\(one.eligibility.rawValue) for \(account)", isState: true)
        facts.add("because", EligibilityWords.because(one))
        facts.add("rule", one.rule.rawValue)
        facts.add("decided by", one.transactionIdentifier)
    }

    var answer: Answer {
        var table = Table([
            .init("PRODUCT"), .init("ELIGIBILITY", isState: true), .init("OFFER"), .init("RULE"), .init("BECAUSE"),
        ])
        for one in reply.eligibility {
            table.add([
                one.productIdentifier, one.eligibility.rawValue, EligibilityWords.offer(product(one)) ?? "-",
                one.rule.rawValue, EligibilityWords.because(one),
            ])
        }
        return Answer(
            table, items: reply.eligibility.map(json), names: reply.eligibility.map(\.productIdentifier),
            next: reply.eligibility.first.map(next) ?? "storebus product list\(Known.option(bundleId))", notes: notes,
            ifEmpty: "\(bundleId) has no subscriptions")
    }

    private func next(_ one: ProductEligibility) -> String {
        if let transaction = one.transactionIdentifier { return "storebus sub timeline \(transaction)" }
        return one.eligibility == .unknown
            ? "storebus status" : "storebus buy \(one.productIdentifier) --as \(account)\(Known.option(bundleId))"
    }
}
