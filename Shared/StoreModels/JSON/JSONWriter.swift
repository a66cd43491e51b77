#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One document during its encoding, which all containers share.
///
/// The text lies in memory of its own instead of in a stored property. Each access to a property of a class is checked
/// for exclusiveness at run time, and several accesses for each member took a third of the time. Containers use it one
/// after the other, from the one task that encodes.
final class JSONWriter {
    let text: UnsafeMutablePointer<SortedJSONWriter>

    init() {
        text = .allocate(capacity: 1)
        text.initialize(to: SortedJSONWriter())
    }

    deinit {
        text.deinitialize(count: 1)
        text.deallocate()
    }

    var bytes: [UInt8] { text.pointee.bytes }

    /// Writes any value where one is expected. All but two types encode themselves.
    /// - Throws: The error of the type's own encoding.
    func encode<Value: Encodable>(_ value: Value) throws {
        if Value.self == Data.self, let data = value as? Data { return text.pointee.write(data.base64EncodedString()) }
        if Value.self == JSONValue.self, let value = value as? JSONValue, encode(value) { return }
        let depth = text.pointee.begin()
        try value.encode(to: WriterEncoder(writer: self, depth: depth))
        text.pointee.endAll(deeperThan: depth - 1)
    }

    /// Writes null, booleans and strings directly.
    ///
    /// - Returns: False for other values, which encode themselves.
    private func encode(_ value: JSONValue) -> Bool {
        switch value {
        case .null: text.pointee.writeNull()
        case .bool(let value): text.pointee.write(value)
        case .string(let string): text.pointee.write(string)
        case .number, .array, .object: return false
        }
        return true
    }

    /// - Throws: `invalidValue` for infinities and NaN.
    func encode(double value: Double) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "\(value) is not a JSON number"))
        }
        text.pointee.write(double: value)
    }
}
