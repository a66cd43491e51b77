import StoreModels

/// Finds the transaction somebody named by its identifier or by the end of it.
enum TransactionLookup {
    /// - Parameter text: `2000000000000001`, `…0001`, `0001`, or the store's own `id`.
    /// - Returns: nil when none matches.
    /// - Throws: `transactionAmbiguous` with the candidates when several do.
    static func find(
        _ text: String, among transactions: [PaymentTransaction]
    ) throws(CLIError) -> PaymentTransaction? {
        let wanted = text.hasPrefix("…") ? String(text.dropFirst()) : text
        guard !wanted.isEmpty else { throw CLIError(.usage, "a transaction is named by its identifier or its end") }
        if let exact = transactions.first(where: { $0.id == wanted || $0.transactionIdentifier.isExactly(wanted) }) {
            return exact
        }
        let matches = transactions.filter {
            $0.id.hasSuffix(wanted) || $0.transactionIdentifier?.hasSuffix(wanted) == true
        }
        guard matches.count <= 1 else {
            throw CLIError(
                .transactionAmbiguous, "'\(text)' is the end of \(matches.count) transactions",
                hints: ["give more of it: " + matches.prefix(4).map { Words.name($0) }.joined(separator: ", ")],
                details: ["transactions": .array(matches.map { .string($0.id) })])
        }
        return matches.first
    }

    /// Nobody has it; the nearest identifier is suggested.
    static func unknown(
        _ text: String, of account: String?, among known: [PaymentTransaction]
    ) -> CLIError {
        let wanted = text.hasPrefix("…") ? String(text.dropFirst()) : text
        let near = Suggestion.hints(for: wanted, among: known.map { Words.name($0) } + known.map(\.id))
        let list = "storebus tx list" + (account.map { " --as \($0)" } ?? "")
        return CLIError(
            CLIErrorCode(.notFound), "\(account ?? "the store") has no transaction '\(text)'",
            hints: near + ["all of them: \(list)"])
    }
}
