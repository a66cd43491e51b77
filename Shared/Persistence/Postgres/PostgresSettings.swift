internal import EventLoop

/// The settings of each session, and the server's settings that durability needs.
package enum PostgresSettings {
    /// The time after which a statement is cancelled.
    static let statementTime: Duration = .seconds(10)
    /// The time after which a wait for a lock fails.
    static let lockTime: Duration = .seconds(3)
    /// How long a process that stops in the middle of a transaction holds its locks. Statements follow each other
    /// within milliseconds, on the loop, and wait only for the server. A pause this long, of a machine that swaps or of
    /// a process that is stopped, costs a transaction that is rolled back and asked for again.
    package static let idleTime: Duration = .seconds(4)

    /// Prepares a session. `synchronous_commit` is raised if it is weaker than wanted. A server that waits for its
    /// replicas too is left alone.
    static func session(schema: String, _ synchronous: DatabaseSynchronous, _ idleTime: Duration) -> String {
        let commit =
            synchronous == .full
            ? """
            SELECT set_config('synchronous_commit', 'on', false)
            WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')
            """ : "SET synchronous_commit = off"
        return """
            SET search_path = \(schema);
            SET statement_timeout = \(statementTime.wholeMilliseconds);
            SET lock_timeout = \(lockTime.wholeMilliseconds);
            SET idle_in_transaction_session_timeout = \(idleTime.wholeMilliseconds);
            SET default_transaction_isolation = 'read committed';
            \(commit)
            """
    }

    /// The query of the settings that ``check(_:_:address:)`` reads, in one row.
    static let facts = """
        SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
            current_setting('synchronous_commit') AS synchronous_commit, pg_is_in_recovery() AS standby,
            current_setting('server_encoding') AS encoding
        """

    /// Checks the server's settings.
    ///
    /// - Throws: `notDurable` naming the setting and the remedy, or `cannotOpen` for a server that cannot be written,
    ///   or has another encoding than UTF-8.
    static func check(_ row: SQLRow, _ synchronous: DatabaseSynchronous, address: String) throws(PersistenceError) {
        guard try row["standby"] == "f" else {
            throw PersistenceError(.cannotOpen, "\(address) is a standby, which cannot be written; name the primary")
        }
        guard try row["encoding"] == "UTF8" else {
            throw PersistenceError(.cannotOpen, "\(address) has another encoding than UTF8; make a database with UTF8")
        }
        guard synchronous == .full else { return }
        for name in ["fsync", "full_page_writes"] where try row[name] != "on" {
            throw PersistenceError(
                .notDurable,
                "\(address): \(name) is off, so acknowledged purchases can be lost; set \(name) = on in postgresql.conf"
            )
        }
        let commit: String = try row["synchronous_commit"]
        guard ["on", "remote_apply"].contains(commit) else {
            throw PersistenceError(
                .notDurable,
                "\(address): synchronous_commit is \(commit) and cannot be set; let the role set it, or set it to on")
        }
    }
}
