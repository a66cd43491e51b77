#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The one way values become JSON here: members in sorted order, slashes not escaped, nothing pretty-printed.
///
/// Sorted members make equal values equal bytes, which a replayed answer needs (the status and body of the first
/// terminal one come again).
public enum StoreJSON {
    /// - Throws: `EncodingError` for a value JSON has no form for (a NaN), which no wire type holds.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let writer = JSONWriter()
        try writer.encode(value)
        return writer.bytes
    }

    /// Decodes after ``StrictJSON`` has refused what parsers disagree about: duplicate members, NUL, other encodings,
    /// excessive depth.
    ///
    /// - Throws: ``StoreError`` with code `requestInvalid`, naming the path and what was expected.
    public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(StoreError) -> Value {
        let tape: JSONTape
        do {
            tape = try StrictJSON.tape(bytes)
        } catch {
            throw StoreError(.requestInvalid, "\(error)", details: ["path": .string(error.path)])
        }
        do {
            return try TapeDecoder(tape: tape, node: 0).value(type)
        } catch let error as DecodingError {
            let (path, reason) = describe(error)
            throw StoreError(.requestInvalid, "\(path): \(reason)", details: ["path": .string(path)])
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.requestInvalid, "the body is not the JSON this expects")
        }
    }

    /// A decoding error as a JSON path (`$.payment.quantity`) and a sentence, without Swift's type names.
    static func describe(_ error: DecodingError) -> (path: String, reason: String) {
        func path(_ keys: [any CodingKey], _ last: (any CodingKey)? = nil) -> String {
            (keys + (last.map { [$0] } ?? [])).reduce("$") { text, key in
                key.intValue.map { "\(text)[\($0)]" } ?? "\(text).\(key.stringValue)"
            }
        }
        switch error {
        case .keyNotFound(let key, let context): return (path(context.codingPath, key), "is missing")
        case .valueNotFound(_, let context): return (path(context.codingPath), "must not be null")
        case .typeMismatch(let type, let context): return (path(context.codingPath), "must be \(name(of: type))")
        case .dataCorrupted(let context): return (path(context.codingPath), context.debugDescription)
        @unknown default: return ("$", "is not what this expects")
        }
    }

    private static func name(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any FixedWidthInteger.Type: "an integer"
        case is [Any].Type: "a list"
        default: "\(type)".hasPrefix("Array") ? "a list" : "an object"
        }
    }
}
