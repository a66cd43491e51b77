/// The values of an array, one after the other.
struct TapeArray: UnkeyedDecodingContainer {
    private let tape: JSONTape
    private let node: Int
    private let members: MemberCheck?
    private var element: Int
    private(set) var currentIndex = 0

    init(tape: JSONTape, node: Int, members: MemberCheck?) {
        self.tape = tape
        self.node = node
        self.members = members
        element = tape.first(in: node)
    }

    var codingPath: [any CodingKey] { TapeKey.path(to: node, in: tape) }

    var count: Int? {
        var (count, element) = (0, tape.first(in: node))
        while element < tape.end(of: node) {
            count += 1
            element = tape.next(after: element)
        }
        return count
    }

    var isAtEnd: Bool { element >= tape.end(of: node) }

    /// Decodes the next value. Steps over it only when that worked, as the protocol asks.
    private mutating func next<Value>(_ type: Any.Type, _ decode: (TapeDecoder) throws -> Value) throws -> Value {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type, .init(codingPath: codingPath, debugDescription: "has only \(currentIndex) values"))
        }
        let value = try decode(TapeDecoder(tape: tape, node: element, members: members))
        element = tape.next(after: element)
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, tape.kind(element) == .null else { return false }
        return try next(JSONValue.self) { $0.decodeNil() }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.bool() } }
    mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.string() } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.double() } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { Float(try $0.double()) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next(type) { try $0.integer(type) } }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next(type) { try $0.value(type) } }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try next(type) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next([JSONValue].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }
}
