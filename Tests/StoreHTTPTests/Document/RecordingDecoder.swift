import StoreHTTP
import StoreModels

/// What a type's decoding reads.
enum TypeShape {
    /// The members of an object, in the order in which they are read.
    case members([Member])
    /// One value in place of an object: of another type, or text and numbers.
    case value(any Decodable.Type)
    /// A list whose elements the type's own decoding reads.
    case unknown

    struct Member {
        let name: String
        let type: any Decodable.Type
        let isOptional: Bool
        /// Whether null is refused where the member may be missing.
        let refusesNull: Bool
    }
}

/// A type whose shape cannot be recorded.
struct UnrecordableType: Error, CustomStringConvertible {
    let description: String
    init(_ type: Any.Type, _ reason: String) { description = "\(type): \(reason); declare its schema" }
}

/// Decodes a type from nothing, and records what it asks for.
///
/// Optional members are absent, lists are empty, an enumeration is its first case, text is empty and a number 0. A type
/// whose decoding accepts no such value declares its schema with a sample.
enum TypeRecorder {
    /// Returns what the decoding of a type reads.
    static func shape<Value: Decodable>(of type: Value.Type) throws -> TypeShape {
        let record = Record()
        do {
            _ = try Value(from: RecordingDecoder(record: record))
        } catch let error as UnrecordableType {
            throw error
        } catch {
            // A text that the type refuses was asked for all the same.
            guard record.value != nil else { throw UnrecordableType(type, "\(error)") }
        }
        if let value = record.value { return .value(value) }
        return record.isObject ? .members(record.members) : .unknown
    }

    /// Returns the value with as little as its decoding accepts.
    static func sample<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if case .whole(let sample?, _)? = TypeSchema.of(type)?.extent {
            return try StoreJSON.decode(type, from: try StoreJSON.encode(sample))
        }
        if let names = type as? any CaseIterable.Type, let first = first(names) as? Value { return first }
        return try Value(from: RecordingDecoder(record: Record()))
    }

    private static func first<Names: CaseIterable>(_ names: Names.Type) -> Any? { names.allCases.first }

    fileprivate final class Record {
        var isObject = false
        var members: [TypeShape.Member] = []
        /// The keys that were looked for before they were read.
        var lookedFor: Set<String> = []
        var value: (any Decodable.Type)?

        func add(_ key: any CodingKey, _ type: any Decodable.Type, isOptional: Bool) {
            let name = key.stringValue
            guard !members.contains(where: { $0.name == name }) else { return }
            members.append(
                .init(
                    name: name, type: type, isOptional: isOptional || lookedFor.contains(name),
                    refusesNull: lookedFor.contains(name)))
        }
    }

    fileprivate struct RecordingDecoder: Decoder {
        let record: Record
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
            record.isObject = true
            return KeyedDecodingContainer(Members(record: record))
        }

        func unkeyedContainer() -> any UnkeyedDecodingContainer { NoElements() }
        func singleValueContainer() -> any SingleValueDecodingContainer { OneValue(record: record) }
    }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let record: Record
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool {
            record.lookedFor.insert(key.stringValue)
            return true
        }

        func decodeNil(forKey key: Key) -> Bool { false }

        private func required<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
            record.add(key, type, isOptional: false)
            return try sample(type)
        }

        private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
            record.add(key, type, isOptional: true)
            return nil
        }

        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try required(type, key) }
        func decode(_ type: String.Type, forKey key: Key) throws -> String { try required(type, key) }
        func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try required(type, key) }
        func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try required(type, key) }
        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try required(type, key) }
        func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try required(type, key) }
        func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try required(type, key) }
        func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try required(type, key) }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try required(type, key) }
        func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try required(type, key) }
        func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try required(type, key) }
        func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try required(type, key) }
        func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try required(type, key) }
        func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try required(type, key) }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try required(type, key) }
        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) -> Bool? { optional(type, key) }
        func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { optional(type, key) }
        func decodeIfPresent(_ type: Double.Type, forKey key: Key) -> Double? { optional(type, key) }
        func decodeIfPresent(_ type: Float.Type, forKey key: Key) -> Float? { optional(type, key) }
        func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { optional(type, key) }
        func decodeIfPresent(_ type: Int8.Type, forKey key: Key) -> Int8? { optional(type, key) }
        func decodeIfPresent(_ type: Int16.Type, forKey key: Key) -> Int16? { optional(type, key) }
        func decodeIfPresent(_ type: Int32.Type, forKey key: Key) -> Int32? { optional(type, key) }
        func decodeIfPresent(_ type: Int64.Type, forKey key: Key) -> Int64? { optional(type, key) }
        func decodeIfPresent(_ type: UInt.Type, forKey key: Key) -> UInt? { optional(type, key) }
        func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) -> UInt8? { optional(type, key) }
        func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) -> UInt16? { optional(type, key) }
        func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) -> UInt32? { optional(type, key) }
        func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) -> UInt64? { optional(type, key) }
        func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) -> T? { optional(type, key) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            throw UnrecordableType(type, "it reads \(key.stringValue) without a type")
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw UnrecordableType(Key.self, "it reads \(key.stringValue) without a type")
        }

        func superDecoder() throws -> any Decoder { throw UnrecordableType(Key.self, "it asks for a superclass") }
        func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder() }
    }

    private struct OneValue: SingleValueDecodingContainer {
        let record: Record
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { false }

        func decode(_ type: Bool.Type) -> Bool { note(type, false) }
        func decode(_ type: String.Type) -> String { note(type, "") }
        func decode(_ type: Double.Type) -> Double { note(type, 0) }
        func decode(_ type: Float.Type) -> Float { note(type, 0) }
        func decode(_ type: Int.Type) -> Int { note(type, 0) }
        func decode(_ type: Int8.Type) -> Int8 { note(type, 0) }
        func decode(_ type: Int16.Type) -> Int16 { note(type, 0) }
        func decode(_ type: Int32.Type) -> Int32 { note(type, 0) }
        func decode(_ type: Int64.Type) -> Int64 { note(type, 0) }
        func decode(_ type: UInt.Type) -> UInt { note(type, 0) }
        func decode(_ type: UInt8.Type) -> UInt8 { note(type, 0) }
        func decode(_ type: UInt16.Type) -> UInt16 { note(type, 0) }
        func decode(_ type: UInt32.Type) -> UInt32 { note(type, 0) }
        func decode(_ type: UInt64.Type) -> UInt64 { note(type, 0) }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { note(type, try sample(type)) }

        private func note<Value: Decodable>(_ type: Value.Type, _ value: Value) -> Value {
            record.value = record.value ?? type
            return value
        }
    }

    private struct NoElements: UnkeyedDecodingContainer {
        var codingPath: [any CodingKey] { [] }
        var count: Int? { 0 }
        var isAtEnd: Bool { true }
        var currentIndex: Int { 0 }

        func decodeNil() -> Bool { false }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { throw UnrecordableType(type, "a list was empty") }
        func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            throw UnrecordableType(type, "a list was empty")
        }
        func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            throw UnrecordableType(NoElements.self, "a list was empty")
        }
        func superDecoder() throws -> any Decoder {
            throw UnrecordableType(NoElements.self, "it asks for a superclass")
        }
    }
}
