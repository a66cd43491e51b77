import ArgumentParser
import StoreModels

/// What can be set of an account.
struct TesterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Its country, three letters.", valueName: "country"), completion: Completion.storefronts)
    var storefront: String?

    @Option(help: ArgumentHelp("Whether it may pay: true or false.", valueName: "bool"))
    var canMakePayments: Bool?

    @Option(help: ArgumentHelp("Whether a parent must approve: true or false.", valueName: "bool"))
    var askToBuy: Bool?

    @Option(help: ArgumentHelp("Whether purchases are interrupted: true or false.", valueName: "bool"))
    var interruptPurchases: Bool?

    @Option(
        help: ArgumentHelp("What signing in ends with: ok, fails, cancelled or interactive.", valueName: "end"),
        completion: .list(TesterSettings.SignIn.allCases.map(\.rawValue)))
    var signIn: String?

    @Option(
        help: ArgumentHelp(
            "The payment sheet: auto, approve, cancel, decline:<SKError name or code>, interactive.",
            valueName: "answer"), completion: .list(["auto", "approve", "cancel", "decline:", "interactive"]))
    var sheet: String?

    @Option(
        help: ArgumentHelp(
            "What a higher price ends with: agree, decline or interactive.", valueName: "end"),
        completion: .list(TesterSettings.PriceConsent.allCases.map(\.rawValue)))
    var priceConsent: String?

    @Option(
        help: ArgumentHelp(
            "How fast subscriptions renew: \(SubscriptionRenewalRate.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "rate"),
        completion: .list(SubscriptionRenewalRate.allCases.map(\.rawValue)))
    var renewalRate: String?

    @Option(
        help: ArgumentHelp(
            "How the processor treats its charges: \(ProcessorMode.names.joined(separator: ", ")).",
            valueName: "mode"), completion: .list(ProcessorMode.names))
    var processor: String?

    @Option(
        help: ArgumentHelp(
            "An error a request meets: \(Self.requests)= with an SKError's name or number (\(Self.errors)), or one of "
                + "StoreKit 2's, such as networkError. Repeatable.",
            valueName: "request=error"))
    var simulate: [String] = []

    @Option(
        help: ArgumentHelp("Forget what was set of this member. Repeatable.", valueName: "member"),
        completion: .list(TesterSettings.memberNames.sorted()))
    var unset: [String] = []

    private static let requests = TesterSettings.SimulatedErrors.memberNames.sorted().joined(separator: "=, ")

    private static let errors = SKErrorCode.allCases.map(\.name).joined(separator: ", ")

    var isEmpty: Bool {
        storefront == nil && canMakePayments == nil && askToBuy == nil && interruptPurchases == nil && signIn == nil
            && sheet == nil && priceConsent == nil && renewalRate == nil && processor == nil && simulate.isEmpty
            && unset.isEmpty
    }

    func validate() throws {
        try Choice.check("--sign-in", signIn, among: TesterSettings.SignIn.allCases.map(\.rawValue))
        try Choice.check("--price-consent", priceConsent, among: TesterSettings.PriceConsent.allCases.map(\.rawValue))
        try Choice.check("--renewal-rate", renewalRate, among: SubscriptionRenewalRate.allCases.map(\.rawValue))
        try Choice.check("--processor", processor, among: ProcessorMode.names)
        for member in unset { try Choice.check("--unset", member, among: TesterSettings.memberNames.sorted()) }
        if let sheet, PaymentSheetAnswer(sheet) == nil {
            throw ValidationError("--sheet is auto, approve, cancel, interactive or decline:<SKError name or code>")
        }
        for word in simulate {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw ValidationError("--simulate takes request=error, not '\(word)'") }
            try Choice.check(
                "--simulate", String(parts[0]), among: TesterSettings.SimulatedErrors.memberNames.sorted())
        }
    }

    /// Puts what is named over what was set before.
    func apply(to account: String, _ context: CommandContext) async throws(CLIError) -> TesterAnswer {
        var before: TesterAnswer?
        do {
            before = try await context.api.tester(account)
        } catch  where error.code.name == StoreErrorCode.notFound.name {
            // A new one; nothing is set.
        }
        if let storefront { _ = try await Known.storefronts([storefront], context) }
        return try await context.api.putTester(account, merged(before?.json["overrides"] ?? .object([:])))
    }

    /// The settings as they become; `set` is the JSON of those that were set before.
    func merged(_ set: JSONValue) -> JSONValue {
        var members = (set.objectValue ?? [:]).filter { $0.value != .null }
        members["storefront"] = storefront.map { .string($0.uppercased()) } ?? members["storefront"]
        members["canMakePayments"] = canMakePayments.map { .bool($0) } ?? members["canMakePayments"]
        members["askToBuy"] = askToBuy.map { .bool($0) } ?? members["askToBuy"]
        members["interruptPurchases"] = interruptPurchases.map { .bool($0) } ?? members["interruptPurchases"]
        members["signIn"] = signIn.map { .string($0) } ?? members["signIn"]
        members["sheet"] = sheet.map { .string($0) } ?? members["sheet"]
        members["priceConsent"] = priceConsent.map { .string($0) } ?? members["priceConsent"]
        members["subscriptionRenewalRate"] = renewalRate.map { .string($0) } ?? members["subscriptionRenewalRate"]
        members["processor"] = processor.map { .string($0) } ?? members["processor"]
        var errors = (members["simulatedErrors"]?.objectValue ?? [:]).filter { $0.value != .null }
        for word in simulate {
            let parts = word.split(separator: "=", maxSplits: 1)
            errors[String(parts[0])] = .string(String(parts[1]))
        }
        if !errors.isEmpty { members["simulatedErrors"] = .object(errors) }
        for member in unset { members[member] = nil }
        return .object(members)
    }
}

extension ProcessorMode {
    static let names = allCases.map(\.rawValue)
}
