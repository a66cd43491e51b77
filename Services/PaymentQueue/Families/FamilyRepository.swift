import Persistence
import ServiceDatabase
import StoreModels

/// A person of a family, as stored.
struct StoredFamilyPerson: Hashable, Sendable {
    var customer: CustomerReference
    var account: String
    var family: String
    var isOrganiser: Bool
    /// Whether their purchases are shared with the others.
    var shares: Bool
    /// Whether the others' purchases are shared with them.
    var receives: Bool
    /// Whether they have left, and what was shared is being taken back.
    var isGone: Bool
    /// Since when they share, business time.
    var sharesSince: Timestamp
    /// Since when others share with them, business time.
    var receivesSince: Timestamp
    var joinedAt: Timestamp
    /// It grows with each change of the family.
    var version: Int64
    /// It grows with each change of what this person shares.
    var changes: Int64
    /// The place of the customer's last change.
    var modifiedSeq: Int64

    var wire: FamilyPerson {
        FamilyPerson(
            account: account, isOrganiser: isOrganiser, sharesPurchases: shares, receivesPurchases: receives,
            joinedAt: joinedAt)
    }
}

/// A family of an app.
struct FamilyReference: Hashable, Sendable {
    let bundleId: String
    let name: String
}

/// Reads and writes the persons of families.
enum FamilyRepository {
    // MARK: The operator's families

    /// Reads a family's persons, those who are leaving too. The organiser is the first.
    static func persons(
        of family: String, _ bundleId: String, in reader: SQLReader
    ) async throws -> [StoredFamilyPerson] {
        try await reader.query(
            """
            SELECT p.*, c.account, c.modified_seq FROM family_person p
            JOIN customer c ON c.bundle_id = p.bundle_id AND c.customer_identifier = p.customer_identifier
            WHERE p.bundle_id = ? AND p.family = ? ORDER BY p.is_organiser DESC, c.account
            """, bundleId, family
        ).map(StoredFamilyPerson.init)
    }

    /// Reads the names of an app's families after `after`.
    static func names(
        of bundleId: String, after: String, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        try await reader.query(namesSQL, bundleId, after, limit).values(of: "family")
    }

    /// Reads names from the index `family_person_family`.
    static let namesSQL = """
        SELECT family FROM family_person
        WHERE bundle_id = ? AND family > ? AND is_organiser = 1 AND is_gone = 0 ORDER BY family LIMIT ?
        """

    /// Counts an app's families.
    static func count(of bundleId: String, in reader: SQLReader) async throws(PersistenceError) -> Int {
        let row = try await reader.queryOne(
            """
            SELECT COUNT(*) AS families FROM family_person WHERE bundle_id = ? AND is_organiser = 1 AND is_gone = 0
            """, bundleId)
        return try row?["families"] ?? 0
    }

    /// Finds a customer's row in any family.
    static func find(_ customer: CustomerReference, in reader: SQLReader) async throws -> StoredFamilyPerson? {
        try await reader.read(person(customer))
    }

    static func insert(
        _ customer: CustomerReference, into family: String, isOrganiser: Bool, shares: Bool, receives: Bool,
        at now: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO family_person (
                bundle_id, customer_identifier, family, is_organiser, shares, receives, shares_since, receives_since,
                joined_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, customer.bundleId, customer.customerIdentifier, family, isOrganiser, shares, receives,
            now.milliseconds, now.milliseconds, now.milliseconds)
    }

    /// Writes what a person shares, and since when.
    static func set(_ person: StoredFamilyPerson, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.execute(
            """
            UPDATE family_person SET shares = ?, receives = ?, shares_since = ?, receives_since = ?
            WHERE bundle_id = ? AND customer_identifier = ?
            """, person.shares, person.receives, person.sharesSince.milliseconds, person.receivesSince.milliseconds,
            person.customer.bundleId, person.customer.customerIdentifier)
    }

    /// Marks a person as gone. The sweep takes back what was shared, and then removes the row.
    static func leave(
        _ customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "UPDATE family_person SET is_gone = 1 WHERE bundle_id = ? AND customer_identifier = ?",
            customer.bundleId, customer.customerIdentifier)
    }

    /// Marks all of a family as changed, and locks its rows until the commit.
    ///
    /// A commit that shares a purchase has the version that it has read as its condition, so that it cannot come behind
    /// a change of the family.
    static func touch(
        _ family: String, of bundleId: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "UPDATE family_person SET version = version + 1, shared_seq = -1 WHERE bundle_id = ? AND family = ?",
            bundleId, family)
    }

    // MARK: The sweep

    /// Reads persons whose purchases have changed since they were shared, and those who are gone, the latter last.
    /// - Parameters:
    ///   - family: Nil for all families of all apps.
    ///   - last: The last person of the page before. Nil for the first page.
    static func due(
        of family: FamilyReference?, after last: StoredFamilyPerson?, limit: Int, in reader: SQLReader
    ) async throws -> [StoredFamilyPerson] {
        try await reader.query(
            """
            SELECT p.*, c.account, c.modified_seq FROM family_person p
            JOIN customer c ON c.bundle_id = p.bundle_id AND c.customer_identifier = p.customer_identifier
            WHERE (p.is_gone = 1 OR p.shared_seq <> c.modified_seq)
                AND p.bundle_id = COALESCE(?, p.bundle_id) AND p.family = COALESCE(?, p.family)
                AND (p.is_gone, p.bundle_id, p.customer_identifier) > (?, ?, ?)
            ORDER BY p.is_gone, p.bundle_id, p.customer_identifier LIMIT ?
            """, family?.bundleId, family?.name, last.map { $0.isGone ? 1 : 0 } ?? -1, last?.customer.bundleId ?? "",
            last?.customer.customerIdentifier ?? "", limit
        ).map(StoredFamilyPerson.init)
    }

    /// Records that a person's purchases are shared as they were when the person was read.
    ///
    /// It does nothing if the family, or what the person shares, has changed since.
    static func settle(
        _ person: StoredFamilyPerson, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            UPDATE family_person SET shared_seq = ?
            WHERE bundle_id = ? AND customer_identifier = ? AND version = ? AND changes = ?
            """, person.modifiedSeq, person.customer.bundleId, person.customer.customerIdentifier, person.version,
            person.changes)
    }

    /// Removes a person who is gone.
    static func remove(
        _ customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "DELETE FROM family_person WHERE bundle_id = ? AND customer_identifier = ? AND is_gone = 1",
            customer.bundleId, customer.customerIdentifier)
    }

    // MARK: Decisions

    /// Looks for a customer's row in any family.
    static func person(_ customer: CustomerReference) -> SQLLookup<StoredFamilyPerson?> {
        SQLLookup(first: byCustomer, customer.bundleId, customer.customerIdentifier) { try StoredFamilyPerson($0) }
    }

    private static let byCustomer = SQLBatchStatement.query(
        """
        SELECT p.*, c.account, c.modified_seq FROM family_person p
        JOIN customer c ON c.bundle_id = p.bundle_id AND c.customer_identifier = p.customer_identifier
        WHERE p.bundle_id = ? AND p.customer_identifier = ?
        """, .text, .text)

    /// Marks what a person shares as changed, if the family is still as it was read.
    static func touchUnchanged(_ person: StoredFamilyPerson) -> SQLChange {
        SQLChange(
            touchedUnchanged, person.customer.customerIdentifier, person.customer.bundleId, person.version, changes: 1)
    }

    private static let touchedUnchanged = SQLBatchStatement.update(
        "family_person", set: "changes = changes + 1, shared_seq = -1",
        where: "customer_identifier = ? AND bundle_id = ? AND version = ? AND is_gone = 0", .text, .text, .integer)

    /// Marks what a customer shares as changed. Does nothing for one without a family.
    static func touch(_ customer: CustomerReference) -> SQLChange {
        SQLChange(touched, customer.customerIdentifier, customer.bundleId)
    }

    private static let touched = SQLBatchStatement.update(
        "family_person", set: "changes = changes + 1, shared_seq = -1",
        where: "customer_identifier = ? AND bundle_id = ?", .text, .text)
}

extension StoredFamilyPerson {
    fileprivate init(_ row: SQLRow) throws {
        self.init(
            customer: try CustomerReference(row), account: try row["account"], family: try row["family"],
            isOrganiser: try row["is_organiser"], shares: try row["shares"], receives: try row["receives"],
            isGone: try row["is_gone"], sharesSince: try row["shares_since"],
            receivesSince: try row["receives_since"], joinedAt: try row["joined_at"], version: try row["version"],
            changes: try row["changes"], modifiedSeq: try row["modified_seq"])
    }
}
