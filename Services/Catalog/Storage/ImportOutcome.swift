import StoreModels

/// Result of an import, kept as long as its identifier. A repeated commit gets the same reply.
enum ImportOutcome: Hashable, Sendable, Codable {
    case committed(ImportReport)
    case refused(StoreError)

    func report() throws(StoreError) -> ImportReport {
        switch self {
        case .committed(let report): return report
        case .refused(let error): throw error
        }
    }
}
