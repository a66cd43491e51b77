/// A Swift type that is stored in a column. Numbers, text, booleans (0 and 1), bytes and their optionals are; a
/// repository adds its own identifiers and enums.
package protocol SQLValueConvertible: Sendable {
    var sqlValue: SQLValue { get }
    /// Reads a value from a column.
    ///
    /// - Returns: Nil when the column holds another kind of value; nothing is ever converted in silence.
    init?(sqlValue: SQLValue)
}

extension SQLValue: SQLValueConvertible {
    package var sqlValue: SQLValue { self }
    package init?(sqlValue: SQLValue) { self = sqlValue }
}

extension Int64: SQLValueConvertible {
    package var sqlValue: SQLValue { .integer(self) }
    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self = value
    }
}

extension Int: SQLValueConvertible {
    package var sqlValue: SQLValue { .integer(Int64(self)) }
    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue, let exact = Int(exactly: value) else { return nil }
        self = exact
    }
}

extension Bool: SQLValueConvertible {
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
    package init?(sqlValue: SQLValue) {
        switch sqlValue {
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }
}

extension Double: SQLValueConvertible {
    package var sqlValue: SQLValue { .real(self) }
    package init?(sqlValue: SQLValue) {
        guard case .real(let value) = sqlValue else { return nil }
        self = value
    }
}

extension String: SQLValueConvertible {
    package var sqlValue: SQLValue { .text(self) }
    package init?(sqlValue: SQLValue) {
        guard case .text(let value) = sqlValue else { return nil }
        self = value
    }
}

extension [UInt8]: SQLValueConvertible {
    package var sqlValue: SQLValue { .blob(self) }
    package init?(sqlValue: SQLValue) {
        guard case .blob(let value) = sqlValue else { return nil }
        self = value
    }
}

extension Optional: SQLValueConvertible where Wrapped: SQLValueConvertible {
    package var sqlValue: SQLValue { self?.sqlValue ?? .null }
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
    package var sqlValue: SQLValue { rawValue.sqlValue }
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
