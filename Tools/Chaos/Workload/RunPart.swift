/// What a run does besides its workload, by the name on the command line.
package enum RunPart: String, CaseIterable, Sendable {
    /// The store sends the app's notifications to a server of the run's own.
    case notifications

    /// The classes of lines that a run with it has.
    package var operations: [HistoryEntry.Operation] {
        switch self {
        case .notifications: [.notification]
        }
    }
}
