import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus intent …`
struct IntentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "intent", "Purchases that begin in the store: begin one, answer it as the app.",
        """
        storebus intent com.example.hiddenBeaches --as alice
        storebus intent list
        storebus intent continue …2k9f

        Without a subcommand, taps Buy on a product or opens a link, as storebus intent start does.
        """,
        subcommands: [
            IntentStartCommand.self, IntentListCommand.self, IntentShowCommand.self, IntentContinueCommand.self,
            IntentDeferCommand.self, IntentCancelCommand.self, IntentURLCommand.self,
        ], defaultSubcommand: IntentStartCommand.self)
}

/// `storebus intent PRODUCT`, `storebus intent URL`
struct IntentStartCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "start", "Tap Buy in the store on a device, or open a link there.",
        """
        storebus intent start com.example.hiddenBeaches --as alice
        storebus intent com.example.hiddenBeaches --device alice-2 --source search
        storebus intent com.example.pro.monthly --as carol --win-back back.free.month
        storebus intent 'itms-services://?action=purchaseIntent&bundleId=com.example.app&\
        productIdentifier=com.example.hiddenBeaches' --as bob

        The purchase waits until the app opens, is downloaded, bought or upgraded. A link also works for a \
        product that is not promoted or not for sale yet, and its bundleId names the app. Quote a link in a \
        shell.
        """)

    @Argument("A promoted product, or an itms-services link.", "product or url", Completion.products) var what: String
    @Option("Where Buy is tapped: storePage, search or featured.", "place", .list(["storePage", "search", "featured"]))
    var source = StorePurchaseIntent.Source.storePage.rawValue
    @Option("A win-back offer of the product, for a customer whose subscription has ended.", "offer")
    var winBack: String?
    @OptionGroup var customer: CustomerOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    private static let sources = StorePurchaseIntent.Source.allCases.filter { $0 != .testURL }.map(\.rawValue)

    func validate() throws {
        try Choice.check("--source", source, among: Self.sources)
        guard winBack == nil || !isLink else {
            throw ValidationError("--win-back goes with a product, not with a link")
        }
    }

    /// The place where Buy is tapped. Omitted for the page, because stores of earlier versions do not read it.
    private var view: StorePurchase.Source? {
        source == StorePurchaseIntent.Source.storePage.rawValue ? nil : StorePurchase.Source(rawValue: source)
    }

    /// Whether the text is a URL and not a product identifier.
    private var isLink: Bool { what.indices.contains { what[$0...].hasPrefix("://") } }

    func run(_ context: CommandContext) async throws {
        // The store rejects an invalid URL and names the wrong part.
        let link = isLink ? try? PurchaseIntentURL(parsing: what) : nil
        let installation = customer.installation(context, bundleId: app.bundleId == nil ? link?.bundleId : nil)
        let session = try await context.sessions.store(installation)
        let started: StartPurchaseReply
        do {
            started =
                isLink
                ? try await context.api.call(
                    StorePageRoutes.openURL, token: session.token, body: URLToOpen(url: what))
                : try await context.api.call(
                    StorePageRoutes.purchase, token: session.token,
                    body: StorePurchase(productIdentifier: what, source: view, offer: winBack))
        } catch {
            throw await explained(error, link?.productIdentifier ?? what, installation, context)
        }
        let product = link?.productIdentifier ?? what
        context.print(IntentStart(reply: started, product: product, installation: installation).result)
    }

    private func explained(
        _ error: CLIError, _ product: String, _ installation: Installation, _ context: CommandContext
    ) async -> CLIError {
        if error.is(.productNotFound) {
            return await DidYouMean.productError(product, bundleId: installation.bundleId, context)
        }
        guard error.is(.productNotPromotable) else { return error }
        let option = AppOptions.flag(installation.bundleId)
        return error.with(hints: [
            "why: storebus promo list --device \(installation.deviceId)\(option)",
            "without promotion: storebus intent url \(product)\(option)",
        ])
    }
}

/// `storebus intent url`
struct IntentURLCommand: OneAppCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "url", "Print the link that begins a product's purchase without the store.",
        """
        storebus intent url com.example.hiddenBeaches
        storebus intent url com.example.hiddenBeaches --svg beach.svg

        Use it to test a product before it is promoted or its app is released. --svg also writes a QR code.
        """)

    @OptionGroup var named: ProductArgument
    @Option("Write a QR code of it into this file.", "file", .file()) var svg: String?
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let link = try await DidYouMean.forProducts([named.product], context) { () throws(CLIError) in
            var text = String(decoding: try await testURL(as: "text/plain", context), as: UTF8.self)
            while text.last?.isWhitespace == true { text.removeLast() }
            return text
        }
        var data: [String: JSONValue] = ["url": .string(link), "productIdentifier": .string(named.product)]
        var notes: [Advice] = []
        if let svg {
            let path = context.path(svg)
            try FileAccess.write(try await testURL(as: "image/svg+xml", context), to: path, mode: 0o644)
            data["file"] = .string(path)
            notes.append("a QR code of it is in \(path)")
        }
        context.print(
            "\(Table.onOneLine(link))\n", data: .object(data), names: [link],
            next: "storebus intent \(link) --as alice", notes: notes)
    }

    private func testURL(as contentType: String, _ context: CommandContext) async throws(CLIError) -> [UInt8] {
        try await context.api.bytes(
            PromotionRoutes.testURL, [.bundleId: context.bundleId, .id: named.product], accept: contentType)
    }
}

/// `storebus intent continue`
struct IntentContinueCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "continue", "Answer as an app that goes on: the payment is added and the sheet comes.",
        """
        storebus intent continue …2k9f

        The delegate returns true. One intent makes only one payment, however often you continue it. Waits for \
        the outcome, 30s unless --timeout says otherwise, and exits with the status of the purchase.
        """)

    @OptionGroup var named: IntentArgument
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let intent = try await IntentLookup.find(named.intent, isChange: true, context)
        let run = IntentDecisionRun(intent: intent, context: context)
        let outcome = try await context.progress.during("continuing \(intent.payment.productIdentifier)") {
            () throws(CLIError) in try await run.continueUntilDecided(within: context.timeLimit ?? .seconds(30))
        }
        context.print(outcome.result)
        if outcome.status != .success { throw QuietExit(status: outcome.status) }
    }
}

/// `storebus intent defer`
struct IntentDeferCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "defer", "Answer as an app that is not ready: it keeps the payment for later.",
        """
        storebus intent defer …2k9f

        The delegate returns false. Add the saved payment later with storebus buy PRODUCT --as ACCOUNT --intent \
        ID. A new payment for the product is another purchase.
        """)

    @OptionGroup var named: IntentArgument
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let intent = try await IntentLookup.find(named.intent, isChange: true, context)
        context.print(try await IntentDecisionRun(intent: intent, context: context).decide(.defer).result)
    }
}

/// `storebus intent cancel`
struct IntentCancelCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "cancel", "Answer as an app that does not sell it now, and tells the user why.",
        """
        storebus intent cancel …2k9f --feedback owned
        storebus intent cancel …2k9f

        The delegate returns false and drops the payment. Without feedback the user takes it for a fault, and \
        storebus intent list warns of it.
        """)

    @OptionGroup var named: IntentArgument
    @Option("The message that the app shows the user.", "text") var feedback: String?
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let intent = try await IntentLookup.find(named.intent, isChange: true, context)
        let outcome = try await IntentDecisionRun(intent: intent, context: context).decide(.cancel, feedback: feedback)
        context.print(outcome.result)
    }
}

/// Answers an intent instead of its app.
struct IntentDecisionRun: Sendable {
    /// The intent with its account, app and device.
    let intent: StorePurchaseIntent
    let context: CommandContext

    private var installation: Installation { intent.installation(context) }

    func decide(
        _ decision: DecideIntentRequest.Decision, feedback: String? = nil
    ) async throws(CLIError) -> IntentOutcome {
        outcome(try await send(decision, feedback: feedback))
    }

    /// Repeats the decision until the payment has an outcome. A repetition adds no second payment.
    func continueUntilDecided(within time: Duration) async throws(CLIError) -> IntentOutcome {
        let deadline = ContinuousClock.now + time
        while true {
            let remaining = deadline - .now
            let decision = try await Retry.run(until: deadline) { () throws(CLIError) in
                try await send(.continue, timeout: max(remaining, .seconds(1)))
            }
            let isOver = decision.transaction.map { $0.transactionState != .purchasing } ?? false
            guard !isOver, deadline - .now > Retry.pause, !Task.isCancelled else { return outcome(decision) }
            try? await ContinuousClock().sleep(for: Retry.pause)
        }
    }

    private func send(
        _ decision: DecideIntentRequest.Decision, feedback: String? = nil, timeout: Duration = .seconds(10)
    ) async throws(CLIError) -> IntentDecisionResponse {
        try await context.sessions.with(installation) { session throws(CLIError) in
            try await context.api.call(
                IntentRoutes.decide, [.id: intent.intentIdentifier], token: session.token,
                body: DecisionRequest(decision: decision, feedback: feedback), timeout: timeout)
        }
    }

    /// Adds the account, which the app's view lacks.
    private func outcome(_ decision: IntentDecisionResponse) -> IntentOutcome {
        var decided = decision.intent
        decided.bundleId = intent.bundleId
        decided.account = intent.account
        decided.deviceId = intent.deviceId
        return IntentOutcome(intent: decided, transaction: decision.transaction)
    }
}

/// `storebus intent list`
struct IntentListCommand: AsyncParsableCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "list", "List purchases that began in the store, oldest first.",
        """
        storebus intent list
        storebus intent list --as alice --state deferred
        """, aliases: ["ls"])

    @OptionGroup var owner: AccountFilter
    @Option("Only this device's.", "device", Completion.devices) var device: String?
    @Option("Only this app's.", "id") var bundleId: String?
    @Option(
        "Only in this state: \(StorePurchaseIntent.State.listed).", "state", .list(StorePurchaseIntent.State.rawValues))
    var state: String?
    @OptionGroup var page: PageOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws { try Choice.check("--state", state, among: StorePurchaseIntent.State.rawValues) }

    func run() async throws {
        let context = try CommandContext.find(global, bundleId: bundleId)
        let (intents, after) = try await context.api.list(
            IntentRoutes.search,
            query: ["bundleId": context.namedApp, "account": owner.account, "deviceId": device, "state": state],
            limit: page.limit, after: page.after)
        var result = IntentTable.result(intents, after: after)
        result.app = (intents.first { !$0.state.isFinal } ?? intents.first)?.bundleId
        if intents.isEmpty, context.namedApp != nil { _ = try await context.app() }
        if intents.isEmpty { result.notes = await owner.notes(context) }
        context.print(result)
    }
}

/// `storebus intent show`
struct IntentShowCommand: ContextCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "show", "Show one purchase: its state and the step it waits for.", "storebus intent show …2k9f")

    @OptionGroup var named: IntentArgument
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        context.print(IntentTable.result(try await IntentLookup.find(named.intent, context)))
    }
}

/// The argument that names an intent.
struct IntentArgument: ParsableArguments {
    @Argument("The intent, or the end of its identifier.", "intent", Completion.intents) var intent: String
}

/// Finds intents as the operator sees them: with account, app and device.
enum IntentLookup {
    /// Maximum number of intents searched by the end of an identifier, oldest first.
    private static let searchedMax = 10_000
    /// Length of a whole identifier, `i_…`.
    private static let wholeLength = 28

    /// Finds it by its identifier or the identifier's end.
    /// - Throws: `notFound` with the nearest one, `usage` when several match.
    static func find(
        _ text: String, isChange: Bool = false, _ context: CommandContext
    ) async throws(CLIError) -> StorePurchaseIntent {
        let typed = TypedIdentifier(text)
        let wanted = typed.wanted
        if let exact = try await exactly(wanted, context) { return exact }
        let (intents, after) = try await context.api.list(IntentRoutes.search, limit: searchedMax, after: nil)
        let matches = intents.filter { typed.isEnd(of: $0.intentIdentifier) }
        if isChange, !matches.isEmpty { try typed.checkLength(of: matches.map(\.intentIdentifier)) }
        guard matches.count <= 1 else {
            throw CLIError(
                .usage, "'\(text)' is the end of \(matches.count) intents",
                hints: ["give more of it: \(matches.prefix(4).map(\.intentIdentifier).joined(separator: ", "))"])
        }
        guard let found = matches.first else {
            let near = Suggestion.hints(for: wanted, among: intents.map(\.intentIdentifier))
            throw CLIError(
                CLIErrorCode(.notFound), "the store has no intent '\(text)'",
                hints: near
                    + (after.map { ["searched up to \($0); for a newer one give the whole identifier"] } ?? [])
                    + ["all of them: storebus intent list"])
        }
        return found
    }

    private static func exactly(_ wanted: String, _ context: CommandContext) async throws(CLIError)
        -> StorePurchaseIntent?
    {
        guard wanted.hasPrefix("i_"), wanted.utf8.count == wholeLength else { return nil }
        return try await context.api.intent(wanted)
    }
}

extension StorePurchaseIntent {
    /// The app that answers the intent.
    func installation(_ context: CommandContext) -> Installation {
        Installation(bundleId: bundleId ?? context.bundleId, account: account ?? "", deviceId: deviceId)
    }
}
