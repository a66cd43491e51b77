/// The values of an array that is being written.
struct WriterArray: UnkeyedEncodingContainer {
    let writer: JSONWriter
    let depth: Int
    private(set) var count = 0

    init(writer: JSONWriter, depth: Int) {
        self.writer = writer
        self.depth = depth
    }

    var codingPath: [any CodingKey] { [] }

    private mutating func element() {
        writer.text.pointee.element(depth)
        count += 1
    }

    mutating func encodeNil() {
        element()
        writer.text.pointee.writeNull()
    }
    mutating func encode(_ value: Bool) {
        element()
        writer.text.pointee.write(value)
    }
    mutating func encode(_ value: String) {
        element()
        writer.text.pointee.write(value)
    }
    mutating func encode(_ value: Double) throws {
        element()
        try writer.encode(double: value)
    }
    mutating func encode(_ value: Float) throws { try encode(Double(value)) }
    mutating func encode(_ value: Int) { integer(value) }
    mutating func encode(_ value: Int8) { integer(value) }
    mutating func encode(_ value: Int16) { integer(value) }
    mutating func encode(_ value: Int32) { integer(value) }
    mutating func encode(_ value: Int64) { integer(value) }
    mutating func encode(_ value: UInt) { integer(value) }
    mutating func encode(_ value: UInt8) { integer(value) }
    mutating func encode(_ value: UInt16) { integer(value) }
    mutating func encode(_ value: UInt32) { integer(value) }
    mutating func encode(_ value: UInt64) { integer(value) }
    mutating func encode<Value: Encodable>(_ value: Value) throws {
        element()
        try writer.encode(value)
    }

    private mutating func integer(_ value: some FixedWidthInteger) {
        element()
        writer.text.pointee.write(integer: value)
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        nested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { nested() }

    private mutating func nested() -> WriterEncoder {
        element()
        return WriterEncoder(writer: writer, depth: writer.text.pointee.begin())
    }
}
