import StoreModels

/// How an import ended, kept for as long as its identifier, so that a commit sent again gets the same answer.
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
