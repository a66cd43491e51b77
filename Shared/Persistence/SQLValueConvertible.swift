/// A Swift type that a column can store. It is a number, text, a boolean (0 or 1), bytes or one of their optionals. A
/// repository adds its own identifiers and enums.
package protocol SQLValueConvertible: Sendable {
    var sqlValue: SQLValue { get }
    /// Reads a value from a column.
    ///
    /// - Returns: Nil if the column holds another kind of value. No value is ever converted in silence.
    init?(sqlValue: SQLValue)
}

extension SQLValue: SQLValueConvertible {
    /// The value itself.
    package var sqlValue: SQLValue { self }
    /// Takes any value, NULL included.
    package init?(sqlValue: SQLValue) { self = sqlValue }
}

extension Int64: SQLValueConvertible {
    /// Stored as 64 bits.
    package var sqlValue: SQLValue { .integer(self) }
    /// Reads an integer. Nil for every other value.
    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self = value
    }
}

extension Int: SQLValueConvertible {
    /// Stored as 64 bits.
    package var sqlValue: SQLValue { .integer(Int64(self)) }
    /// Reads an integer. Nil for every other value.
    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue, let exact = Int(exactly: value) else { return nil }
        self = exact
    }
}

extension Bool: SQLValueConvertible {
    /// Stored as 0 or 1.
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
    /// Reads 0 or 1. Nil for every other number and value.
    package init?(sqlValue: SQLValue) {
        switch sqlValue {
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }
}

extension Double: SQLValueConvertible {
    /// Stored as a real number.
    package var sqlValue: SQLValue { .real(self) }
    /// Reads a real number. Nil for an integer.
    package init?(sqlValue: SQLValue) {
        guard case .real(let value) = sqlValue else { return nil }
        self = value
    }
}

extension String: SQLValueConvertible {
    /// Stored as UTF-8, byte for byte.
    package var sqlValue: SQLValue { .text(self) }
    /// Reads text. Nil for a blob.
    package init?(sqlValue: SQLValue) {
        guard case .text(let value) = sqlValue else { return nil }
        self = value
    }
}

extension [UInt8]: SQLValueConvertible {
    /// Stored byte for byte.
    package var sqlValue: SQLValue { .blob(self) }
    /// Reads a blob. Nil for text.
    package init?(sqlValue: SQLValue) {
        guard case .blob(let value) = sqlValue else { return nil }
        self = value
    }
}

extension Optional: SQLValueConvertible where Wrapped: SQLValueConvertible {
    /// NULL for nil.
    package var sqlValue: SQLValue { self?.sqlValue ?? .null }
    /// Reads NULL as nil. Another type's value fails the whole read.
    package init?(sqlValue: SQLValue) {
        if sqlValue == .null {
            self = Self.none
        } else if let value = Wrapped(sqlValue: sqlValue) {
            self = Self.some(value)
        } else {
            return nil
        }
    }
}

/// The conversion of an enum with raw values. An enum gets it by `extension TransactionState: SQLValueConvertible {}`.
/// A raw value the enum does not know is an error when it is read.
extension SQLValueConvertible where Self: RawRepresentable, RawValue: SQLValueConvertible {
    /// The raw value as it is stored.
    package var sqlValue: SQLValue { rawValue.sqlValue }
    /// Reads a raw value. Nil for one that the enum does not have.
    package init?(sqlValue: SQLValue) {
        guard let raw = RawValue(sqlValue: sqlValue) else { return nil }
        self.init(rawValue: raw)
    }
}

/// One value of a column or parameter, in the types both engines share.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// The kind's name in errors.
    package var kind: String {
        switch self {
        case .null: "NULL"
        case .integer: "an integer"
        case .real: "a real number"
        case .text: "text"
        case .blob: "a blob"
        }
    }
}
