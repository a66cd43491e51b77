import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus eligibility PRODUCT --as alice`
struct EligibilityCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "eligibility", "Say whether an account may have an introductory offer, and why.",
        """
        storebus eligibility --as alice
        storebus eligibility com.example.pro.monthly --as alice

        Prints the answer for one subscription, or for each of the app. It names the rule and the transaction that \
        decided. The answer is 'unknown' when the history cannot be asked. The store never guesses.
        """)

    @Argument("Only this subscription.", "product", Completion.products) var product: String?
    @OptionGroup var account: AccountOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let report = try await Self.report(product, account.installation(context), context)
        guard let product else { return context.print(report.result) }
        guard let one = report.reply.eligibility.first(where: { $0.productIdentifier.isExactly(product) }) else {
            throw await Self.noSubscription(product, report, context)
        }
        context.print(report.result(one))
    }

    /// Requests the eligibility of this account, and the products if they can be loaded.
    static func report(
        _ product: String?, _ installation: Installation, _ context: CommandContext
    ) async throws(CLIError) -> EligibilityReport {
        try await context.sessions.with(installation) { session throws(CLIError) in
            let reply = try await context.api.call(
                ProductRoutes.eligibility, query: ["ids": product], token: session.token)
            let named = reply.eligibility.map(\.productIdentifier)
            return EligibilityReport(
                reply: reply, account: installation.account,
                products: named.isEmpty ? [] : await context.api.loadedProducts(named, token: session.token),
                bundleId: installation.bundleId)
        }
    }

    /// Explains a missing answer: the product is not a subscription, or not in the catalogue.
    private static func noSubscription(
        _ product: String, _ report: EligibilityReport, _ context: CommandContext
    ) async -> CLIError {
        let all = (try? await context.api.catalogProducts(context.bundleId)) ?? []
        guard let known = all.first(where: { $0.productIdentifier.isExactly(product) }) else {
            return await DidYouMean.productError(product, bundleId: context.bundleId, context)
        }
        return CLIError(
            CLIErrorCode(.productNotFound),
            "'\(product)' is \(known.type.rawValue), not a subscription: it has no introductory offer",
            hints: ["all subscriptions: storebus eligibility --as \(report.account)"])
    }
}

extension StoreAPI {
    /// Loads products as a customer's app does. Empty if they cannot be loaded.
    /// - Parameter token: The session's.
    func loadedProducts(_ identifiers: [String], token: String) async -> [Product] {
        let query = ProductsQuery(productIdentifiers: identifiers)
        return (try? await call(ProductRoutes.query, token: token, body: query).products) ?? []
    }
}

/// Introductory offers as `storebus eligibility` shows them: one product as facts, all of them as a table.
struct EligibilityReport: Sendable {
    let reply: EligibilityReply
    let account: String
    /// The products that could be loaded, for their offers.
    let products: [Product]
    let bundleId: String

    private func product(_ one: ProductEligibility) -> Product? {
        products.first { $0.productIdentifier.isExactly(one.productIdentifier) }
    }

    private func json(_ one: ProductEligibility) -> JSONValue {
        JSONText.value(one).with([
            "because": .string(EligibilityFormat.because(one)), "account": .string(account),
            "offer": EligibilityFormat.offer(product(one)).map { .string($0) },
        ])
    }

    private var notes: [Advice] { reply.degraded.map { "\($0) is away" } }

    /// ```
    /// product      com.example.pro.monthly
    /// offer        1 week free, then 9.99 USD a month
    /// eligibility  eligible for alice
    /// because      no earlier subscription in group 21378123
    /// rule         newSubscriber
    /// ```
    func result(_ one: ProductEligibility) -> CommandResult {
        let fields: FieldList = [
            "product": one.productIdentifier, "offer": EligibilityFormat.offer(product(one)),
            "eligibility": "\(one.eligibility.rawValue) for \(account)", "because": EligibilityFormat.because(one),
            "rule": one.rule.rawValue, "decided by": one.transactionIdentifier,
        ]
        return CommandResult(fields, data: json(one), names: [one.productIdentifier], next: next(one), notes: notes)
    }

    var result: CommandResult {
        let hint = reply.eligibility.first.map(next) ?? "storebus product list\(AppOptions.flag(bundleId))"
        return CommandResult(
            reply.eligibility, ["PRODUCT", .state("ELIGIBILITY"), "OFFER", "RULE", "BECAUSE"],
            named: \.productIdentifier, json: json, next: hint, notes: notes,
            ifEmpty: "\(bundleId) has no subscriptions"
        ) { one in
            [
                one.productIdentifier, one.eligibility.rawValue, EligibilityFormat.offer(product(one)) ?? "-",
                one.rule.rawValue, EligibilityFormat.because(one),
            ]
        }
    }

    private func next(_ one: ProductEligibility) -> Advice {
        if let transaction = one.transactionIdentifier { return "storebus sub timeline \(transaction)" }
        return one.eligibility == .unknown
            ? "storebus status" : "storebus buy \(one.productIdentifier) --as \(account)\(AppOptions.flag(bundleId))"
    }
}

/// Explains an answer about an introductory offer.
enum EligibilityFormat {
    /// One sentence without a full stop: `no earlier subscription in group 21378123`.
    static func because(_ one: ProductEligibility) -> String {
        let group = "group \(one.subscriptionGroupIdentifier)"
        let decider = one.transactionIdentifier.map { " (\($0))" } ?? ""
        return switch one.rule {
        case .newSubscriber: "no earlier subscription in \(group)"
        case .lapsedWithoutOffer:
            "subscribed to \(group) before\(decider), never with an introductory offer, and not now"
        case .offerUsed:
            "an introductory offer of \(group) was used\(decider)\(other(one)); "
                + "another product or a refund does not give it back"
        case .offerReserved: "a payment under way\(other(one)) holds the introductory offer of \(group)"
        case .subscribed: "subscribed to \(group) now\(decider)"
        case .inGracePeriod: "still a subscriber of \(group)\(decider), in the grace period"
        case .inBillingRetryPeriod:
            "still a subscriber of \(group)\(decider), and the store retries the renewal's charge"
        case .historyUnavailable: "payment-queue is away, so past purchases are unknown, and the store does not guess"
        }
    }

    /// The deciding product, when it is another one: ` by com.example.pro.yearly`.
    private static func other(_ one: ProductEligibility) -> String {
        one.usedProductIdentifier.map { " by \($0)" } ?? ""
    }

    /// `1 week free, then 9.99 USD a month`, or `none: 9.99 USD a month from the start`. Nil without a product.
    static func offer(_ product: Product?) -> String? {
        guard let product else { return nil }
        guard let offer = product.introductoryPrice else { return "none: \(Format.price(of: product)) from the start" }
        return "\(Format.offer(offer)), then \(Format.price(of: product))"
    }
}
