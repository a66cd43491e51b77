import Persistence

extension Migration {
    /// Events are removed in their order, which is that of their ages.
    static let eventAges = Migration(
        number: 6, name: "events without an index of ages", sql: "DROP INDEX intent_event_age;")
}
