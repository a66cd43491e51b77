import Persistence
import StoreModels

/// Wire types as stored in TEXT columns.
package enum StoredJSON {
    /// A value as ``StoreJSON`` writes it, for a TEXT column.
    /// - Throws: An error when the value cannot be written as JSON.
    package static func text(_ value: some Encodable) throws -> String {
        String(decoding: try StoreJSON.encode(value), as: UTF8.self)
    }

    /// Reads the value of a TEXT column.
    /// - Throws: `internal` when a stored value cannot be read: a damaged row, never the caller's fault.
    package static func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws(StoreError) -> Value {
        do {
            return try StoreJSON.decode(type, from: Array(text.utf8))
        } catch {
            throw StoreError(.internal, "a stored \(Value.self) cannot be read: \(error.message)")
        }
    }
}

extension Timestamp: SQLValueConvertible {
    /// Stored as milliseconds since 1970.
    package var sqlValue: SQLValue { .integer(milliseconds) }
    /// Reads an integer, or nil for every other value.
    package init?(sqlValue: SQLValue) {
        guard let milliseconds = Int64(sqlValue: sqlValue) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
