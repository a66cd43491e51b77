import StoreModels

/// What is said before something is deleted.
enum Removal {
    /// More are not counted; the sentence then says too little, never too much.
    private static let countMax = 10_000

    static func count(_ context: CommandContext, account: String? = nil) async throws(CLIError) -> Int {
        var filter = try Filter([])
        try filter.add("bundleId", context.bundleId)
        try filter.add("account", account)
        return try await TransactionSearch(api: context.api, filter: filter, isFinished: nil, now: .wallClock())
            .rows(limit: countMax, after: nil).rows.count
    }

    /// What went besides.
    /// - Parameter cancelled: purchases that began in the store.
    static func notes(cancelled: Int?) -> [String] {
        guard let cancelled, cancelled > 0 else { return [] }
        return [
            "\(Words.count(cancelled, "purchase")) that began in the store \(cancelled == 1 ? "is" : "are") cancelled"
        ]
    }

    static func wouldRemove(_ what: String, _ count: Int) -> Answer {
        Answer("would delete  \(what)\n", data: ["wouldRemove": .integer(count)], next: "the same without --dry-run")
    }
}
