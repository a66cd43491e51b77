/// Codes an optional member as null, where a plain one is left out without a value.
///
/// ```swift
/// @Nullable public var transactionDate: Timestamp?
/// ```
/// A missing member and null are read as nil.
@propertyWrapper
public struct Nullable<Value: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    public var wrappedValue: Value?

    /// Creates a value for a property declared `@Nullable var`.
    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Value?.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

// Generated conformances to Codable call these for such members.
extension KeyedDecodingContainer {
    /// Reads a member that may be missing.
    func decode<Value>(_ type: Nullable<Value>.Type, forKey key: Key) throws -> Nullable<Value> {
        Nullable(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    /// Writes the value, or null.
    mutating func encode<Value>(_ member: Nullable<Value>, forKey key: Key) throws {
        try encode(member.wrappedValue, forKey: key)
    }
}
