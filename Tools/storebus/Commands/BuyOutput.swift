import StoreHTTP
import StoreModels

extension TransactionState {
    /// The exit status of a purchase in this state.
    var exit: CLIExit {
        switch self {
        case .purchased, .restored: .success
        case .failed: .purchaseFailed
        case .deferred: .purchaseDeferred
        case .purchasing: .temporary
        }
    }
}

/// The output of `storebus buy`:
///
/// ```
/// account    alice (USA) on device alice-1
/// offer      1 week free, then 9.99 USD a month      eligible
/// purchased  2000000000000001  trial, expires 2026-11-28 10:00:04Z
///            not finished: sent again until the app finishes it
/// ```
struct PurchaseOutcome: Sendable {
    var installation: Installation
    var session: SessionResponse
    var product: Product?
    var transaction: PaymentTransaction
    var key: String
    /// The requested offer.
    var offer: OfferOption?
    /// Notes for standard error.
    var notes: [Advice] = []
    /// The reason why a purchase has no outcome yet.
    var isProcessorAway: Bool = false

    var status: CLIExit { transaction.transactionState.exit }

    var text: String { text(.plain) }

    func text(_ style: Style) -> String {
        let account = installation.account
        var lines = [
            "account    \(account) (\(session.storefront.countryCode)) \(origin)", priceLine,
        ]
        let state = transaction.transactionState.rawValue
        let remarks = Format.remarks(transaction)
        lines.append(
            style.paint(state, .of(state: state)) + String(repeating: " ", count: max(1, 11 - state.count))
                + Format.name(transaction)
                + (remarks.isEmpty ? "" : "  \(remarks)"))
        lines += nextLines
        return lines.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
    }

    var result: CommandResult {
        let isDeferred = transaction.transactionState == .deferred
        let next: Advice =
            isDeferred
            ? "storebus approve \(Format.name(transaction))" : Format.next(transaction, as: installation.account)
        return CommandResult(data: json, names: [Format.name(transaction)], next: next, notes: notes) { [self] style in
            text(style)
        }.about(installation.bundleId)
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "transaction": JSONText.value(transaction), "account": .string(installation.account),
            "deviceId": .string(installation.deviceId), "bundleId": .string(installation.bundleId),
            "storefront": JSONText.value(session.storefront), "idempotencyKey": .string(key),
            "product": product.map { JSONText.value($0) } ?? .null, "place": .string(origin),
        ]
        if let offer { members["offer"] = .string(offer.text) }
        if isProcessorAway { members["away"] = "payment-processor is away; the purchase is under way" }
        if let charged { members["charged"] = .string(charged) }
        return .object(members)
    }

    private var origin: String {
        offer?.redeemed == nil ? "on device \(installation.deviceId)" : "outside the app"
    }

    private var priceLine: String {
        guard let product else { return "" }
        if let offer, offer != .introductory { return "offer      \(words(offer, product))" }
        // Chosen in the store, and bought with --intent.
        if let applied = transaction.offer, applied.type == .winBack { return "win-back   \(applied.identifier ?? "")" }
        if transaction.payment.billingPlanType == .monthly, let terms = product.monthlyTerms {
            return "plan       \(Format.plan(terms))"
        }
        guard let offer = product.introductoryPrice else {
            return "price      \(Format.price(of: product))" + (charged.map { "      \($0)" } ?? "")
        }
        let eligibility = product.introductoryOfferEligibility?.rawValue ?? "unknown"
        return "offer      \(Format.offer(offer)), then \(Format.price(of: product))      \(eligibility)"
    }

    /// `charged 0.00 USD, alice owns it already`. Nil if the charge is the price, or none is to come.
    private var charged: String? {
        guard let product, let amount = transaction.price, amount != product.price,
            transaction.payment.billingPlanType != .monthly,
            [.purchased, .deferred].contains(transaction.transactionState)
        else { return nil }
        let isOwned = product.type == .nonConsumable && amount.minorUnits == 0
        let quantity = transaction.payment.quantity
        let verb = transaction.transactionState == .deferred ? "to be charged" : "charged"
        return "\(verb) \(Format.price(amount))"
            + (isOwned ? ", \(installation.account) owns it already" : quantity > 1 ? " for \(quantity)" : "")
    }

    /// Finds the terms of a promotional offer. Only the store knows those of other offers.
    private func words(_ offer: OfferOption, _ product: Product) -> String {
        guard case .promotional(let identifier) = offer,
            let discount = product.discounts.first(where: { $0.identifier.isExactly(identifier) })
        else { return "\(offer.text), then \(Format.price(of: product))" }
        return "\(offer.text), \(Format.offer(discount)), then \(Format.price(of: product))"
    }

    /// Removes the full stop.
    private var reason: String {
        let reason = transaction.error?.localizedDescription ?? "the store did not say why"
        return reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    }

    private var nextLines: [String] {
        let words: Advice
        switch transaction.transactionState {
        case .purchased, .restored: words = "not finished: sent again until the app finishes it"
        case .failed where transaction.isInterrupted:
            words = "interrupted; nothing was charged until it is resolved"
        case .failed:
            words = "\(reason); nothing was charged"
        case .deferred: words = "waits for approval"
        case .purchasing:
            let why = isProcessorAway ? "payment-processor is away; the purchase is under way" : "no outcome yet"
            words = "\(why); the same key asks again: \("--idempotency-key \(key)" as ShellCommand)"
        }
        return ["           \(words)"]
    }
}
