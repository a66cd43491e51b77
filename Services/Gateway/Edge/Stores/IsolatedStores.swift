import Logging
import Persistence
import ServiceDatabase
import StoreHTTP
import StoreModels

/// The isolated stores of the installation, in the gateway's own database.
package struct IsolatedStores: Sendable {
    /// A store as it is stored.
    package struct Stored: Hashable, Sendable {
        package var app: IsolatedApp
        package var state: String
        /// The name of a snapshot. Nil for a store.
        package var snapshot: String?
        package var createdAt: Timestamp
        package var expiresAt: Timestamp
    }

    /// Being made: no request reaches it.
    private static let making = "making"
    private static let open = "open"
    /// Kept for forks: no request reaches it.
    private static let snapshot = "snapshot"
    private static let removing = "removing"
    private static let counter = SQLCounter("isolated_store")
    /// How long a gateway that removes a store keeps others from it.
    private static let claimTime = Duration.seconds(30)

    package let database: any SQLDatabase
    /// The wall clock.
    package let now: @Sendable () -> Timestamp
    package let logger: Logger

    /// - Parameters:
    ///   - database: The gateway's own. Its creator closes it.
    ///   - now: The wall clock. Tests pass their own.
    package init(database: any SQLDatabase, now: @escaping @Sendable () -> Timestamp, logger: Logger) {
        self.database = database
        self.now = now
        self.logger = logger
    }

    // MARK: Making

    /// Takes a store's number. It is answered after ``open(_:)``.
    /// - Parameters:
    ///   - createdAt: Now, by the wall clock.
    ///   - expiresAt: The end of its time, by the wall clock.
    package func begin(
        _ bundleId: String, seed: Int64, at createdAt: Timestamp, until expiresAt: Timestamp
    ) async throws -> IsolatedApp {
        try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            try await database.write { transaction in
                guard let number = try await Self.counter.next(in: transaction).first else {
                    preconditionFailure("a counter gives as many numbers as it is asked for")
                }
                let app = IsolatedApp(shownBundleId: bundleId, number: number, seed: seed)
                try await transaction.execute(
                    """
                    INSERT INTO isolated_store (number, bundle_id, state, created_at, expires_at, claimed_until)
                    VALUES (?, ?, ?, ?, ?, 0)
                    """, number, app.bundleId, Self.making, createdAt.milliseconds, expiresAt.milliseconds)
                return app
            }
        }
    }

    /// Opens a store, whose key and settings AppStoreServer has.
    /// - Parameters:
    ///   - expiresAt: The end of its time, by the wall clock.
    ///   - source: The store that it is a copy of. It has to be there still, because its removal is in parts.
    /// - Throws: `notFound` for a store that is over, or whose app or source is being deleted.
    package func open(_ app: IsolatedApp, until expiresAt: Timestamp, of source: IsolatedApp? = nil) async throws {
        let isOpen = try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            try await database.write { transaction in
                try await finish(app, Self.open, nil, until: expiresAt, of: source, in: transaction)
            }
        }
        guard isOpen else {
            throw StoreError(
                .notFound,
                "store \(app.store) ended before it opened: its time to live has passed, or app \(app.shownBundleId) is "
                    + "being deleted (GET /admin/v1/apps lists it under 'deleting'); repeat the request")
        }
    }

    /// Keeps a store that is being made as a snapshot.
    /// - Parameters:
    ///   - expiresAt: The end of its time, by the wall clock.
    ///   - source: The store that it is a copy of.
    /// - Throws: `requestInvalid` for the name of another one, `notFound` as ``open(_:until:of:)``.
    package func keep(
        _ app: IsolatedApp, as name: String, until expiresAt: Timestamp, of source: IsolatedApp
    ) async throws {
        let isKept = try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            do {
                return try await database.write { transaction in
                    try await Self.checkIsFree(name, in: transaction)
                    return try await finish(app, Self.snapshot, name, until: expiresAt, of: source, in: transaction)
                }
            } catch let error as PersistenceError {
                // Another request has taken the name meanwhile.
                if case .constraint = error.code { throw Self.taken }
                throw error
            }
        }
        guard isKept else {
            throw StoreError(.notFound, "store \(source.store) or its app was deleted before the snapshot was complete")
        }
    }

    private func finish(
        _ app: IsolatedApp, _ state: String, _ name: String?, until expiresAt: Timestamp, of source: IsolatedApp?,
        in transaction: SQLTransaction
    ) async throws -> Bool {
        try await transaction.execute(
            """
            UPDATE isolated_store SET state = ?, snapshot = ?, expires_at = ? WHERE number = ? AND state = ?
                AND NOT EXISTS (SELECT 1 FROM app_deletion WHERE bundle_id = ?)
                AND EXISTS (
                    SELECT 1 FROM isolated_store s
                    WHERE s.number = ? AND s.expires_at > ? AND s.state IN (?, ?, ?))
            """, state, name, expiresAt.milliseconds, app.number, Self.making, app.shownBundleId,
            (source ?? app).number, now().milliseconds, Self.open, Self.snapshot,
            source == nil ? Self.making : Self.open) == 1
    }

    /// Checks that no snapshot has a name.
    /// - Throws: `requestInvalid`.
    package func checkIsFree(_ name: String) async throws {
        try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            try await database.read { try await Self.checkIsFree(name, in: $0) }
        }
    }

    private static func checkIsFree(_ name: String, in reader: SQLReader) async throws {
        let other = try await reader.queryOne("SELECT 1 FROM isolated_store WHERE snapshot = ?", name)
        if other != nil { throw taken }
    }

    private static var taken: StoreError {
        .invalid("$.name", "is the name of another snapshot; delete that one first, or choose another name")
    }

    /// Gives up a store that is not open. Its data is removed, also what was written after an earlier removal.
    /// - Parameter delay: How long a service may still write some of it.
    package func abandon(_ app: IsolatedApp, delay: Duration = .zero) async throws {
        let later = (now() + delay).milliseconds
        let now = now().milliseconds
        try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            try await database.write { transaction in
                // Without a claim, a removal on the way does not forget the store.
                _ = try await transaction.execute(
                    """
                    INSERT INTO isolated_store (number, bundle_id, state, created_at, expires_at, claimed_until)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (number) DO UPDATE
                        SET state = excluded.state, snapshot = NULL, claimed_until = excluded.claimed_until
                    """, app.number, app.bundleId, Self.removing, now, now, delay > .zero ? later : 0)
            }
        }
    }

    // MARK: Reading

    /// Whether a request names a store, or its credentials are a store's.
    static func concern(_ name: String?, _ principal: Principal) -> Bool {
        name != nil || principal.store != nil
    }

    /// Finds the store of a request.
    /// - Parameters:
    ///   - name: The store that the path or the header names. Nil for none.
    ///   - principal: The caller, whose credentials may be a store's.
    /// - Returns: Nil for the installation.
    /// - Throws: `notFound` for a store that is unknown, removed or over.
    func app(named name: String?, _ principal: Principal) async throws -> IsolatedApp? {
        guard Self.concern(name, principal) else { return nil }
        let wanted = name ?? principal.store ?? ""
        guard let found = try await find(wanted) else { throw Self.unknown(wanted) }
        if case .storeAdmin(let key) = principal, key.createdAt != found.createdAt.milliseconds {
            throw Self.unknown(wanted)
        }
        return found.app
    }

    private func find(_ name: String) async throws -> Stored? {
        guard let number = IsolatedApp.number(ofStore: name) else { return nil }
        return try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            try await database.read { reader in
                try await reader.queryOne(
                    "SELECT * FROM isolated_store WHERE number = ? AND state = ? AND expires_at > ?", number, Self.open,
                    now().milliseconds)
            }
        }.map(Stored.init)
    }

    /// Finds the store or snapshot that a fork is made of.
    /// - Throws: `notFound` for one that is unknown, removed or over.
    package func source(_ name: String) async throws -> Stored {
        if let store = try await find(name) { return store }
        let snapshot = try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            try await database.read { reader in
                try await reader.queryOne(
                    "SELECT * FROM isolated_store WHERE snapshot = ? AND expires_at > ?", name, now().milliseconds)
            }
        }
        guard let snapshot else { throw Self.unknown(name) }
        return try Stored(snapshot)
    }

    /// Lists the stores after a number, oldest first.
    package func list(after number: Int64, limit: Int) async throws -> [Stored] {
        try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            try await database.read { reader in
                try await reader.query(
                    "SELECT * FROM isolated_store WHERE number > ? AND state <> ? ORDER BY number LIMIT ?", number,
                    Self.making, limit)
            }
        }.map(Stored.init)
    }

    /// The error for a store that is unknown, removed or over.
    package static func unknown(_ name: String) -> StoreError {
        StoreError(
            .notFound,
            "isolated store '\(name.prefix(64))' not found: it was deleted, or its time is over; GET /admin/v1/stores "
                + "lists stores and snapshots, POST makes a store")
    }

    // MARK: Removing

    /// Closes a store or snapshot: its keys open nothing any more, and a gateway removes the rest.
    /// - Returns: The store's app. Nil for an unknown one.
    package func close(_ name: String) async throws -> String? {
        try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            try await database.write { transaction in
                if let number = IsolatedApp.number(ofStore: name) {
                    return try await Self.close(number, in: transaction)
                }
                let row = try await transaction.queryOne("SELECT number FROM isolated_store WHERE snapshot = ?", name)
                guard let row else { return nil }
                return try await Self.close(try row["number"], in: transaction)
            }
        }
    }

    /// Closes the stores that were made from an app. One that is being made does not open (``open(_:)``).
    func closeAll(of bundleId: String, in transaction: SQLTransaction) async throws {
        let prefix = bundleId + "@"
        try await transaction.execute(
            """
            UPDATE isolated_store SET state = ?, snapshot = NULL
            WHERE state IN (?, ?) AND substr(bundle_id, 1, ?) = ?
            """, Self.removing, Self.open, Self.snapshot, prefix.unicodeScalars.count, prefix)
    }

    private static func close(_ number: Int64, in transaction: SQLTransaction) async throws -> String? {
        let row = try await transaction.queryOne(
            "UPDATE isolated_store SET state = ?, snapshot = NULL WHERE number = ? RETURNING bundle_id",
            removing, number)
        guard let bundleId: String = try row?["bundle_id"] else { return nil }
        return bundleId
    }

    /// Reads when the next store can be claimed, in wall time.
    /// - Returns: Nil without stores.
    package func nextRemoval() async throws -> Timestamp? {
        let next: Int64? = try await database.read { reader in
            try await reader.queryOne(
                """
                SELECT MIN(CASE WHEN state <> ? AND expires_at > claimed_until THEN expires_at ELSE claimed_until END)
                    AS next FROM isolated_store
                """, Self.removing)?["next"]
        }
        return next.map(Timestamp.init(milliseconds:))
    }

    /// Claims a store that is to be removed, and closes it.
    /// - Parameter last: Stores up to this number are passed over.
    /// - Returns: Nil when there is none, or other gateways remove all of them.
    package func claim(after last: Int64) async throws -> IsolatedApp? {
        let now = now()
        return try await database.write { transaction in
            let row = try await transaction.queryOne(
                """
                UPDATE isolated_store SET claimed_until = ? WHERE number = (
                    SELECT number FROM isolated_store
                    WHERE number > ? AND claimed_until <= ? AND (state = ? OR expires_at <= ?)
                    ORDER BY number LIMIT 1 \(transaction.dialect.skipLocked))
                RETURNING number, bundle_id
                """, (now + Self.claimTime).milliseconds, last, now.milliseconds, Self.removing, now.milliseconds)
            guard let row, let app = IsolatedApp(try row["bundle_id"] as String) else { return nil }
            _ = try await Self.close(app.number, in: transaction)
            return app
        }
    }

    /// Ends a claim, so that others may try at once.
    package func release(_ app: IsolatedApp) async throws {
        try await database.write { transaction in
            _ = try await transaction.execute(
                "UPDATE isolated_store SET claimed_until = 0 WHERE number = ?", app.number)
        }
    }

    /// Forgets a store that nothing is left of, unless its claim was ended meanwhile by ``abandon(_:)``.
    package func forget(_ app: IsolatedApp) async throws {
        try await database.write { transaction in
            _ = try await transaction.execute(
                "DELETE FROM isolated_store WHERE number = ? AND claimed_until > 0", app.number)
        }
    }
}

/// The schema of the gateway's database. The gateway has its migrations.
package enum GatewaySchema {
    /// Whose database it is, in errors.
    package static let owner = "the gateway"
}

extension IsolatedStores.Stored {
    fileprivate init(_ row: SQLRow) throws {
        guard let app = IsolatedApp(try row["bundle_id"] as String) else {
            throw StoreError(.internal, "an isolated store's row cannot be read")
        }
        self.init(
            app: app, state: try row["state"], snapshot: try row["snapshot"],
            createdAt: Timestamp(milliseconds: try row["created_at"]),
            expiresAt: Timestamp(milliseconds: try row["expires_at"]))
    }
}
