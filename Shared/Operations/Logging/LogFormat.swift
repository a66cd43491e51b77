/// How logs look: lines for people, or JSON for machines.
enum LogFormat: String, CaseIterable, Sendable {
    case json
    case text
}
