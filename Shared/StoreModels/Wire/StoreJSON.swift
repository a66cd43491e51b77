#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Codes values as Storebus's JSON, with sorted members, unescaped slashes and no pretty-printing.
///
/// Sorted members make equal values equal bytes, which a replayed answer needs (the status and body of the first
/// terminal one come again).
public enum StoreJSON {
    /// Encodes a value.
    ///
    /// - Throws: `EncodingError` for a value without a form in JSON (a NaN), which no wire type holds.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let writer = JSONWriter()
        try writer.encode(value)
        return writer.bytes
    }

    /// Decodes strict JSON. ``StrictJSON`` first refuses input that parsers disagree about: duplicate members, NUL,
    /// other encodings, excessive depth.
    ///
    /// - Throws: ``StoreError`` with code `requestInvalid`, naming the path and the expected value.
    public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(StoreError) -> Value {
        try read(type, from: try parse(bytes), members: nil)
    }

    /// Decodes as ``decode(_:from:)``, and refuses members that the types do not have, at any depth.
    ///
    /// For clients' requests: a client that says `"qty": 3` must get an error instead of buying one piece.
    /// - Throws: ``StoreError`` with code `requestInvalid`, naming the path and, of an unknown member, those known.
    package static func decodeStrictly<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(StoreError) -> Value {
        let tape = try parse(bytes)
        let check = MemberCheck()
        let value = try read(type, from: tape, members: check)
        guard check.hasReadDocument || tape.kind(0) == .object else { throw invalid("$", "must be an object") }
        if !check.hasReadDocument, tape.first(in: 0) < tape.end(of: 0) {
            throw invalid("$.\(tape.string(tape.first(in: 0)).prefix(64))", "is not known; there are no members")
        }
        return value
    }

    private static func parse(_ bytes: [UInt8]) throws(StoreError) -> JSONTape {
        do {
            return try StrictJSON.tape(bytes)
        } catch {
            throw StoreError(.requestInvalid, "\(error)", details: ["path": .string(error.path)])
        }
    }

    private static func read<Value: Decodable>(
        _ type: Value.Type, from tape: JSONTape, members: MemberCheck?
    ) throws(StoreError) -> Value {
        do {
            return try TapeDecoder(tape: tape, node: 0, members: members).value(type)
        } catch let error as DecodingError {
            let (path, reason) = describe(error)
            throw invalid(path, reason)
        } catch let error as StoreError {
            throw error
        } catch let unknown as MemberCheck.UnknownMember {
            throw refusal(of: unknown, type, tape)
        } catch {
            throw StoreError(.requestInvalid, "the body is not the JSON this expects")
        }
    }

    private static func refusal<Value: Decodable>(
        of unknown: MemberCheck.UnknownMember, _ type: Value.Type, _ tape: JSONTape
    ) -> StoreError {
        let list = MemberCheck(listingBeside: unknown)
        let isWhole = (try? TapeDecoder(tape: tape, node: 0, members: list).value(type)) != nil
        let known = isWhole ? "; known are \(list.members.sorted().joined(separator: ", "))" : ""
        let object = path(TapeKey.path(to: unknown.object, in: tape))
        return invalid("\(object).\(unknown.name.prefix(64))", "is not known\(known)")
    }

    private static func invalid(_ path: String, _ reason: String) -> StoreError {
        StoreError(.requestInvalid, "\(path): \(reason)", details: ["path": .string(path)])
    }

    private static func path(_ keys: [any CodingKey], _ last: (any CodingKey)? = nil) -> String {
        (keys + (last.map { [$0] } ?? [])).reduce("$") { text, key in
            key.intValue.map { "\(text)[\($0)]" } ?? "\(text).\(key.stringValue)"
        }
    }

    /// Describes a decoding error, without Swift's type names. It is a JSON path (`$.payment.quantity`) and a sentence.
    static func describe(_ error: DecodingError) -> (path: String, reason: String) {
        switch error {
        case .keyNotFound(let key, let context): return (path(context.codingPath, key), "is missing")
        case .valueNotFound(_, let context): return (path(context.codingPath), "must not be null")
        case .typeMismatch(let type, let context): return (path(context.codingPath), "must be \(name(of: type))")
        case .dataCorrupted(let context): return (path(context.codingPath), context.debugDescription)
        @unknown default: return ("$", "has another form than expected")
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
