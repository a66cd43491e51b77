/// Encodes one value into a ``JSONWriter``, as `JSONEncoder` with sorted keys and unescaped slashes would.
struct WriterEncoder: Encoder {
    let writer: JSONWriter
    /// The value's depth in the writer.
    let depth: Int

    /// Not kept. An error of encoding is Storebus's own, and its message names the value.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writer.text.pointee.openObject(depth)
        return KeyedEncodingContainer(WriterObject(writer: writer, depth: depth))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.text.pointee.openArray(depth)
        return WriterArray(writer: writer, depth: depth)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { WriterSingle(writer: writer, depth: depth) }
}

/// A value that is neither object nor array.
struct WriterSingle: SingleValueEncodingContainer {
    let writer: JSONWriter
    let depth: Int

    var codingPath: [any CodingKey] { [] }

    func encodeNil() {
        writer.text.pointee.single(depth)
        writer.text.pointee.writeNull()
    }
    func encode(_ value: Bool) {
        writer.text.pointee.single(depth)
        writer.text.pointee.write(value)
    }
    func encode(_ value: String) {
        writer.text.pointee.single(depth)
        writer.text.pointee.write(value)
    }
    func encode(_ value: Double) throws {
        writer.text.pointee.single(depth)
        try writer.encode(double: value)
    }
    func encode(_ value: Float) throws { try encode(Double(value)) }
    func encode(_ value: Int) { integer(value) }
    func encode(_ value: Int8) { integer(value) }
    func encode(_ value: Int16) { integer(value) }
    func encode(_ value: Int32) { integer(value) }
    func encode(_ value: Int64) { integer(value) }
    func encode(_ value: UInt) { integer(value) }
    func encode(_ value: UInt8) { integer(value) }
    func encode(_ value: UInt16) { integer(value) }
    func encode(_ value: UInt32) { integer(value) }
    func encode(_ value: UInt64) { integer(value) }
    func encode<Value: Encodable>(_ value: Value) throws {
        writer.text.pointee.single(depth)
        try writer.encode(value)
    }

    private func integer(_ value: some FixedWidthInteger) {
        writer.text.pointee.single(depth)
        writer.text.pointee.write(integer: value)
    }
}
