/// Response of clearing a history: `{"removed":12,"cancelledIntents":1}`.
struct HistoryAnswer: Encodable {
    /// Number of transactions removed.
    var removed: Int
    /// Number of open purchases that began in the store and were cancelled.
    var cancelledIntents: Int
}

/// Response of a reset: `{"removedTransactions":12,"cancelledIntents":1}`.
struct ResetAnswer: Encodable {
    var removedTransactions: Int
    /// As ``HistoryAnswer/cancelledIntents``.
    var cancelledIntents: Int
}
