#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes `Decodable` values from a ``JSONTape``, as `JSONDecoder` with its defaults would.
struct TapeDecoder: Decoder {
    let tape: JSONTape
    let node: Int
    /// Nil where unknown members are ignored.
    let members: MemberCheck?

    /// The value's path. Computed only on demand, which is when decoding fails.
    var codingPath: [any CodingKey] { TapeKey.path(to: node, in: tape) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        members?.read(node)
        guard tape.kind(node) == .object else { throw mismatch([String: JSONValue].self) }
        try members?.check(node, in: tape, type)
        return KeyedDecodingContainer(TapeObject(tape: tape, node: node, members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        members?.read(node)
        guard tape.kind(node) == .array else { throw mismatch([JSONValue].self) }
        return TapeArray(tape: tape, node: node, members: members)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        members?.read(node)
        return self
    }

    // MARK: Values

    func string() throws -> String {
        guard tape.isString(node) else { throw mismatch(String.self) }
        return tape.string(node)
    }

    func bool() throws -> Bool {
        switch tape.kind(node) {
        case .true: return true
        case .false: return false
        default: throw mismatch(Bool.self)
        }
    }

    func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        guard let value = tape.integer(node, as: type) else {
            guard tape.kind(node) == .number else { throw mismatch(type) }
            throw corrupted("is a number that does not fit \(type)")
        }
        return value
    }

    func double() throws -> Double {
        guard let value = tape.double(node) else {
            guard tape.kind(node) == .number else { throw mismatch(Double.self) }
            throw corrupted("is a number too large to keep")
        }
        return value
    }

    /// Decodes a value of any other type. The type decodes itself, but for two without a form of their own in JSON.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == JSONValue.self, let value = try jsonValue() as? Value { return value }
        if type == Data.self, let value = try data() as? Value { return value }
        return try Value(from: self)
    }

    /// Decodes any value. Integers keep their digits, other numbers become those of the nearest double, so equal
    /// numbers are equal values.
    private func jsonValue() throws -> JSONValue {
        try tape.value(node) { (tape, node) throws(DecodingError) in
            if let integer = tape.integer(node, as: Int64.self) { return "\(integer)" }
            guard let double = tape.double(node) else {
                throw TapeDecoder(tape: tape, node: node, members: nil).corrupted("is a number too large to keep")
            }
            return "\(double)"
        }
    }

    private func data() throws -> Data {
        guard let data = Data(base64Encoded: try string()) else { throw corrupted("is not base64") }
        return data
    }

    // MARK: Errors

    func mismatch(_ type: Any.Type) -> DecodingError {
        guard tape.kind(node) != .null else {
            return .valueNotFound(type, .init(codingPath: codingPath, debugDescription: "must not be null"))
        }
        return .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "is of another type"))
    }

    func corrupted(_ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: reason))
    }
}

extension TapeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { tape.kind(node) == .null }
    func decode(_ type: Bool.Type) throws -> Bool { try bool() }
    func decode(_ type: String.Type) throws -> String { try string() }
    func decode(_ type: Double.Type) throws -> Double { try double() }
    func decode(_ type: Float.Type) throws -> Float { Float(try double()) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }
}
