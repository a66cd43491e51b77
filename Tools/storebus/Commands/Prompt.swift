import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus prompt …`
struct PromptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "prompt", "See and answer open prompts: payment sheets, Ask to Buy.",
        """
        storebus account set alice --sheet interactive
        storebus prompt list
        storebus prompt answer p_01 approve
        """, subcommands: [List.self, AnswerPrompt.self])

    /// `storebus prompt list`
    struct List: ContextCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "list", "List open prompts, oldest first.", "storebus prompt list --as alice", aliases: ["ls"])

        @OptionGroup var owner: AccountFilter
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let prompts = try await context.api.all(PromptRoutes.list, query: ["account": owner.account])
            context.print(PromptTable.result(prompts))
        }
    }

    /// `storebus prompt answer`
    struct AnswerPrompt: ContextCommand {
        static let configuration = CommandConfiguration(
            "answer", "Answer a prompt.",
            """
            storebus prompt answer p_01 approve
            storebus prompt answer p_01 decline --error paymentInvalid
            """)

        @Argument("The prompt, or the end of its identifier.", "prompt") var prompt: String
        @Argument("approve, cancel or decline.", "answer", .list(Prompt.Answer.rawValues)) var answer: String
        @Option("With decline: the SKError the payment fails with.", "name or code") var error: String?
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            guard Prompt.Answer(rawValue: answer) != nil else {
                let known = Prompt.Answer.rawValues
                let near = Suggestion.suffix(for: answer, among: known)
                throw ValidationError("an answer is \(known.joined(separator: ", "))\(near)")
            }
            if error != nil, answer != Prompt.Answer.decline.rawValue {
                throw ValidationError("--error belongs to decline")
            }
        }

        func run(_ context: CommandContext) async throws {
            let found = try await PromptLookup.find(prompt, context)
            guard let answer = Prompt.Answer(rawValue: answer) else { return }
            try await PromptLookup.answer(found, answer, error: error, context)
        }
    }
}

/// Finds the prompt a command names.
enum PromptLookup {
    /// Finds it by its identifier or the identifier's end.
    static func find(_ text: String, _ context: CommandContext) async throws(CLIError) -> Prompt {
        let prompts = try await context.api.all(PromptRoutes.list)
        let typed = TypedIdentifier(text)
        if let exact = prompts.first(where: { $0.id == typed.wanted }) { return exact }
        let matches = prompts.filter { typed.isEnd(of: $0.id) }
        if !matches.isEmpty { try typed.checkLength(of: matches.map(\.id)) }
        guard let found = matches.first, matches.count == 1 else {
            let near = Suggestion.hints(for: typed.wanted, among: prompts.map(\.id))
            throw CLIError(
                CLIErrorCode(.notFound), "no prompt '\(text)' waits",
                hints: near + ["open prompts: storebus prompt list"])
        }
        return found
    }

    /// Finds the open prompt about a transaction.
    static func about(_ transaction: PaymentTransaction, _ context: CommandContext) async throws(CLIError) -> Prompt? {
        try await context.api.all(PromptRoutes.list).first { $0.transaction?.id == transaction.id }
    }

    /// Answers a prompt and prints the outcome.
    static func answer(
        _ prompt: Prompt, _ answer: Prompt.Answer, error: String?, _ context: CommandContext
    ) async throws(CLIError) {
        let answered = try await context.api.call(
            PromptRoutes.answer, [.id: prompt.id],
            body: PromptAnswerBody(answer: answer, error: error.flatMap { NamedError($0) }))
        context.print(PromptTable.result(answered, answer))
    }
}

/// Prompts as `storebus prompt` shows them.
enum PromptTable {
    static func result(_ prompts: [Prompt]) -> CommandResult {
        let hint = prompts.first.map {
            "storebus prompt answer \($0.id) \($0.answers.first?.rawValue ?? "approve")" as Advice
        }
        return CommandResult(
            prompts, ["PROMPT", "KIND", "ACCOUNT", "PRODUCT", .right("PRICE"), "TRANSACTION", "SINCE", "ANSWERS"],
            named: \.id, next: hint ?? "storebus account set alice --sheet interactive", ifEmpty: "no open prompts"
        ) { prompt in
            [
                prompt.id, kind(prompt), prompt.account,
                product(prompt) ?? "-", price(prompt), prompt.transaction.map(Format.name) ?? "-",
                Format.time(prompt.askedAt ?? prompt.createdAt), prompt.answers.map(\.rawValue).joined(separator: ", "),
            ]
        }
    }

    static func result(_ prompt: Prompt, _ answer: Prompt.Answer) -> CommandResult {
        let product = Self.product(prompt).map { "  \($0)" } ?? ""
        return CommandResult(
            "answered  \(prompt.id)  \(answer.rawValue)  \(prompt.account)\(product)\n",
            data: ["answer": .string(answer.rawValue), "prompt": JSONText.value(prompt)], names: [prompt.id],
            next: prompt.kind == .appPurchase
                ? "storebus intent list --as \(prompt.account)" : "storebus tx list --as \(prompt.account)"
        ).about(prompt.bundleId)
    }

    /// The product, or the app for a prompt about a purchase of the app.
    private static func product(_ prompt: Prompt) -> String? {
        prompt.transaction?.payment.productIdentifier ?? prompt.productIdentifier
    }

    /// The price in question: of the next renewal, the transaction, or the app.
    private static func price(_ prompt: Prompt) -> String {
        (prompt.priceIncrease?.price ?? prompt.transaction?.price ?? prompt.appPrice).map(Format.price) ?? "-"
    }

    /// `signIn ×3` for a repeated prompt.
    private static func kind(_ prompt: Prompt) -> String {
        guard let times = prompt.times, times > 1 else { return prompt.kind.rawValue }
        return "\(prompt.kind.rawValue) ×\(times)"
    }
}
