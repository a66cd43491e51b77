import ArgumentParser
import StoreModels

/// `storebus intent continue`
struct IntentContinueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "continue", abstract: "Answer as an app that goes on: the payment is added and the sheet comes.",
        discussion: """
            storebus intent continue …2k9f

            The delegate's true. One intent makes one payment only, however often it is continued. Waits for the \
            outcome, 30s unless --timeout says otherwise; the exit status is that of a purchase.
            """)

    @OptionGroup var named: IntentArgument
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let intent = try await IntentLookup.find(named.intent, context)
        let answer = IntentAnswer(intent: intent, context: context)
        let outcome = try await context.progress.during("continuing \(intent.payment.productIdentifier)") {
            () throws(CLIError) in try await answer.continued(within: context.timeLimit ?? .seconds(30))
        }
        context.print(outcome.answer)
        if outcome.status != .success { throw QuietExit(status: outcome.status) }
    }
}

/// `storebus intent defer`
struct IntentDeferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "defer", abstract: "Answer as an app that is not ready: it keeps the payment for later.",
        discussion: """
            storebus intent defer …2k9f

            The delegate's false. The saved payment is added later with storebus buy PRODUCT --as ACCOUNT --intent ID; a \
            new payment for the product is another purchase.
            """)

    @OptionGroup var named: IntentArgument
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let intent = try await IntentLookup.find(named.intent, context)
        context.print(try await IntentAnswer(intent: intent, context: context).said(.defer).answer)
    }
}

/// `storebus intent cancel`
struct IntentCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Answer as an app that does not sell it now, and tells the user why.",
        discussion: """
            storebus intent cancel …2k9f --feedback owned
            storebus intent cancel …2k9f

            The delegate's false, for good. Without feedback it looks like a fault to the user; storebus intent list \
            warns of it.
            """)

    @OptionGroup var named: IntentArgument

    @Option(help: ArgumentHelp("What the app tells the user.", valueName: "text"))
    var feedback: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let intent = try await IntentLookup.find(named.intent, context)
        let outcome = try await IntentAnswer(intent: intent, context: context).said(.cancel, feedback: feedback)
        context.print(outcome.answer)
    }
}
