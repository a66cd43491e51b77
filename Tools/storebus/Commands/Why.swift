import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus why ID`
struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "why", "Explain a product, a transaction that comes again, or a subscription that has ended.",
        """
        storebus why com.example.pro.monthly --storefront FRA
        storebus why com.example.pro.monthly --as alice
        storebus why …0001

        Of a product, says whether it can be bought in a storefront and each reason why not. With --as, also says \
        whether that account may have its introductory offer, and foretells the purchase: what storebus buy would \
        charge now, with which offer, whom it waits for, or why it fails, and which setting of the account, the app \
        or the catalogue decides that.

        Of a transaction, says its state, where it came from, how often it was sent, and why it is or is not sent \
        again. Of a failed one, names the setting of the account or the processor that failed it. Of one of a \
        subscription, explains its price, and why the subscription renews, does not renew or has ended.
        """)

    @Argument("A product's identifier, a transaction's, or the end of a transaction's.", "id", Completion.products)
    var identifier: String
    @Option(
        "For a product: the country, three letters. The account's unless given, or the app's.", "country",
        Completion.storefronts)
    var storefront: String?
    @Option(
        "For a product: the account whose purchase is foretold, made if it is new.", "account", Completion.accounts,
        name: .customLong("as"))
    var account: String?
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        var context = try CommandContext.find(options, bundleId: app.bundleId)
        if Self.looksLikeTransaction(identifier) {
            return context.print(
                try await Self.explanation(try await TransactionSearch.find(identifier, context), context))
        }
        context = try await context.withOnlyApp()
        try await explainProduct(context)
    }

    private func explainProduct(_ context: CommandContext) async throws(CLIError) {
        let info: ProductInfo
        if let account {
            info = try await foretell(Installation(bundleId: context.bundleId, account: account), context)
        } else {
            let explained = try await explain(in: storefront?.uppercased(), context)
            info = ProductInfo(product: nil, explanation: explained, bundleId: context.bundleId)
        }
        let isUnknown = info.explanation.reasons.contains(.unknown)
        if isUnknown, let row = try? await TransactionSearch.find(identifier, context) {
            return context.print(try await Self.explanation(row, context))
        }
        var result = info.result
        if isUnknown {
            let error = await DidYouMean.productError(
                identifier, bundleId: context.bundleId, storefront: storefront?.uppercased(), context)
            result.notes = Array(error.hints.dropLast())
            result.next = "storebus product list\(AppOptions.flag(context.bundleId))"
        }
        context.print(result)
    }

    private func explain(
        in storefront: String?, _ context: CommandContext
    ) async throws(CLIError) -> ProductExplanation {
        try await DidYouMean.forStorefront(storefront, context) { () throws(CLIError) in
            try await context.api.call(
                AppRoutes.explain, [.bundleId: context.bundleId, .id: identifier], query: ["storefront": storefront])
        }
    }

    /// Explains the product for an account, with its purchase.
    private func foretell(
        _ installation: Installation, _ context: CommandContext
    ) async throws(CLIError) -> ProductInfo {
        let account = installation.account
        let tester = try await ifFound { () throws(CLIError) in
            try await context.api.received(AccountRoutes.get, [.account: account])
        }
        let settings = DecidingSettings(account: account, overrides: tester?.overrides, app: await context.appIfAny())
        return try await context.sessions.with(installation) { session throws(CLIError) in
            // The account may have been moved since the session was opened.
            let own = tester?.overrides.storefront ?? session.storefront.countryCode
            let shown = try await explain(in: storefront?.uppercased() ?? own, context)
            var info = ProductInfo(product: nil, explanation: shown, bundleId: context.bundleId, account: account)
            info.eligibility = try await context.api.call(
                ProductRoutes.eligibility, query: ["ids": identifier], token: session.token
            ).eligibility.first { $0.productIdentifier.isExactly(identifier) }
            if shown.reasons.contains(.unknown) { return info }
            let isOwn = shown.storefront.isExactly(own)
            var facts = PurchaseForecast.Facts(
                settings: settings, explanation: try await isOwn ? shown : explain(in: own, context),
                eligibility: info.eligibility)
            try await load(&facts, token: session.token, context)
            info.forecast = PurchaseForecast(facts).completed(context)
            return info
        }
    }

    /// Loads what the account sees and has.
    private func load(
        _ facts: inout PurchaseForecast.Facts, token: String, _ context: CommandContext
    ) async throws(CLIError) {
        let api = context.api
        // Nil also for an account that is set so that its products cannot be loaded.
        let product = await api.loadedProducts([identifier], token: token).first {
            $0.productIdentifier.isExactly(identifier)
        }
        facts.product = product
        facts.unfinished = try await api.all(TransactionRoutes.unfinished, token: token)
        if product?.type == .nonConsumable {
            facts.owned = try await api.all(TransactionRoutes.history, token: token).first {
                $0.payment.productIdentifier.isExactly(identifier) && $0.revocationDate == nil
            }
        }
        guard let group = product?.subscriptionGroupIdentifier else { return }
        try await addSubscription(of: group, to: &facts, context)
    }

    /// Adds the account's subscription in a group, and the facts that decide about a change.
    private func addSubscription(
        of group: String, to facts: inout PurchaseForecast.Facts, _ context: CommandContext
    ) async throws(CLIError) {
        let all = try await context.api.all(
            SubscriptionRoutes.search, query: ["bundleId": context.bundleId, "account": facts.settings.account])
        let known = try await context.api.subscriptionFacts(context.bundleId)
        facts.subscription = all.first {
            let present = known[$0.productIdentifier]?.groupIdentifier ?? $0.subscriptionGroupIdentifier
            return $0.state.isExisting && present.isExactly(group)
        }
        guard let present = facts.subscription else { return }
        facts.level = known[identifier]?.level ?? 1
        facts.presentLevel = known[present.productIdentifier]?.level ?? 1
        facts.presentPeriod = try await context.api.catalogProducts(
            context.bundleId, storefront: facts.explanation.storefront
        ).first { $0.productIdentifier.isExactly(present.productIdentifier) }?.subscriptionPeriod
    }

    /// Explains a transaction and its subscription.
    private static func explanation(
        _ row: TransactionTable.Row, _ context: CommandContext
    ) async throws(CLIError) -> CommandResult {
        let transaction = row.transaction
        let isOfSubscription =
            transaction.subscriptionGroupIdentifier != nil && transaction.transactionState == .purchased
        let timeline = isOfSubscription ? try await context.api.timeline(row.transaction.id) : nil
        let failure = await failure(row, context).map { context.completed($0.because) }
        return TransactionExplanation(
            row: row, subscription: timeline.map(SubscriptionExplanation.init), failure: failure
        ).result
    }

    private static func failure(_ row: TransactionTable.Row, _ context: CommandContext) async -> FailureExplanation? {
        guard let error = row.transaction.error, row.transaction.transactionState == .failed else { return nil }
        return FailureExplanation(
            error: error, account: row.account,
            tester: try? await context.api.received(AccountRoutes.get, [.account: row.account]),
            app: try? await context.api.call(AppRoutes.get, [.bundleId: row.bundleId]))
    }

    /// Whether the text looks like a transaction's identifier: `…0001`, `0001`, `2000000000000001`, `t_…`.
    static func looksLikeTransaction(_ text: String) -> Bool {
        text.hasPrefix("…") || text.hasPrefix("t_") || (!text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber })
    }
}

/// Explains a transaction: its state, its origin, and its redelivery.
struct TransactionExplanation: Sendable {
    let row: TransactionTable.Row
    /// The explanation of its subscription, or nil without a subscription.
    var subscription: SubscriptionExplanation?
    /// The explanation of a failure, with commands as they can be pasted. Nil for a transaction that has not failed.
    var failure: Advice?

    var result: CommandResult {
        let members = row.json.with([
            "explanation": .string(because), "withdrawal": withdrawal.map { .string($0) },
            "failure": failure.map { .string($0.text) },
            "subscription": subscription.map { SubscriptionTable.json($0.subscription) },
            "renewal": subscription.map { .string($0.because) },
            "cost": subscription.map { $0.price(of: row.transaction).map { .string($0) } ?? .null },
        ])
        return CommandResult(fields, data: members, names: [Format.name(row.transaction)], next: next).about(
            row.bundleId)
    }

    private var fields: FieldList {
        let transaction = row.transaction
        let payment = transaction.payment
        let remarks = Format.remarks(transaction)
        let place = "\(row.account) on device \(transaction.originDeviceId), app \(row.bundleId)"
        var fields: FieldList = [
            "transaction": Format.name(transaction), "state": transaction.shownState,
            "from": "\(place), key \(payment.requestIdentifier)", "product": payment.productIdentifier,
            "remarks": remarks.isEmpty ? nil : remarks, "failed": failure?.text,
            "taken back": withdrawal,
            "finished": row.isFinished ? "yes" : "no", "sent": Format.count(transaction.deliveries, "time"),
            "because": because,
        ]
        guard let subscription else { return fields }
        let whole = subscription.subscription
        let words = [whole.originalTransactionIdentifier, whole.state.rawValue, SubscriptionFormat.status(whole)]
        fields += [
            "cost": subscription.price(of: transaction), "subscription": words.joined(separator: ", "),
            "renewal": subscription.because,
        ]
        return fields
    }

    /// When and why the purchase was taken back, and what was refunded. Nil for one that was not.
    private var withdrawal: String? {
        let transaction = row.transaction
        guard let date = transaction.revocationDate else { return nil }
        let part = Format.refundedPart(transaction) ?? (transaction.revocationType == .refundFull ? "as a whole" : nil)
        let reason = transaction.revocationReason.map { ", reason \($0.rawValue)" } ?? ""
        return "\(transaction.shownState) on \(Format.time(date))" + (part.map { ", \($0)" } ?? "") + reason
    }

    /// One sentence or two, without a full stop at the end.
    var because: String {
        let transaction = row.transaction
        if row.isFinished { return "the app has finished it: it is not sent again" }
        switch transaction.transactionState {
        case .purchasing where transaction.storefrontChange != nil:
            let country = transaction.storefrontChange?.storefront.countryCode ?? ""
            return "\(row.account) has moved to \(country), and the app is asked whether the purchase goes on there"
        case .purchasing: return "it has no outcome yet: it waits for a payment sheet or the processor"
        case .deferred: return "it has to be approved; until then every device of \(row.account) shows it as deferred"
        case .failed where transaction.isInterrupted:
            return
                "the purchase was interrupted, and resolving it makes a new one; "
                + "this one is sent at every launch until it is finished"
        case .purchased, .failed, .restored:
            let reason = "the app has not finished it, so it is sent at every launch"
            guard transaction.deliveries == 0 else { return reason }
            let who = transaction.transactionState == .purchased ? "no app of \(row.account)" : "no app on that device"
            return "\(reason); \(who) has had its stream open since, so it has not been sent yet"
        }
    }

    private var next: Advice {
        let transaction = row.transaction
        if row.isFinished { return "storebus tx show \(Format.name(transaction))" }
        let isUnseen = transaction.transactionState.isFinishable && transaction.deliveries == 0
        return isUnseen && !transaction.isInterrupted
            ? "storebus watch --as \(row.account)" : Format.next(transaction, as: row.account)
    }
}

/// Explains a subscription's state and a transaction's price from the timeline.
struct SubscriptionExplanation: Sendable {
    let timeline: SubscriptionTimeline

    init(_ timeline: SubscriptionTimeline) { self.timeline = timeline }

    var subscription: Subscription { timeline.subscription }
    private var events: [SubscriptionEvent] { timeline.events }

    private func last(_ kinds: Set<SubscriptionEvent.Kind>) -> SubscriptionEvent? {
        events.last { kinds.contains($0.kind) }
    }

    private func date(_ event: SubscriptionEvent?) -> String {
        event.map { Format.time($0.at) } ?? "an unrecorded time"
    }

    // MARK: Renewal

    /// Explains the renewal or the end in one sentence without a full stop.
    var because: String {
        switch subscription.state {
        case .subscribed: subscribed
        case .expired: expired
        case .inGracePeriod:
            "\(declined); access goes on for the grace period, to "
                + Format.time(subscription.gracePeriodExpiresDate ?? subscription.expiresDate)
                + ", and \(SubscriptionFormat.retry(subscription))"
        case .inBillingRetryPeriod:
            "\(declined); there is no access until the charge goes through, and "
                + SubscriptionFormat.retry(subscription)
        case .revoked:
            last([.refunded, .revoked]).map { "it was \($0.kind.rawValue) on \(Format.time($0.at))" }
                ?? "it was taken back"
        }
    }

    private var subscribed: String {
        if let next = subscription.commitmentRenewal, let commitment = subscription.commitment, !commitment.isLast {
            return committed(commitment, next)
        }
        guard subscription.willAutoRenew else {
            return "auto-renew is off since \(date(last([.autoRenewDisabled]))), so it ends with this period"
        }
        guard subscription.autoRenewProductIdentifier.isExactly(subscription.productIdentifier) else {
            return "a change was chosen on \(date(last([.changeScheduled]))), so the next renewal buys "
                + subscription.autoRenewProductIdentifier
        }
        if let increase = subscription.priceIncrease { return consent(increase) }
        return
            "auto-renew is on; it is renewed when the store's clock comes to \(Format.time(subscription.expiresDate))"
    }

    /// Explains a payment with others of its commitment to come.
    private func committed(_ commitment: Commitment, _ next: CommitmentRenewal) -> String {
        let count = commitment.totalBillingPeriods
        let paid =
            "it is payment \(commitment.billingPeriodNumber) of \(count) of a commitment; the next one is charged when "
            + "the store's clock comes to \(Format.time(subscription.expiresDate))"
        guard next.willAutoRenew else {
            return "\(paid), and auto-renew is off since \(date(last([.autoRenewDisabled]))), so it ends after payment "
                + "\(count), \(Format.time(commitment.expiresDate))"
        }
        guard !next.autoRenewProductIdentifier.isExactly(subscription.productIdentifier) else { return paid }
        return
            "\(paid), and a change was chosen on \(date(last([.changeScheduled]))), so after payment \(count) it "
            + "renews as \(next.autoRenewProductIdentifier)"
    }

    private func consent(_ increase: PriceIncrease) -> String {
        let price = "\(Format.price(increase.price)), up from \(Format.price(increase.formerPrice))"
        return switch increase.status {
        case .pending:
            "the customer was asked on \(date(last([.priceIncreasePending]))) to agree to \(price); "
                + "without consent it ends with this period"
        case .agreed:
            "the customer agreed to \(price) on \(date(last([.priceIncreaseAgreed]))), so it renews at that price"
        case .declined:
            "the customer declined \(price) on \(date(last([.priceIncreaseDeclined]))), so it ends with this period"
        }
    }

    private var expired: String {
        switch subscription.expirationReason {
        case .cancelled:
            "auto-renew was off, since \(date(last([.autoRenewDisabled]))), when the period ended"
        case .billingError:
            "\(declined), and so was every try after it, for \(subscription.commitment == nil ? 60 : 90) days"
        case .priceIncreaseRefused: "the next period would have cost more, and the customer has not agreed"
        case .productNotAvailable: "the product was not for sale any more when the period ended"
        case .other, nil: "the store ended it on \(date(last([.expired])))" + detail
        }
    }

    private var detail: String { last([.expired])?.detail.map { ", \($0)" } ?? "" }

    /// `the charge of 9.99 USD was declined on 2026-12-28 10:00:04Z`
    private var declined: String {
        let first = firstDecline
        let price = first?.amount.map { " of \(Format.price($0))" } ?? ""
        return "the charge\(price) was declined on \(date(first))"
    }

    /// The first declined charge since the last paid period.
    private var firstDecline: SubscriptionEvent? {
        let start = events.lastIndex { $0.beginsPeriod } ?? 0
        return events[min(start, events.count)...].first { $0.kind == .billingFailed }
    }

    // MARK: Price

    /// Explains the price of the transaction's period. Nil if it began no period.
    func price(of transaction: PaymentTransaction) -> String? {
        if transaction.effectiveDate != nil {
            return "nothing: the change waits for the next renewal, which is charged"
        }
        guard
            let index = events.firstIndex(where: {
                $0.transactionIdentifier.isExactly(transaction.transactionIdentifier) && $0.beginsPeriod
            })
        else { return nil }
        let event = events[index]
        let amount = event.amount.map(Format.price) ?? "nothing"
        if let offer = event.offer { return "\(amount): the \(SubscriptionFormat.offer(offer))" }
        let before = events[..<index].last { $0.beginsPeriod }
        switch event.kind {
        case .upgraded, .crossgraded:
            return "\(amount), the regular price: a subscriber of the group has no introductory offer"
        case .renewed, .recovered:
            guard let offer = before?.offer else { return "\(amount), the product's price at the renewal" }
            return "\(amount), the regular price: the \(SubscriptionFormat.offer(offer)) is over"
        default:
            let used = events[..<index].first { $0.offer?.type == .introductory }?.transactionIdentifier
            return "\(amount), the regular price: "
                + (used.map { "the group's introductory offer was used by \($0)" }
                    ?? "the product has no introductory offer, or the customer was not eligible")
        }
    }
}

/// Explains a failed purchase: the error of the app, and the setting that caused it.
struct FailureExplanation: Sendable {
    let error: TransactionError
    let account: String
    /// The account's current settings, or nil if they cannot be read.
    let tester: Received<TesterResponse>?
    let app: App?

    /// One sentence without a full stop: `"The shopper cancelled the payment" because alice's setting sheet is
    /// cancel …`
    var because: Advice {
        var told = error.localizedDescription
        if told.hasSuffix(".") { told.removeLast() }
        return "\(told); \(cause)"
    }

    private var cause: Advice {
        if error.reason == TransactionError.billingPlanUnavailable {
            return "the catalogue file's billingPlans say which year is sold so, in every storefront but USA and SGP"
        }
        guard let setting = error.setting else { return "no setting did that" }
        if setting == "unfinishedLimit" { return "the app's unfinishedLimit: storebus app set --unfinished-limit none" }
        let settings = DecidingSettings(account: account, overrides: tester?.overrides, app: app)
        if let because = settings.because(setting) { return because }
        return setting == "processor"
            ? "\(account)'s setting processor as it was then (buy --outcome sets it), or the payment processor's own mode"
            : "\(account)'s setting \(setting), which has been changed since"
    }
}
