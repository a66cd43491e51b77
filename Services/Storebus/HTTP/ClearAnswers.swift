/// What `POST …/reset` answers: `{"removedTransactions":12,"cancelledIntents":1}`.
struct ResetAnswer: Hashable, Sendable, Codable {
    var removedTransactions: Int
    /// Purchases that began in the store and were open; absent from a store of an earlier version.
    var cancelledIntents: Int?
}

/// What `DELETE …/transactions` answers: `{"removed":12,"cancelledIntents":1}`.
struct HistoryAnswer: Hashable, Sendable, Codable {
    var removed: Int
    /// As ``ResetAnswer/cancelledIntents``.
    var cancelledIntents: Int?
}
