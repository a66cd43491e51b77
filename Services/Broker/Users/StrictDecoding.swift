/// An index in an array, as a coding key.
struct ElementIndex: CodingKey {
    let index: Int

    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { self.init(intValue) }
    init?(stringValue: String) { nil }

    var intValue: Int? { index }
    var stringValue: String { String(index) }
}

/// Any member name.
private struct AnyMember: CodingKey {
    let stringValue: String

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }

    var intValue: Int? { nil }
}

extension Decoder {
    /// Returns the members of an object.
    /// - Throws: ``UsersFileFault`` for an unknown member.
    func strictMembers<Key: CodingKey & CaseIterable>(_ type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let known = Key.allCases.map(\.stringValue)
        for member in try container(keyedBy: AnyMember.self).allKeys where !known.contains(member.stringValue) {
            throw UsersFileFault(
                codingPath + [member], "is unknown here; known are \(known.joined(separator: ", "))")
        }
        return try container(keyedBy: type)
    }
}

extension KeyedDecodingContainer {
    /// Returns the value of an optional member, or nil when it is absent. A `null` is an error, because absence allows
    /// every subject.
    func ifThere<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        contains(key) ? try decode(type, forKey: key) : nil
    }
}
