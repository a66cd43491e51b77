/// A part of a run besides its workload, by its name on the command line.
package enum RunPart: String, CaseIterable, Sendable {
    /// The store sends the app's notifications to a server of the run's own.
    case notifications
    /// Isolated stores are made beside the app, used, removed, and left to their end.
    case stores
    /// Single transactions are read everywhere that shows them.
    case stories
    /// Persons of a family buy, join and leave, in an app of their own.
    case families

    /// The classes of lines that a run with it has.
    package var operations: [HistoryEntry.Operation] {
        switch self {
        case .notifications: [.notification]
        case .stores: [.isolated]
        case .stories: [.story]
        case .families: [.family]
        }
    }
}
