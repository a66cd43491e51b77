/// The members of an object.
struct TapeObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let tape: JSONTape
    let node: Int
    let members: MemberCheck?

    var codingPath: [any CodingKey] { TapeKey.path(to: node, in: tape) }

    var allKeys: [Key] {
        var keys: [Key] = []
        var name = tape.first(in: node)
        while name < tape.end(of: node) {
            if let key = Key(stringValue: tape.string(name)) { keys.append(key) }
            name = tape.next(after: name + 1)
        }
        return keys
    }

    func contains(_ key: Key) -> Bool {
        _ = members?.ask(key.stringValue, of: node)
        return tape.member(key.stringValue, of: node) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

    /// - Throws: `keyNotFound`.
    private func member(_ key: Key) throws -> TapeDecoder {
        let substitute = members?.ask(key.stringValue, of: node)
        guard let value = tape.member(key.stringValue, of: node) ?? substitute else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "is missing"))
        }
        return TapeDecoder(tape: tape, node: value, members: members)
    }

    /// The member's decoder, or nil if the member is missing or null.
    private func memberIfPresent(_ key: Key) -> TapeDecoder? {
        _ = members?.ask(key.stringValue, of: node)
        guard let value = tape.member(key.stringValue, of: node), tape.kind(value) != .null else { return nil }
        return TapeDecoder(tape: tape, node: value, members: members)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).bool() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).string() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).double() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { Float(try member(key).double()) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).integer(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).integer(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).integer(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).integer(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).integer(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).integer(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).integer(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).integer(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key).integer(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key).integer(type) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try member(key).value(type) }

    // The library's own would look a member up three times.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try memberIfPresent(key)?.bool() }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try memberIfPresent(key)?.string() }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try memberIfPresent(key)?.integer(type) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try memberIfPresent(key)?.integer(type)
    }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try memberIfPresent(key)?.value(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        TapeDecoder(tape: tape, node: tape.member("super", of: node) ?? node, members: members)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}
