import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus intent list`
struct IntentListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List purchases that began in the store, oldest first.",
        discussion: """
            storebus intent list
            storebus intent list --as alice --state deferred
            """, aliases: ["ls"])

    @OptionGroup var owner: AccountFilter

    @Option(help: ArgumentHelp("Only this device's.", valueName: "device"), completion: Completion.devices)
    var device: String?

    @Option(help: ArgumentHelp("Only this app's.", valueName: "id"))
    var bundleId: String?

    @Option(
        help: ArgumentHelp(
            "Only in this state: \(StorePurchaseIntent.State.listed).", valueName: "state"),
        completion: .list(StorePurchaseIntent.State.rawValues))
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
struct IntentShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one purchase: its state and the step it waits for.",
        discussion: "storebus intent show …2k9f")

    @OptionGroup var named: IntentArgument
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        context.print(IntentTable.result(try await IntentLookup.find(named.intent, context)))
    }
}

/// The argument that names an intent.
struct IntentArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The intent, or the end of its identifier.", valueName: "intent"),
        completion: Completion.intents)
    var intent: String
}

/// Finds intents as the operator sees them: with account, app and device.
enum IntentLookup {
    /// Maximum number of intents searched by the end of an identifier, oldest first.
    private static let searchedMax = 10_000
    /// Length of a whole identifier, `i_…`.
    private static let wholeLength = 28

    /// Finds it by its identifier or the identifier's end.
    /// - Throws: `notFound` with the nearest one, `usage` when several match.
    static func find(_ text: String, _ context: CommandContext) async throws(CLIError) -> StorePurchaseIntent {
        let wanted = text.hasPrefix("…") ? String(text.dropFirst()) : text
        if let exact = try await exactly(wanted, context) { return exact }
        let (intents, after) = try await context.api.list(IntentRoutes.search, limit: searchedMax, after: nil)
        let matches = intents.filter { !wanted.isEmpty && $0.intentIdentifier.hasSuffix(wanted) }
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
