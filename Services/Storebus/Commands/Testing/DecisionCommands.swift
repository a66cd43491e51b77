import ArgumentParser
import StoreModels

/// `storebus approve`
struct ApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Approve a purchase that waits for a person.",
        discussion: "storebus approve …0001")

    @Argument(
        help: ArgumentHelp("The transaction, or the end of its identifier.", valueName: "transaction"),
        completion: Completion.transactions)
    var transaction: String

    @OptionGroup var global: GlobalOptions

    func run() async throws { try await Decision(transaction: transaction, answer: .approve).run(global) }
}

/// `storebus decline`
struct DeclineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline", abstract: "Decline a purchase that waits for a person.",
        discussion: "storebus decline …0001 --error paymentInvalid")

    @Argument(
        help: ArgumentHelp("The transaction, or the end of its identifier.", valueName: "transaction"),
        completion: Completion.transactions)
    var transaction: String

    @Option(help: ArgumentHelp("The SKError the payment fails with.", valueName: "name or code"))
    var error: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws { try await Decision(transaction: transaction, answer: .decline, error: error).run(global) }
}

/// A person's decision about a purchase: the answer to the prompt that waits for it, or what a parent says to a
/// deferred one.
struct Decision: Sendable {
    var transaction: String
    var answer: Prompt.Answer
    var error: String?

    func run(_ global: GlobalOptions) async throws {
        let context = try CommandContext.find(global)
        let row = try await TransactionSearch.find(transaction, context)
        if let prompt = try await PromptLookup.about(row.transaction, context) {
            let answered = try await context.api.answer(prompt.id, answer, error: error)
            return context.print(PromptTable.answer(answered, answer))
        }
        guard row.transaction.transactionState == .deferred else {
            let name = Words.name(row.transaction)
            throw CLIError(
                CLIErrorCode(.notFound), "\(name) is \(row.transaction.transactionState.rawValue): nobody is asked",
                hints: ["what waits: storebus prompt list", "storebus why \(name)"])
        }
        let changed = try await context.api.change(row.transaction.id, answer.rawValue)
        context.print(
            Answer(
                "\(changed.transactionState.rawValue)  \(Words.name(changed))  \(changed.payment.productIdentifier)\n",
                data: JSONText.value(changed), names: [Words.name(changed)],
                next: "storebus tx show \(Words.name(changed))"))
    }
}
