/// What clearing a history answers: `{"removed":12,"cancelledIntents":1}`.
struct HistoryAnswer: Encodable {
    /// Transactions that are gone.
    var removed: Int
    /// Purchases that began in the store and were open.
    var cancelledIntents: Int
}

/// What a reset answers: `{"removedTransactions":12,"cancelledIntents":1}`.
struct ResetAnswer: Encodable {
    var removedTransactions: Int
    /// As ``HistoryAnswer/cancelledIntents``.
    var cancelledIntents: Int
}
