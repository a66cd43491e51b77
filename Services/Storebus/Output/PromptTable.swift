import StoreModels

/// Prompts as `storebus prompt` shows them.
enum PromptTable {
    static func table(_ prompts: [Prompt]) -> Table {
        var table = Table([
            .init("PROMPT"), .init("KIND"), .init("ACCOUNT"), .init("PRODUCT"), .init("PRICE", .right),
            .init("TRANSACTION"), .init("SINCE"), .init("ANSWERS"),
        ])
        for prompt in prompts {
            table.add([
                prompt.id, kind(prompt), prompt.account,
                product(prompt) ?? "-", price(prompt), prompt.transaction.map(Words.name) ?? "-",
                Words.time(prompt.createdAt), prompt.answers.map(\.rawValue).joined(separator: ", "),
            ])
        }
        return table
    }

    static func answer(_ prompt: Prompt, _ answer: Prompt.Answer) -> Answer {
        let product = Self.product(prompt).map { "  \($0)" } ?? ""
        return Answer(
            "answered  \(prompt.id)  \(answer.rawValue)  \(prompt.account)\(product)\n",
            data: ["answer": .string(answer.rawValue), "prompt": JSONText.value(prompt)], names: [prompt.id],
            next: prompt.kind == .appPurchase
                ? "storebus intent list --as \(prompt.account)" : "storebus tx list --as \(prompt.account)"
        ).about(prompt.bundleId)
    }

    /// What is bought, or for what the app has to be bought first.
    private static func product(_ prompt: Prompt) -> String? {
        prompt.transaction?.payment.productIdentifier ?? prompt.productIdentifier
    }

    /// What saying yes costs: the next renewal, the transaction's price, or the app's own.
    private static func price(_ prompt: Prompt) -> String {
        (prompt.priceIncrease?.price ?? prompt.transaction?.price ?? prompt.appPrice).map(Words.price) ?? "-"
    }

    /// `signIn ×3`, when it was asked before.
    private static func kind(_ prompt: Prompt) -> String {
        guard let times = prompt.times, times > 1 else { return prompt.kind.rawValue }
        return "\(prompt.kind.rawValue) ×\(times)"
    }
}
