import Persistence

extension Migration {
    /// A counter of launches.
    static let launches = Migration(
        number: 14, name: "launches in their order",
        sql: "INSERT INTO counter (name, value) VALUES ('launch', 0)",
        counters: ["launch"])
}
