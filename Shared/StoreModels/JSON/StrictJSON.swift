/// JSON without the ambiguities on which parsers disagree (S14). A duplicate member is an error
/// instead of "the first" or "the last", text is UTF-8 without a byte order mark, U+0000 does not occur, and depth is
/// bounded.
///
/// Used at every edge: HTTP bodies, bus bodies, imported files.
public enum StrictJSON {
    /// The deepest nesting of any Storebus document.
    public static let depthMax = 32

    /// Checks one whole document.
    /// - Throws: ``StrictJSONError`` with the byte offset and the JSON path of the first fault.
    public static func validate(_ bytes: [UInt8], depthMax: Int = depthMax) throws(StrictJSONError) {
        _ = try tape(bytes, depthMax: depthMax)
    }

    /// Reads one whole document.
    /// - Throws: As ``validate(_:depthMax:)``.
    public static func parse(_ bytes: [UInt8], depthMax: Int = depthMax) throws(StrictJSONError) -> JSONValue {
        try tape(bytes, depthMax: depthMax).value(0) { (tape, node) throws(Never) in tape.text(node) }
    }

    /// Checks one whole document and records the positions of its values.
    /// - Throws: As ``validate(_:depthMax:)``.
    static func tape(_ bytes: [UInt8], depthMax: Int = depthMax) throws(StrictJSONError) -> JSONTape {
        // The result crosses the closure instead of the error, because `withUnsafeBufferPointer` keeps typed errors
        // only where the compiler can infer them.
        let result: Result<[JSONTape.Node], StrictJSONError> = bytes.withUnsafeBufferPointer { buffer in
            var reader = StrictJSONReader(buffer, depthMax: depthMax)
            return Result { () throws(StrictJSONError) in
                try reader.document()
                return reader.nodes
            }
        }
        return JSONTape(bytes: bytes, nodes: try result.get())
    }
}

/// The place and the reason for which a document is not strict JSON.
public struct StrictJSONError: Error, Equatable, CustomStringConvertible {
    /// The number of bytes before the fault.
    public let offset: Int
    /// `$.products[2].displayPrice`
    public let path: String
    /// A sentence's end that follows the path, such as `ends too early`.
    public let reason: String

    /// One line with path, reason and byte offset.
    public var description: String { "\(path): \(reason) (byte \(offset))" }
}
