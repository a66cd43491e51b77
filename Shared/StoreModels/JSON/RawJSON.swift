/// A JSON value that is passed on unchanged. It is validated once, never decoded, and written again byte by byte. It
/// serves values that a service only passes through, such as the products of a page.
///
/// Between two ``StoreJSON`` documents that costs a copy. Any other coder gets the value, too, by way of ``JSONValue``.
public struct RawJSON: Hashable, Sendable, Codable {
    private let tape: JSONTape
    private let node: Int

    init(tape: JSONTape, node: Int) {
        self.tape = tape
        self.node = node
    }

    /// Encodes a value.
    ///
    /// - Throws: The error of the value's own encoding.
    public init(encoding value: some Encodable) throws {
        // What the writer has written needs no checking, but its values have to be found.
        try self.init(StoreJSON.encode(value))
    }

    /// Reads and checks one whole document.
    ///
    /// - Throws: ``StrictJSONError``.
    public init(_ bytes: [UInt8]) throws(StrictJSONError) {
        self.init(tape: try StrictJSON.tape(bytes), node: 0)
    }

    /// The value's text.
    public var bytes: ArraySlice<UInt8> {
        let text = tape.text(of: node)
        return tape.isString(node) ? tape.bytes[text.startIndex - 1...text.endIndex] : text
    }

    /// Adds a member with a text as its value, in the order of names.
    ///
    /// - Precondition: The value is an object without this member, and the name needs no escape sequence.
    public func adding(_ name: StaticString, _ text: String) -> EncodedJSON {
        precondition(tape.kind(node) == .object, "only an object has members")
        var writer = SortedJSONWriter()
        let insertion = insertion(of: "\(name)")
        let object = bytes
        // The brace, or the comma before the member that follows, stays in front.
        writer.append(raw: object[..<insertion.offset])
        if insertion.isLast, !insertion.isFirst { writer.append(",") }
        writer.write("\(name)")
        writer.append(":")
        writer.write(text)
        if !insertion.isLast { writer.append(",") }
        writer.append(raw: object[insertion.offset...])
        return EncodedJSON(bytes: writer.bytes)
    }

    /// The place where a member of this name begins. The flags say whether it is the first and the last member.
    private func insertion(of name: String) -> (offset: Int, isFirst: Bool, isLast: Bool) {
        var key = tape.first(in: node)
        while key < tape.end(of: node) {
            // A string's text begins behind its quote.
            if name.utf8.lexicographicallyPrecedes(tape.text(of: key)) {
                return (tape.text(of: key).startIndex - 1, key == tape.first(in: node), false)
            }
            key = tape.next(after: key + 1)
        }
        return (bytes.endIndex - 1, tape.first(in: node) == tape.end(of: node), true)
    }

    public static func == (left: RawJSON, right: RawJSON) -> Bool { left.bytes == right.bytes }

    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Takes the document's own bytes from ``StoreJSON``, any other decoder's by way of ``JSONValue``.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? TapeDecoder {
            self.init(tape: decoder.tape, node: decoder.node)
        } else {
            try self.init(encoding: try JSONValue(from: decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if !Self.encode(bytes, to: encoder) {
            try tape.value(node) { (tape, node) throws(Never) in tape.text(node) }.encode(to: encoder)
        }
    }

    /// Writes the text as it is.
    ///
    /// - Returns: False for a coder of another library.
    fileprivate static func encode(_ text: ArraySlice<UInt8>, to encoder: any Encoder) -> Bool {
        guard let encoder = encoder as? WriterEncoder else { return false }
        encoder.writer.text.pointee.single(encoder.depth)
        encoder.writer.text.pointee.append(raw: text)
        return true
    }
}

/// A value's JSON as ``StoreJSON`` has written it before, encoded by copying it.
public struct EncodedJSON: Hashable, Sendable, Encodable {
    /// UTF-8, one whole value.
    public let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Creates a value from text that was encoded and stored. It is not checked again.
    package init(stored text: String) { bytes = Array(text.utf8) }

    public func encode(to encoder: any Encoder) throws {
        if !RawJSON.encode(bytes[...], to: encoder) { try RawJSON(bytes).encode(to: encoder) }
    }
}
