/// The members of an object that is being written.
struct WriterObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: JSONWriter
    let depth: Int

    var codingPath: [any CodingKey] { [] }

    private func member(_ key: Key) { writer.text.pointee.member(key.stringValue, depth) }

    func encodeNil(forKey key: Key) {
        member(key)
        writer.text.pointee.writeNull()
    }
    func encode(_ value: Bool, forKey key: Key) {
        member(key)
        writer.text.pointee.write(value)
    }
    func encode(_ value: String, forKey key: Key) {
        member(key)
        writer.text.pointee.write(value)
    }
    func encode(_ value: Double, forKey key: Key) throws {
        member(key)
        try writer.encode(double: value)
    }
    func encode(_ value: Float, forKey key: Key) throws { try encode(Double(value), forKey: key) }
    func encode(_ value: Int, forKey key: Key) { integer(value, key) }
    func encode(_ value: Int8, forKey key: Key) { integer(value, key) }
    func encode(_ value: Int16, forKey key: Key) { integer(value, key) }
    func encode(_ value: Int32, forKey key: Key) { integer(value, key) }
    func encode(_ value: Int64, forKey key: Key) { integer(value, key) }
    func encode(_ value: UInt, forKey key: Key) { integer(value, key) }
    func encode(_ value: UInt8, forKey key: Key) { integer(value, key) }
    func encode(_ value: UInt16, forKey key: Key) { integer(value, key) }
    func encode(_ value: UInt32, forKey key: Key) { integer(value, key) }
    func encode(_ value: UInt64, forKey key: Key) { integer(value, key) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        member(key)
        try writer.encode(value)
    }

    private func integer(_ value: some FixedWidthInteger, _ key: Key) {
        member(key)
        writer.text.pointee.write(integer: value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }

    func superEncoder() -> any Encoder {
        writer.text.pointee.member("super", depth)
        return WriterEncoder(writer: writer, depth: writer.text.pointee.begin())
    }

    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    private func nested(_ key: Key) -> WriterEncoder {
        member(key)
        return WriterEncoder(writer: writer, depth: writer.text.pointee.begin())
    }
}
