import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus intent …`
struct IntentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "intent", abstract: "Purchases that begin in the store: begin one, answer it as the app.",
        discussion: """
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
struct IntentStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Tap Buy in the store on a device, or open a link there.",
        discussion: """
            storebus intent start com.example.hiddenBeaches --as alice
            storebus intent com.example.hiddenBeaches --device alice-2 --source search
            storebus intent itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=x --as bob

            The purchase waits until the app opens, is downloaded, bought or upgraded. A link also works for a \
            product that is not promoted or not for sale yet, and its bundleId names the app. Quote a link in a \
            shell.
            """)

    @Argument(
        help: ArgumentHelp("A promoted product, or an itms-services link.", valueName: "product or url"),
        completion: Completion.products)
    var what: String

    @Option(
        help: ArgumentHelp("Where Buy is tapped: storePage, search or featured.", valueName: "place"),
        completion: .list(["storePage", "search", "featured"]))
    var source = StorePurchaseIntent.Source.storePage.rawValue

    @OptionGroup var customer: CustomerOptions
    @OptionGroup var global: GlobalOptions

    private static let sources = StorePurchaseIntent.Source.allCases.filter { $0 != .testURL }.map(\.rawValue)

    func validate() throws { try Choice.check("--source", source, among: Self.sources) }

    /// The place where Buy is tapped. Omitted for the page, because stores of earlier versions do not read it.
    private var view: StorePurchase.Source? {
        source == StorePurchaseIntent.Source.storePage.rawValue ? nil : StorePurchase.Source(rawValue: source)
    }

    /// Whether the text is a URL and not a product identifier.
    private var isLink: Bool { what.indices.contains { what[$0...].hasPrefix("://") } }

    func run() async throws {
        let context = try await CommandContext.find(global, app: customer.app)
        // The store rejects an invalid URL and names the wrong part.
        let link = isLink ? try? PurchaseIntentURL(parsing: what) : nil
        let installation = customer.installation(context, bundleId: customer.app.bundleId == nil ? link?.bundleId : nil)
        let session = try await context.sessions.store(installation)
        let started: StartPurchaseReply
        do {
            started =
                isLink
                ? try await context.api.call(
                    StorePageRoutes.openURL, token: session.token, body: URLToOpen(url: what))
                : try await context.api.call(
                    StorePageRoutes.purchase, token: session.token,
                    body: StorePurchase(productIdentifier: what, source: view))
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
struct IntentURLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url", abstract: "Print the link that begins a product's purchase without the store.",
        discussion: """
            storebus intent url com.example.hiddenBeaches
            storebus intent url com.example.hiddenBeaches --svg beach.svg

            Use it to test a product before it is promoted or its app is released. --svg also writes a QR code.
            """)

    @OptionGroup var named: ProductArgument

    @Option(help: ArgumentHelp("Write a QR code of it into this file.", valueName: "file"), completion: .file())
    var svg: String?

    @OptionGroup var options: AppCommandOptions

    func run() async throws {
        let context = try await options.context()
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
struct IntentContinueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "continue", abstract: "Answer as an app that goes on: the payment is added and the sheet comes.",
        discussion: """
            storebus intent continue …2k9f

            The delegate returns true. One intent makes only one payment, however often you continue it. Waits for \
            the outcome, 30s unless --timeout says otherwise, and exits with the status of the purchase.
            """)

    @OptionGroup var named: IntentArgument
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let intent = try await IntentLookup.find(named.intent, context)
        let run = IntentDecisionRun(intent: intent, context: context)
        let outcome = try await context.progress.during("continuing \(intent.payment.productIdentifier)") {
            () throws(CLIError) in try await run.continueUntilDecided(within: context.timeLimit ?? .seconds(30))
        }
        context.print(outcome.result)
        if outcome.status != .success { throw QuietExit(status: outcome.status) }
    }
}

/// `storebus intent defer`
struct IntentDeferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "defer", abstract: "Answer as an app that is not ready: it keeps the payment for later.",
        discussion: """
            storebus intent defer …2k9f

            The delegate returns false. Add the saved payment later with storebus buy PRODUCT --as ACCOUNT --intent \
            ID. A new payment for the product is another purchase.
            """)

    @OptionGroup var named: IntentArgument
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let intent = try await IntentLookup.find(named.intent, context)
        context.print(try await IntentDecisionRun(intent: intent, context: context).decide(.defer).result)
    }
}

/// `storebus intent cancel`
struct IntentCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Answer as an app that does not sell it now, and tells the user why.",
        discussion: """
            storebus intent cancel …2k9f --feedback owned
            storebus intent cancel …2k9f

            The delegate returns false and drops the payment. Without feedback the user takes it for a fault, and \
            storebus intent list warns of it.
            """)

    @OptionGroup var named: IntentArgument

    @Option(help: ArgumentHelp("The message that the app shows the user.", valueName: "text"))
    var feedback: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let intent = try await IntentLookup.find(named.intent, context)
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
