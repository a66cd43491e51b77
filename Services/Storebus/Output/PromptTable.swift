import StoreModels

/// Prompts as `storebus prompt` shows them.
package enum PromptTable {
    package static func table(_ prompts: [Prompt]) -> Table {
        var table = Table([
            .init("PROMPT"), .init("KIND"), .init("ACCOUNT"), .init("PRODUCT"), .init("TRANSACTION"), .init("SINCE"),
            .init("ANSWERS"),
        ])
        for prompt in prompts {
            table.add([
                prompt.id, prompt.kind.rawValue, prompt.account,
                prompt.transaction?.payment.productIdentifier ?? "-", prompt.transaction.map(Words.name) ?? "-",
                Words.time(prompt.createdAt), prompt.answers.map(\.rawValue).joined(separator: ", "),
            ])
        }
        return table
    }

    package static func answer(_ prompt: Prompt, _ answer: Prompt.Answer) -> Answer {
        let product = prompt.transaction.map { "  \($0.payment.productIdentifier)" } ?? ""
        return Answer(
            "answered  \(prompt.id)  \(answer.rawValue)  \(prompt.account)\(product)\n",
            data: ["answer": .string(answer.rawValue), "prompt": JSONText.value(prompt)], names: [prompt.id],
            next: prompt.kind == .appPurchase
                ? "storebus intent list --as \(prompt.account)" : "storebus tx list --as \(prompt.account)")
    }
}
