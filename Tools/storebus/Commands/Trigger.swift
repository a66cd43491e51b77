import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus trigger TYPE`
struct TriggerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "trigger", "Make a notification's event happen, for tests of an app's server.",
        """
        storebus trigger DID_RENEW
        storebus trigger REFUND --of 2000000000000001
        storebus trigger EXPIRED.BILLING_RETRY --product com.example.pro.monthly
        storebus trigger REFUND --as alice --only-send --set signedDate=0
        storebus trigger TEST --break root

        Makes the event happen: a purchase, a declined charge, a refund. App, API, receipt and notification agree \
        afterwards, and the event itself makes the notification. Without --as the event happens to a new account. \
        The command backdates purchases that the event needs, so that it falls due now. It moves no clock and \
        touches no other account. It prints each step and how to take it back.

        --only-send makes a notification without its event, about the account's latest transaction or that of \
        --of, and changes nothing in the store. TEST, EXTERNAL_PURCHASE_TOKEN and RESCIND_CONSENT are always sent \
        so. --set replaces a member of such a payload before it is signed: the value is JSON if it parses, else \
        text, and null removes the member. --break makes the signature wrong, so that a server has to refuse it: \
        \(BrokenSignature.listed).
        """)

    @Argument(
        "The type, with its subtype: DID_RENEW, EXPIRED.VOLUNTARY.", "type",
        .list(
            NotificationType.allCases.flatMap { type in type.subtypes.map { NotificationName(type, $0).description } }))
    var type: String
    @Option("The account it happens to. Default: a new one.", "account", Completion.accounts, name: .customLong("as"))
    var account: String?
    @Option("The transaction, or the end of its identifier: 0001.", "transaction", Completion.transactions)
    var of: String?
    @Option("The product to buy for it. Default: one that fits.", "product", Completion.products) var product: String?
    @Flag(help: "Only send the notification, and change nothing in the store.") var onlySend = false
    @Option("Replace a member of the payload.", "name=value") var set: [String] = []
    @Option("How the signature is wrong.", "way", .list(BrokenSignature.rawValues), name: .customLong("break"))
    var wrong: String?
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        try Choice.check("--break", wrong, among: BrokenSignature.rawValues)
        try IdentifierRule.account.check("--as", account)
    }

    func run() async throws {
        let name = try NotificationName(parsing: type)
        try name.checkWhole()
        let members = try PayloadMembers(set)
        let context = try await CommandContext.find(options, app: app)
        var body = TriggerNotificationBody(
            notificationType: name.type, subtype: name.subtype, account: account)
        body.productIdentifier = product
        body.onlySend = onlySend ? true : nil
        body.set = members.isEmpty ? nil : members.values
        body.break = wrong.flatMap(BrokenSignature.init)
        if let of {
            let row = try await TransactionSearch.find(of, context, isChange: true)
            body.of = Format.name(row.transaction)
            body.account = account ?? row.account
        }
        let note: Advice? =
            if let account, of == nil, !onlySend {
                await DidYouMean.note(aboutNewAccount: account, context.api)
            } else { nil }
        var result = TriggerReport(response: try await trigger(body, context)).result
        if let note { result.notes.insert(note, at: 0) }
        context.print(result)
    }

    /// Words of the store's refusals, and of the command line.
    private static let words = [
        ("onlySend", "--only-send"), ("leave out account", "leave out --as"), ("leave out of,", "leave out --of,"),
    ]

    private func trigger(
        _ body: TriggerNotificationBody, _ context: CommandContext
    ) async throws(CLIError) -> TriggerResponse {
        do throws(CLIError) {
            return try await context.api.call(
                NotificationRoutes.trigger, [.bundleId: context.bundleId], body: body, timeout: .seconds(35))
        } catch  where error.is(.requestInvalid) {
            let message = Self.words.reduce(error.message) { $0.replacing($1.0, with: $1.1) }
            throw error.with(message: message, hints: error.hints)
        } catch  where error.is(.notFound) {
            guard let account = body.account else { throw error }
            let known = (try? await context.api.testers()) ?? []
            let isKnown = known.contains { $0.account.isExactly(account) }
            throw isKnown ? error : await DidYouMean.accountError(account, context)
        }
    }
}

/// The values of `--set`: `signedDate=0`, `subtype=null`.
struct PayloadMembers: Hashable, Sendable {
    private(set) var values: [String: JSONValue] = [:]

    var isEmpty: Bool { values.isEmpty }

    /// - Parameter words: Of two for one member the last counts.
    /// - Throws: `usage` for a word without a name or an equals sign.
    init(_ words: [String]) throws(CLIError) {
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw CLIError(
                    .usage, "--set takes NAME=VALUE, not '\(word)'", hints: ["for example --set signedDate=0"])
            }
            values[parts[0]] = (try? StrictJSON.parse(Array(parts[1].utf8))) ?? .string(parts[1])
        }
    }
}

/// The steps of a trigger, in order, with the state before the event, the event, and the state after it:
///
/// ```
/// STEP      WHAT                                        BY HAND
/// settings  trigger-3f2a1c9e: processor approve, …      storebus account set trigger-3f2a1c9e --processor approve …
/// purchase  2000000000000007 com.example.pro.monthly    storebus buy com.example.pro.monthly --as trigger-3f2a1c9e
/// refund    2000000000000007                            storebus refund 2000000000000007
///
/// before  2000000000000007  com.example.pro.monthly  purchased, expires 2027-02-28 10:00:00Z
/// event   REFUND  9c41aa07  delivered
/// after   2000000000000007  com.example.pro.monthly  purchased, revoked 2027-01-31 10:00:00Z
/// undo    storebus reset --as trigger-3f2a1c9e --settings --yes
/// ```
struct TriggerReport: Sendable {
    let response: TriggerResponse
    /// Nil for a notification that was only sent.
    var cause: TriggerCause? { response.cause }
    var made: ServerNotification { response.notification }

    var result: CommandResult {
        let data = NotificationInfo.json(made).with(
            cause.map { cause in
                [
                    "cause": JSONText.value(cause), "undo": .array(undo(cause).map { .string($0.text) }),
                    "byHand": .array(cause.steps.compactMap { $0.command(cause.account).map { .string($0.text) } }),
                    "before": cause.before.map { .string(state($0)) } ?? .null, "after": .string(state(cause.after)),
                ]
            } ?? [:])
        return CommandResult(
            data: data, names: [made.notificationUUID],
            next: "storebus notifications show \(made.shortIdentifier)\(AppOptions.flag(made.bundleId))",
            notes: made.state == .noEndpoint
                ? ["\(made.bundleId) has no endpoint, so it is not sent; forward it: storebus listen --help"] : []
        ) { [self] in text($0) }
    }

    private func text(_ style: Style) -> String {
        guard let cause else {
            return "triggered  \(made.notificationUUID)  \(made.name)  \(made.state.rawValue)\n"
        }
        let table = Table(["STEP", "WHAT", "BY HAND"], cause.steps) { step in
            [step.action.rawValue, step.what(cause.account), step.command(cause.account)?.text ?? "-"]
        }
        var fields: FieldList = [
            "before": cause.before.map(state) ?? "nothing was bought",
            "event": "\(made.name)  \(made.notificationUUID)  \(made.state.rawValue)", "after": state(cause.after),
        ]
        for (index, command) in undo(cause).enumerated() { fields.add(index == 0 ? "undo" : "", command.text) }
        return table.text(style) + "\n" + fields.text(style)
    }

    private func state(_ state: TriggerState) -> String {
        let value = state.transaction
        var words = [value.transactionState.rawValue]
        let remarks = Format.remarks(value)
        if !remarks.isEmpty { words.append(remarks) }
        if let subscription = state.subscription {
            words.append("\(subscription.state.rawValue), \(SubscriptionFormat.status(subscription))")
        }
        return "\(Format.name(value))  \(value.payment.productIdentifier)  \(words.joined(separator: "; "))"
    }

    /// The commands that undo the trigger, as far as they exist.
    private func undo(_ cause: TriggerCause) -> [ShellCommand] {
        let app = AppOptions.flag(made.bundleId)
        guard !cause.isNewAccount else {
            return ["storebus reset --as \(cause.account) --settings --yes \(app)"]
        }
        let bought = cause.steps.filter { [.purchase, .pastPurchase].contains($0.action) }.compactMap {
            $0.transactionIdentifier
        }
        guard bought.isEmpty else { return bought.map { "storebus tx delete \($0) --yes" } }
        guard let last = cause.steps.last, let identifier = last.transactionIdentifier else { return [] }
        switch last.action {
        case .disableAutoRenew: return ["storebus sub resume \(identifier)"]
        case .enableAutoRenew: return ["storebus sub cancel \(identifier)"]
        default: return []
        }
    }
}

extension TriggerStep {
    /// The object of the step.
    fileprivate func what(_ account: String) -> String {
        if let settings { return "\(account): \(settings.words.joined(separator: ", "))" }
        var words = [transactionIdentifier, refundRequestIdentifier, productIdentifier].compactMap(\.self)
        if let offer { words.append("with \(offer.type.rawValue) \(offer.identifier ?? "")") }
        if action == .pastPurchase, let at { words.append("dated \(Format.time(at))") }
        if let reason { words.append(reason.rawValue) }
        return words.joined(separator: " ")
    }

    /// The command that does the same. Nil if only a trigger does it.
    fileprivate func command(_ account: String) -> ShellCommand? {
        let transaction = transactionIdentifier ?? ""
        let product = productIdentifier ?? ""
        switch action {
        case .settings:
            var command: ShellCommand = "storebus account set \(account)"
            for (flag, value) in settings?.flags ?? [] { command.add(flag, value) }
            return command
        case .purchase:
            switch offer?.type {
            // The command signs promotional offers as the app's server would, and needs its key.
            case .subscription: return nil
            case .code: return "storebus buy \(product) --as \(account) --offer \("code:" + (offer?.identifier ?? ""))"
            case .winBack, .introductory, nil: return "storebus buy \(product) --as \(account)"
            }
        case .renewalPreference: return "storebus sub change \(product) \(transaction) --as \(account)"
        case .renew: return "storebus sub renew \(transaction)"
        case .expire: return reason == .other || reason == nil ? "storebus sub expire \(transaction)" : nil
        case .enableAutoRenew: return "storebus sub resume \(transaction)"
        case .disableAutoRenew: return "storebus sub cancel \(transaction)"
        case .resolveBilling: return "storebus sub resolve-billing \(transaction)"
        case .extend: return "storebus sub extend 7 \(transaction)"
        case .refund: return "storebus refund \(transaction)"
        case .revoke: return "storebus revoke \(transaction)"
        case .requestRefund: return "storebus refund request \(transaction)"
        case .declineRefund: return "storebus refund decline \(transaction)"
        case .pastPurchase, .reverseRefund, .extendAll: return nil
        }
    }
}

extension TesterSettings {
    /// The settings that differ from an account without any: `processor decline`.
    fileprivate var words: [String] { changes.map { "\($0.name) \($0.value)" } }

    /// As flags of `storebus account set`.
    fileprivate var flags: [(flag: String, value: String)] { changes.map { ($0.flag, $0.value) } }

    private var changes: [(name: String, flag: String, value: String)] {
        [
            ("processor", "--processor", processor?.rawValue),
            ("billingGracePeriod", "--billing-grace-period", billingGracePeriod.map { "\($0)" }),
            ("priceConsent", "--price-consent", priceConsent?.rawValue),
            ("subscriptionRenewalRate", "--renewal-rate", subscriptionRenewalRate?.rawValue),
            ("unlimitedRenewals", "--unlimited-renewals", unlimitedRenewals.map { "\($0)" }),
            ("failRenewals", "--fail-renewals", failRenewals.map { "\($0)" }),
            ("sheet", "--sheet", sheet?.text), ("signIn", "--sign-in", signIn?.rawValue),
            ("askToBuy", "--ask-to-buy", askToBuy.map { "\($0)" }),
            ("interruptPurchases", "--interrupt-purchases", interruptPurchases.map { "\($0)" }),
            ("canMakePayments", "--can-make-payments", canMakePayments.map { "\($0)" }),
        ].compactMap { name, flag, value in
            guard let value, value != Self.usual[name] else { return nil }
            return (name, flag, value)
        }
    }

    /// The behaviour of an account without settings.
    private static let usual = [
        "priceConsent": "agree", "subscriptionRenewalRate": "realTime", "sheet": "auto", "signIn": "ok",
        "askToBuy": "false", "interruptPurchases": "false", "canMakePayments": "true",
    ]
}
