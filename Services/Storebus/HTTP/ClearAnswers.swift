/// What `POST …/reset` answers: `{"removedTransactions":12,"cancelledIntents":1}`.
package struct ResetAnswer: Hashable, Sendable, Codable {
    package var removedTransactions: Int
    /// Purchases that began in the store and were open; absent from a store of an earlier version.
    package var cancelledIntents: Int?
}

/// What `DELETE …/transactions` answers: `{"removed":12,"cancelledIntents":1}`.
package struct HistoryAnswer: Hashable, Sendable, Codable {
    package var removed: Int
    /// As ``ResetAnswer/cancelledIntents``.
    package var cancelledIntents: Int?
}
