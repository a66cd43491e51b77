import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus account …`
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "account", "Set how accounts behave at the store.",
        """
        storebus account set alice --storefront FRA --sheet decline:paymentInvalid
        storebus account show alice
        storebus account set alice --unset all

        To delete an account's purchases use storebus reset --as.
        """,
        subcommands: [
            AccountCreateCommand.self, AccountListCommand.self, AccountShowCommand.self, AccountSetCommand.self,
        ])
}

/// `storebus account list`
struct AccountListCommand: ContextCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "list", "List the accounts that have settings or purchases.", "storebus account list -o names", aliases: ["ls"])

    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let testers = try await context.api.testers()
        context.print(TesterTable.result(testers))
    }
}

/// `storebus account show`
struct AccountShowCommand: OneAppCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "show", "Show how an account behaves in an app, and which settings make it so.",
        """
        storebus account show alice
        storebus account show alice --bundle-id com.example.a

        Values marked (set) were set for this account. Values marked (app) come from the app's catalogue or \
        settings and apply to every account.
        """)

    @OptionGroup var named: AccountArgument
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func context() throws(CLIError) -> CommandContext { try CommandContext.find(options, bundleId: app.bundleId) }

    func run(_ context: CommandContext) async throws {
        let account = named.account
        let tester = try await DidYouMean.forAccount(account, context) { () throws(CLIError) in
            try await context.api.received(AccountRoutes.get, [.account: account])
        }
        var result = TesterTable.result(tester, in: await context.appIfAny())
        if TesterTable.members(tester.overrides).isEmpty {
            result.notes += await DidYouMean.notes(aboutAccount: account, context)
        }
        context.print(result)
    }
}

/// `storebus account set`
struct AccountSetCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "set", "Change an account's settings. Settings you do not name stay.",
        """
        storebus account set alice --sheet cancel
        storebus account set alice --storefront FRA --simulate purchase=paymentInvalid
        storebus account set alice --simulate restore=unknown --simulate download=unknown
        storebus account set alice --processor timeoutAfter
        storebus account set alice --unset sheet
        storebus account set alice --unset all

        With --interrupt-purchases true purchases end as failed until you resolve them (storebus resolve). The \
        processor's modes: timeoutBefore loses its first answer before the charge, timeoutAfter and errorAfter \
        lose it after the charge, slow and pending take two seconds, duplicateCallback reports the outcome twice.
        """)

    @OptionGroup var named: AccountArgument
    @OptionGroup var settings: TesterOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if settings.isEmpty { throw ValidationError("nothing to set; for example --sheet cancel") }
    }

    func run(_ context: CommandContext) async throws {
        let before = try await context.api.settings(of: named.account)
        let isNew = before.isEmpty && !settings.merged(before).isEmpty
        let note = isNew ? await DidYouMean.note(aboutNewAccount: named.account, context.api) : nil
        let tester = try await settings.apply(to: named.account, over: before, context)
        var result = TesterTable.result(tester, in: await context.appIfAny())
        if let note { result.notes.insert(note, at: 0) }
        context.print(result)
    }
}

/// The argument that names an account.
struct AccountArgument: ParsableArguments {
    @Argument("The account.", "account", Completion.accounts) var account: String

    func validate() throws { try IdentifierRule.account.check("the account", account) }
}

/// `storebus account create`
struct AccountCreateCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "create", "Make an account. Buying makes one too.", "storebus account create alice --storefront FRA")

    @OptionGroup var named: AccountArgument
    @OptionGroup var settings: TesterOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let before = try await context.api.settings(of: named.account)
        let tester = try await settings.apply(to: named.account, over: before, context)
        context.print(TesterTable.result(tester, in: await context.appIfAny()))
    }
}

/// Options for the settings of an account.
struct TesterOptions: ParsableArguments {
    @Option("Its country, three letters.", "country", Completion.storefronts) var storefront: String?
    @Option("Whether it may pay: true or false.", "bool") var canMakePayments: Bool?
    @Option("Whether a parent must approve: true or false.", "bool") var askToBuy: Bool?
    @Option("Whether purchases are interrupted: true or false.", "bool") var interruptPurchases: Bool?
    @Option(
        "The outcome of signing in: ok, fails, cancelled or interactive.", "end", .list(TesterSettings.SignIn.rawValues)
    )
    var signIn: String?
    @Option(
        "The payment sheet: auto, approve, cancel, decline:<SKError name or code>, interactive.", "answer",
        .list(["auto", "approve", "cancel", "decline:", "interactive"]))
    var sheet: String?
    @Option(
        "The answer to a higher price: agree, decline or interactive.", "end",
        .list(TesterSettings.PriceConsent.rawValues))
    var priceConsent: String?
    @Option("Whether access continues after a declined renewal: true or false.", "bool") var billingGracePeriod: Bool?
    @Option(
        "How fast subscriptions renew: \(SubscriptionRenewalRate.listed).", "rate",
        .list(SubscriptionRenewalRate.rawValues))
    var renewalRate: String?
    @Option("Whether subscriptions under a rate renew without end: true or false.", "bool")
    var unlimitedRenewals: Bool?
    @Option("Whether the charges of all renewals are declined: true or false.", "bool") var failRenewals: Bool?
    @Option("How the processor treats its charges: \(ProcessorMode.listed).", "mode", .list(ProcessorMode.rawValues))
    var processor: String?
    @Option(
        "An error a request meets: \(Self.requests)= with an SKError's name or number (\(Self.errors)), or one of "
            + "StoreKit 2's, such as networkError. Repeatable.", "request=error")
    var simulate: [String] = []
    @Option("Clear this setting, or all. Repeatable.", "member", .list(Self.unsettable)) var unset: [String] = []

    /// Clears every setting before the others of the command line are set.
    private static let all = "all"
    private static let unsettable = TesterSettings.memberNames.sorted() + [all]

    private static let requests = TesterSettings.SimulatedErrors.memberNames.sorted().joined(separator: "=, ")

    private static let errors = SKErrorCode.allCases.map(\.name).joined(separator: ", ")

    /// The settings by their names in `TesterSettings`.
    private var changes: [String: JSONValue] {
        let words = [
            "storefront": storefront?.uppercased(), "signIn": signIn, "sheet": sheet, "priceConsent": priceConsent,
            "subscriptionRenewalRate": renewalRate, "processor": processor,
        ]
        let switches = [
            "canMakePayments": canMakePayments, "askToBuy": askToBuy, "interruptPurchases": interruptPurchases,
            "billingGracePeriod": billingGracePeriod, "unlimitedRenewals": unlimitedRenewals,
            "failRenewals": failRenewals,
        ]
        return words.compactMapValues { $0.map(JSONValue.string) }
            .merging(switches.compactMapValues { $0.map(JSONValue.bool) }) { $1 }
    }

    var isEmpty: Bool { changes.isEmpty && simulate.isEmpty && unset.isEmpty }

    func validate() throws {
        try Choice.check("--sign-in", signIn, among: TesterSettings.SignIn.rawValues)
        try Choice.check("--price-consent", priceConsent, among: TesterSettings.PriceConsent.rawValues)
        try Choice.check("--renewal-rate", renewalRate, among: SubscriptionRenewalRate.rawValues)
        try Choice.check("--processor", processor, among: ProcessorMode.rawValues)
        for member in unset { try Choice.check("--unset", member, among: Self.unsettable) }
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

    /// Changes the named settings and keeps the others.
    func apply(
        to account: String, over before: AccountSettings, _ context: CommandContext
    ) async throws(CLIError) -> Received<TesterResponse> {
        if let storefront { _ = try await DidYouMean.storefronts([storefront], context) }
        let after = merged(before)
        guard after.isEmpty, unset.contains(Self.all) else { return try await context.api.putTester(account, after) }
        try await context.api.call(AccountRoutes.reset, [.account: account])
        return try await context.api.received(AccountRoutes.get, [.account: account])
    }

    /// Returns the settings after the change.
    func merged(_ before: AccountSettings) -> AccountSettings {
        var settings = unset.contains(Self.all) ? AccountSettings() : before
        for (name, value) in changes { settings[name] = value }
        for word in simulate {
            let parts = word.split(separator: "=", maxSplits: 1)
            settings["simulatedErrors"] = (settings["simulatedErrors"] ?? [:]).with([
                String(parts[0]): .string(String(parts[1]))
            ])
        }
        for member in unset { settings[member] = nil }
        return settings
    }
}
