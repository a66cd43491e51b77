import StoreModels

/// Finds intents as the operator sees them: with account, app and device.
enum IntentLookup {
    /// A search for one ends here; what is older needs its whole identifier.
    private static let searchedMax = 10_000

    /// - Returns: at most `limit`, and where to go on when there may be more.
    static func list(
        _ query: IntentListRequest, limit: Int, _ context: CommandContext
    ) async throws(CLIError) -> (intents: [PurchaseIntent], after: String?) {
        var query = query
        var intents: [PurchaseIntent] = []
        repeat {
            query.limit = min(100, limit - intents.count)
            let page = try await context.api.intents(query)
            intents += page.intents
            query.after = page.after
        } while query.after != nil && intents.count < limit
        return (intents, query.after)
    }

    /// By its identifier or the end of it.
    /// - Throws: `notFound` with the nearest one, `usage` when several end so.
    static func find(_ text: String, _ context: CommandContext) async throws(CLIError) -> PurchaseIntent {
        let intents = try await list(IntentListRequest(), limit: searchedMax, context).intents
        let wanted = text.hasPrefix("…") ? String(text.dropFirst()) : text
        if let exact = intents.first(where: { $0.intentIdentifier == wanted }) { return exact }
        let matches = intents.filter { !wanted.isEmpty && $0.intentIdentifier.hasSuffix(wanted) }
        guard matches.count <= 1 else {
            throw CLIError(
                .usage, "'\(text)' is the end of \(matches.count) intents",
                hints: ["give more of it: " + matches.prefix(4).map(\.intentIdentifier).joined(separator: ", ")])
        }
        guard let found = matches.first else {
            let near = Suggestion.nearest(to: wanted, among: intents.map(\.intentIdentifier))
            throw CLIError(
                CLIErrorCode(.notFound), "the store has no intent '\(text)'",
                hints: (near.map { ["did you mean '\($0)'?"] } ?? []) + ["all of them: storebus intent list"])
        }
        return found
    }
}

extension PurchaseIntent {
    /// The app that answers it.
    func installation(_ context: CommandContext) -> Installation {
        Installation(bundleId: bundleId ?? context.bundleId, account: account ?? "", deviceId: deviceId)
    }
}
