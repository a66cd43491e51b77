import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus trigger TYPE`
struct TriggerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger", abstract: "Make a notification's event happen, for tests of an app's server.",
        discussion: """
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
        help: ArgumentHelp("The type, with its subtype: DID_RENEW, EXPIRED.VOLUNTARY.", valueName: "type"),
        completion: .list(
            NotificationType.allCases.flatMap { type in
                type.subtypes.map { NotificationName(type, $0).description }
            }))
    var type: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The account it happens to. Default: a new one.", valueName: "account"),
        completion: Completion.accounts)
    var account: String?

    @Option(
        help: ArgumentHelp("The transaction, or the end of its identifier: 0001.", valueName: "transaction"),
        completion: Completion.transactions)
    var of: String?

    @Option(
        help: ArgumentHelp("The product to buy for it. Default: one that fits.", valueName: "product"),
        completion: Completion.products)
    var product: String?

    @Flag(help: "Only send the notification, and change nothing in the store.")
    var onlySend = false

    @Option(help: ArgumentHelp("Replace a member of the payload.", valueName: "name=value"))
    var set: [String] = []

    @Option(
        name: .customLong("break"), help: ArgumentHelp("How the signature is wrong.", valueName: "way"),
        completion: .list(BrokenSignature.rawValues))
    var wrong: String?

    @OptionGroup var options: AppCommandOptions

    func validate() throws {
        try Choice.check("--break", wrong, among: BrokenSignature.rawValues)
        try IdentifierRule.account.check("--as", account)
    }

    func run() async throws {
        let name = try NotificationName(parsing: type)
        try name.checkWhole()
        let members = try PayloadMembers(set)
        let context = try await options.context()
        var body = TriggerNotificationBody(
            notificationType: name.type, subtype: name.subtype, account: account)
        body.productIdentifier = product
        body.onlySend = onlySend ? true : nil
        body.set = members.isEmpty ? nil : members.values
        body.break = wrong.flatMap(BrokenSignature.init)
        if let of {
            let row = try await TransactionSearch.find(of, context)
            body.of = Format.name(row.transaction)
            body.account = account ?? row.account
        }
        context.print(TriggerReport(response: try await trigger(body, context)).result)
    }

    private func trigger(
        _ body: TriggerNotificationBody, _ context: CommandContext
    ) async throws(CLIError) -> TriggerResponse {
        try await DidYouMean.replacing(.notFound) { () throws(CLIError) in
            try await context.api.call(
                NotificationRoutes.trigger, [.bundleId: context.bundleId], body: body, timeout: .seconds(35))
        } better: { failure in
            guard let account = body.account else { return failure }
            let known = (try? await context.api.testers()) ?? []
            let isKnown = known.contains { $0.account.isExactly(account) }
            return isKnown ? failure : await DidYouMean.accountError(account, context)
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
