import Persistence

extension Migration {
    /// Testers of a scope: those of earlier versions are the installation's, whose scope is the empty text.
    static let testerScopes = Migration(
        number: 26, name: "testers of each isolated store",
        sql: """
            CREATE TABLE tester_next (
                scope TEXT NOT NULL,
                account TEXT NOT NULL,
                settings TEXT NOT NULL,
                updated_at BIGINT NOT NULL,
                PRIMARY KEY (scope, account)
            );
            INSERT INTO tester_next (scope, account, settings, updated_at)
            SELECT '', account, settings, updated_at FROM tester;
            DROP TABLE tester;
            ALTER TABLE tester_next RENAME TO tester;
            """)
}
