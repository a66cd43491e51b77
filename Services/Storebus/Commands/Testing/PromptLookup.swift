import StoreModels

/// Finds the prompt somebody named.
enum PromptLookup {
    /// By its identifier or the end of it.
    static func find(_ text: String, _ context: CommandContext) async throws(CLIError) -> Prompt {
        let prompts = try await context.api.prompts(account: nil)
        let wanted = text.hasPrefix("…") ? String(text.dropFirst()) : text
        if let exact = prompts.first(where: { $0.id == wanted }) { return exact }
        let matches = prompts.filter { !wanted.isEmpty && $0.id.hasSuffix(wanted) }
        guard let found = matches.first, matches.count == 1 else {
            let near = Suggestion.hints(for: wanted, among: prompts.map(\.id))
            throw CLIError(
                CLIErrorCode(.notFound), "no prompt '\(text)' waits",
                hints: near + ["what waits: storebus prompt list"])
        }
        return found
    }

    /// The one that waits for a decision about a transaction.
    static func about(_ transaction: PaymentTransaction, _ context: CommandContext) async throws(CLIError) -> Prompt? {
        try await context.api.prompts(account: nil).first { $0.transaction?.id == transaction.id }
    }
}
