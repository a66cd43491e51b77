import ArgumentParser
import StoreModels

/// An instant of business time on the command line: `2027-01-31`, `2027-01-31T10:00:00Z`, or `2027-01-31 10:00:00Z` as the
/// tables write it. A date alone is its midnight; all of it is UTC.
struct BusinessInstant: Hashable, Sendable, ExpressibleByArgument {
    let timestamp: Timestamp

    init?(argument: String) {
        let halves = argument.split(separator: " ", omittingEmptySubsequences: false)
        let text: String
        switch halves.count {
        case 1 where argument.count == 10: text = "\(argument)T00:00:00Z"
        case 1: text = argument
        case 2: text = "\(halves[0])T\(halves[1])"
        default: return nil
        }
        // A reader may take 30 February for 2 March; a date that comes back as another was none.
        guard let timestamp = Timestamp(text), timestamp.description.prefix(10) == text.prefix(10) else { return nil }
        self.timestamp = timestamp
    }
}
