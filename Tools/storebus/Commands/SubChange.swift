import ArgumentParser
import StoreHTTP
import StoreModels

/// A command that changes a subscription's product within its group.
protocol SubscriptionChangeCommand: OneSubscriptionCommand {
    var product: String { get }
}

/// `storebus sub upgrade`
struct SubUpgradeCommand: SubscriptionChangeCommand {
    static let configuration = CommandConfiguration(
        "upgrade", "Buy a higher product of the group as the account would, effective at once.",
        """
        storebus sub upgrade com.example.pro.yearly --as alice

        A product of a higher level, or of the same level and length, begins at once. The store charges it in \
        full and refunds the unused part of the present period. The output says which kind of change it was. The \
        present product, and one outside of the group, are refused.
        """)

    @Argument("The other product of the group.", "product", Completion.products) var product: String
    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws { try await buy(.upgrade, context) }
}

/// `storebus sub downgrade`
struct SubDowngradeCommand: SubscriptionChangeCommand {
    static let configuration = CommandConfiguration(
        "downgrade", "Buy a lower product of the group as the account would, effective at the next renewal.",
        """
        storebus sub downgrade com.example.pro.monthly --as alice

        A product of a lower level, or of the same level and another length, begins when the present period ends. \
        Until then nothing changes and nothing is charged. Buy the present product to cancel the change. A product \
        outside of the group is refused.
        """)

    @Argument("The other product of the group.", "product", Completion.products) var product: String
    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws { try await buy(.downgrade, context) }
}

/// `storebus sub change`
struct SubChangeCommand: SubscriptionChangeCommand {
    static let configuration = CommandConfiguration(
        "change", "Say which product the next renewal buys, without a purchase.",
        """
        storebus sub change com.example.pro.monthly --as alice

        Acts as a customer under "manage subscriptions". Choose the present product to cancel a scheduled change. \
        The store refuses a change that would take effect at once: buy it with storebus sub upgrade.
        """)

    @Argument("The other product of the group.", "product", Completion.products) var product: String
    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let present = try await find(context, isChange: true)
        let installation = present.installation(context)
        var changed = try await context.sessions.with(installation) { session throws(CLIError) in
            try await context.api.call(
                SubscriptionRoutes.update, [.originalTransactionIdentifier: present.originalTransactionIdentifier],
                token: session.token, body: StoreHTTP.SubscriptionChange(autoRenewProductIdentifier: product))
        }
        changed.account = installation.account
        changed.bundleId = installation.bundleId
        let shown = changed
        context.print(
            CommandResult(
                data: SubscriptionTable.json(shown), names: [shown.originalTransactionIdentifier],
                next: SubscriptionTable.next(shown)
            ) { _ in
                "changed  \(shown.originalTransactionIdentifier)  \(shown.productIdentifier)  "
                    + "\(SubscriptionFormat.status(shown))\n"
            })
    }
}

extension Subscription {
    /// The app on the account's first device.
    func installation(_ context: CommandContext) -> Installation {
        Installation(bundleId: bundleId ?? context.bundleId, account: account ?? "")
    }
}

/// The verb of a change. The store decides by levels and durations which change it is.
enum ChangeDirection: Sendable { case upgrade, downgrade }

/// The products that a subscription can change to.
struct GroupChoice: Sendable {
    /// The subscription before the change.
    let present: Subscription
    /// Those of the app's subscriptions, by product. Empty if they cannot be read, and then the store decides alone.
    let facts: [ExactText: SubscriptionFacts]

    /// Refuses the present product, and one outside of the group, which would begin another subscription.
    ///
    /// The present product takes a scheduled change back.
    /// - Throws: `usage` with the products that fit.
    func check(_ product: String, _ direction: ChangeDirection) throws(CLIError) {
        let account = present.account ?? "the account"
        if product.isExactly(present.productIdentifier) {
            if present.isChangeScheduled || !present.state.isExisting { return }
            throw CLIError(
                .usage, "\(account) has '\(product)' now; nothing was bought", hints: hints(product, direction))
        }
        guard !facts.isEmpty, facts[product]?.groupIdentifier.isExactly(group) != true else { return }
        throw CLIError(
            .usage, "'\(product)' is no product of \(account)'s group \(name); nothing was bought",
            hints: hints(product, direction))
    }

    private var own: SubscriptionFacts? { facts[present.productIdentifier] }

    /// The identifier of the group in the catalogue in force, which may have renamed it.
    private var group: String { own?.groupIdentifier ?? present.subscriptionGroupIdentifier }

    private var name: String {
        own?.group ?? facts.values.first { $0.groupIdentifier.isExactly(group) }?.group ?? group
    }

    /// The group's other products of a level that the verb leads to, the highest first.
    private func fitting(_ direction: ChangeDirection) -> [(product: String, level: Int)] {
        var fitting: [(product: String, level: Int)] = []
        for (product, fact) in facts where fact.groupIdentifier.isExactly(group) {
            guard !product.text.isExactly(present.productIdentifier) else { continue }
            let level = own?.level ?? fact.level
            guard direction == .upgrade ? fact.level <= level : fact.level >= level else { continue }
            fitting.append((product.text, fact.level))
        }
        return fitting.sorted { ($0.level, $0.product) < ($1.level, $1.product) }
    }

    private func hints(_ product: String, _ direction: ChangeDirection) -> [Advice] {
        let fitting = fitting(direction)
        guard !fitting.isEmpty else {
            let level = direction == .upgrade ? "higher" : "lower"
            return facts.isEmpty ? [] : ["no other product of \(name) is of the same or a \(level) level"]
        }
        let names = fitting.map { "\($0.product) (level \($0.level))" }.joined(separator: ", ")
        return Suggestion.hints(for: product, among: fitting.map(\.product)) + ["those that fit: \(names)"]
    }
}

extension Subscription {
    /// Whether another product or plan follows the present period, or the commitment.
    fileprivate var isChangeScheduled: Bool {
        if let next = commitmentRenewal {
            return next.willAutoRenew
                && (!next.autoRenewProductIdentifier.isExactly(productIdentifier)
                    || next.billingPlanType != billingPlanType)
        }
        return willAutoRenew && !autoRenewProductIdentifier.isExactly(productIdentifier)
    }
}

extension SubscriptionChangeCommand {
    /// Buys another product of a subscription's group, and reports the effect.
    fileprivate func buy(_ direction: ChangeDirection, _ context: CommandContext) async throws {
        let present = try await find(context, isChange: true)
        let facts = (try? await context.api.subscriptionFacts(present.bundleId ?? context.bundleId)) ?? [:]
        try GroupChoice(present: present, facts: facts).check(product, direction)
        let before = try await context.api.timeline(present.originalTransactionIdentifier)
        let purchase = Purchase(
            productIdentifier: product, quantity: 1, applicationUsername: nil,
            key: "cli-\(Secret.make().prefix(32))", timeout: context.timeLimit ?? .seconds(30),
            plan: product.isExactly(present.productIdentifier) ? present.billingPlanType : nil)
        let outcome = try await context.progress.during("buying \(product)") { () throws(CLIError) in
            try await purchase.run(present.installation(context), context)
        }
        guard outcome.status == .success else {
            context.print(outcome.result)
            throw QuietExit(status: outcome.status)
        }
        let timeline = try await context.api.timeline(present.originalTransactionIdentifier)
        let change = SubscriptionChangeReport(
            before: present, outcome: outcome, timeline: timeline, earlierEventCount: before.events.count)
        var result = change.result
        if let note = Self.note(direction, change) { result.notes.append(note) }
        context.print(result)
    }

    private static func note(_ direction: ChangeDirection, _ change: SubscriptionChangeReport) -> Advice? {
        switch (direction, change.isScheduled) {
        case (.upgrade, true): "the store took it for a downgrade or a change of length: it waits for the renewal"
        case (.downgrade, false): "the store took it for an upgrade or a crossgrade: it has taken effect at once"
        default: nil
        }
    }
}

/// The effect of a purchase within a group:
///
/// ```
/// account     alice (USA) on device alice-1
/// upgraded    com.example.pro.monthly → com.example.pro.yearly, at once
/// charged     79.99 USD as 2000000000000002, expires 2027-11-28 10:00:04Z
/// given back  4.12 USD of com.example.pro.monthly
/// ```
struct SubscriptionChangeReport: Sendable {
    let before: Subscription
    let outcome: PurchaseOutcome
    let timeline: SubscriptionTimeline
    /// Number of events before the purchase. Timestamps cannot distinguish them when the clock is frozen.
    let earlierEventCount: Int

    private var transaction: PaymentTransaction { outcome.transaction }

    /// Whether the change waits for the next renewal.
    var isScheduled: Bool {
        transaction.effectiveDate.map { effective in effective > transaction.transactionDate ?? effective } ?? false
    }

    /// The purchase's own events.
    private var events: [SubscriptionEvent] {
        timeline.events.dropFirst(earlierEventCount).filter { event in
            [.upgraded, .crossgraded, .refundedProrated, .changeReverted].contains(event.kind)
        }
    }

    var result: CommandResult {
        let members = outcome.json.with([
            "from": .string(before.productIdentifier),
            "isScheduled": .bool(isScheduled),
            "events": .array(events.map { JSONText.value($0) }),
            "subscription": SubscriptionTable.json(timeline.subscription),
            "summary": .string(summary),
        ])
        return CommandResult(
            fields, data: members, names: [Format.name(transaction)],
            next: SubscriptionTable.next(timeline.subscription))
    }

    private var fields: FieldList {
        let installation = outcome.installation
        let storefront = outcome.session.storefront.countryCode
        var fields: FieldList = [
            "account": "\(installation.account) (\(storefront)) on device \(installation.deviceId)", word: summary,
            "transaction": Format.name(transaction) + (expires.map { "  \($0)" } ?? ""),
        ]
        if let price = transaction.price, price.minorUnits > 0 { fields.add("charged", Format.price(price)) }
        for event in events where event.kind == .refundedProrated {
            fields.add("given back", event.amount.map { "\(Format.price($0)) of \(event.productIdentifier)" })
        }
        return fields
    }

    private var expires: String? { transaction.expiresDate.map { "expires \(Format.time($0))" } }

    private var word: String {
        if isScheduled { return "scheduled" }
        return events.first { $0.kind != .refundedProrated }.map {
            $0.kind == .changeReverted ? "reverted" : $0.kind.rawValue
        }
            ?? "bought"
    }

    private var summary: String {
        let product = transaction.payment.productIdentifier
        if isScheduled {
            let from = transaction.effectiveDate.map(Format.time) ?? "the next renewal"
            return "\(before.productIdentifier) → \(product), from \(from) on; nothing was charged"
        }
        if events.contains(where: { $0.kind == .changeReverted }) { return "\(product) stays; nothing was charged" }
        return "\(before.productIdentifier) → \(product), at once"
    }
}
