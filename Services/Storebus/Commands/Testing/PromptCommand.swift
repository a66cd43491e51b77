import ArgumentParser
import StoreModels

/// `storebus prompt …`
struct PromptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prompt",
        abstract: "See and answer what waits for a person: payment sheets, Ask to Buy.",
        discussion: """
            storebus account set alice --sheet interactive
            storebus prompt list
            storebus prompt answer p_01 approve
            """,
        subcommands: [List.self, AnswerPrompt.self])

    /// `storebus prompt list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List what waits, oldest first.",
            discussion: "storebus prompt list --as alice", aliases: ["ls"])

        @Option(
            name: .customLong("as"), help: ArgumentHelp("Only this account's.", valueName: "account"),
            completion: Completion.accounts)
        var account: String?

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try CommandContext.find(global)
            let prompts = try await context.api.prompts(account: account)
            context.print(
                Answer(
                    PromptTable.table(prompts), items: prompts.map { JSONText.value($0) }, names: prompts.map(\.id),
                    next: prompts.first.map {
                        "storebus prompt answer \($0.id) \($0.answers.first?.rawValue ?? "approve")"
                    }
                        ?? "storebus account set alice --sheet interactive",
                    ifEmpty: "nobody is asked anything"))
        }
    }

    /// `storebus prompt answer`
    struct AnswerPrompt: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "answer", abstract: "Answer one.",
            discussion: """
                storebus prompt answer p_01 approve
                storebus prompt answer p_01 decline --error paymentInvalid
                """)

        @Argument(help: ArgumentHelp("The prompt, or the end of its identifier.", valueName: "prompt"))
        var prompt: String

        @Argument(
            help: ArgumentHelp("approve, cancel or decline.", valueName: "answer"),
            completion: .list(Prompt.Answer.allCases.map(\.rawValue)))
        var answer: String

        @Option(help: ArgumentHelp("With decline: the SKError the payment fails with.", valueName: "name or code"))
        var error: String?

        @OptionGroup var global: GlobalOptions

        func validate() throws {
            guard Prompt.Answer(rawValue: answer) != nil else {
                let known = Prompt.Answer.allCases.map(\.rawValue)
                let near = Suggestion.ending(for: answer, among: known)
                throw ValidationError("an answer is \(known.joined(separator: ", "))\(near)")
            }
            if error != nil, answer != Prompt.Answer.decline.rawValue {
                throw ValidationError("--error belongs to decline")
            }
        }

        func run() async throws {
            let context = try CommandContext.find(global)
            let found = try await PromptLookup.find(prompt, context)
            guard let answer = Prompt.Answer(rawValue: answer) else { return }
            let answered = try await context.api.answer(found.id, answer, error: error)
            context.print(PromptTable.answer(answered, answer))
        }
    }
}
