/// The format of logs: lines for people, or JSON for machines.
enum LogFormat: String, CaseIterable, Sendable {
    case json
    case text
}
