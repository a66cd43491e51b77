import ArgumentParser
import StoreModels

/// `storebus intent list`
struct IntentListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List purchases that began in the store, oldest first.",
        discussion: """
            storebus intent list
            storebus intent list --as alice --state deferred
            """, aliases: ["ls"])

    @Option(
        name: .customLong("as"), help: ArgumentHelp("Only this account's.", valueName: "account"),
        completion: Completion.accounts)
    var account: String?

    @Option(help: ArgumentHelp("Only this device's.", valueName: "device"), completion: Completion.devices)
    var device: String?

    @Option(help: ArgumentHelp("Only this app's.", valueName: "id"))
    var bundleId: String?

    @Option(
        help: ArgumentHelp("Only in this state: \(Self.states.joined(separator: ", ")).", valueName: "state"),
        completion: .list(Self.states))
    var state: String?

    @OptionGroup var page: PageOptions
    @OptionGroup var global: GlobalOptions

    private static let states = PurchaseIntent.State.allCases.map(\.rawValue)

    func validate() throws { try Choice.check("--state", state, among: Self.states) }

    func run() async throws {
        let context = try CommandContext.find(global, bundleId: bundleId)
        let query = IntentListRequest(
            bundleId: context.namedApp, account: account, deviceId: device,
            state: state.flatMap(PurchaseIntent.State.init), after: page.after)
        let (intents, after) = try await IntentLookup.list(query, limit: page.limit, context)
        var answer = IntentTable.answer(intents, after: after)
        answer.app = (intents.first { !$0.state.isFinal } ?? intents.first)?.bundleId
        if intents.isEmpty, context.namedApp != nil { _ = try await Known.app(context) }
        if intents.isEmpty, let account { answer.notes = await Known.notes(aboutAccount: account, context) }
        context.print(answer)
    }
}

/// `storebus intent show`
struct IntentShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one of them: where it stands and what it waits for.",
        discussion: "storebus intent show …2k9f")

    @OptionGroup var named: IntentArgument
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        context.print(IntentTable.answer(try await IntentLookup.find(named.intent, context)))
    }
}

/// An intent on the command line.
struct IntentArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The intent, or the end of its identifier.", valueName: "intent"),
        completion: Completion.intents)
    var intent: String
}
