import Persistence

/// Lists the migrations of the database's schema.
///
/// Types and statements are those SQLite and PostgreSQL share. Instants are milliseconds since 1970.
enum NotifierSchema {
    static let migrations: [Migration] = [.notifications, .payloads, .sources]
}
