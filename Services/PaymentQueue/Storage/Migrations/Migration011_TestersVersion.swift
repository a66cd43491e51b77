import Persistence

extension Migration {
    /// One row, whose version grows with each change of a tester's settings.
    static let testersVersion = Migration(
        number: 11, name: "a version of the testers' settings",
        sql: """
            CREATE TABLE testers_version (id BIGINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL);
            INSERT INTO testers_version (id, version) VALUES (1, 1);
            """)
}
