import Persistence
import StoreModels

@testable import PaymentQueue

/// Texts that tests' decisions read and write, as rows of a table without rules about customers.
enum BatchNote {
    private static let found = SQLBatchStatement.query(
        "SELECT request_key FROM offer_nonce WHERE nonce = ? AND bundle_id = ? AND customer_identifier = ?", .text,
        .text, .text)
    private static let inserted = SQLBatchStatement.insert(
        into: "offer_nonce",
        ["nonce": .text, "bundle_id": .text, "customer_identifier": .text, "request_key": .text])
    private static let updated = SQLBatchStatement.update(
        "offer_nonce", set: "request_key = ?", where: "nonce = ? AND bundle_id = ? AND request_key = ?", .text, .text,
        .text, .text)

    /// Finds a note of a customer. Names are unique in an app.
    static func find(_ name: String, of customer: CustomerReference) -> SQLLookup<String?> {
        SQLLookup(first: found, name, customer.bundleId, customer.customerIdentifier) { row in
            try row["request_key"] as String
        }
    }

    static func insert(_ name: String, _ text: String, of customer: CustomerReference) -> SQLChange {
        SQLChange(inserted, name, customer.bundleId, customer.customerIdentifier, text)
    }

    /// Changes a note, which must have the text `old`.
    static func update(_ name: String, from old: String, to text: String, of customer: CustomerReference) -> SQLChange {
        SQLChange(updated, text, name, customer.bundleId, old, changes: 1)
    }

    /// The texts of all notes of a database, by name.
    static func all(in database: any SQLDatabase) async throws -> [String: String] {
        let rows = try await database.read { reader in
            try await reader.query("SELECT nonce, request_key FROM offer_nonce")
        }
        var notes: [String: String] = [:]
        for row in rows { notes[try row["nonce"]] = try row["request_key"] as String }
        return notes
    }

    /// Writes notes outside of a batch.
    static func insert(
        _ notes: KeyValuePairs<String, String>, of customer: CustomerReference, in database: any SQLDatabase
    ) async throws {
        let changes = notes.map { name, text in insert(name, text, of: customer) }
        try await database.write { transaction in
            for change in changes { try await transaction.execute(change) }
        }
    }
}
