import JSONSyntax

/// The kind and range of one JSON value in a header. The bytes are not copied.
package struct HeaderValue: Sendable {
    /// The kind of a value, as far as SBP/1 distinguishes them.
    package enum Kind: UInt8, Sendable {
        case absent, string, integer, otherNumber, yes, no, null, object, array
    }

    /// `absent` for a member that the header does not have.
    package var kind: Kind = .absent
    /// Whether a string holds an escape sequence, so that its bytes are not its text.
    package var isEscaped = false
    var start: Int32 = 0
    var end: Int32 = 0

    /// The range of a string without its quotes, and of any other value as written.
    package var range: Range<Int> { Int(start)..<Int(end) }

    init() {}

    init(_ kind: Kind, _ range: Range<Int>, isEscaped: Bool = false) {
        self.kind = kind
        self.isEscaped = isEscaped
        start = Int32(range.lowerBound)
        end = Int32(range.upperBound)
    }

    /// The text of a string, with escapes resolved.
    package func text(in bytes: Span<UInt8>) -> String {
        isEscaped
            ? String(decoding: JSONString.resolve(bytes.extracting(range)), as: UTF8.self)
            : bytes.extracting(range).text
    }

    /// The number of an `integer`. The scanner has seen that it is 0…2⁵³−1.
    package func integer(in bytes: Span<UInt8>) -> Int {
        var number = 0
        for index in range { number = number * 10 + Int(bytes[index] &- UInt8(ascii: "0")) }
        return number
    }

    /// Whether two strings have the same text, however they are written.
    func isSameText(as other: HeaderValue, in bytes: Span<UInt8>) -> Bool {
        if !isEscaped && !other.isEscaped {
            return bytes.extracting(range).isEqual(bytes.extracting(other.range))
        }
        return utf8(in: bytes) == other.utf8(in: bytes)
    }

    /// The bytes of a string's text. Compared instead of `String`, whose equality joins canonical equivalents.
    func utf8(in bytes: Span<UInt8>) -> [UInt8] {
        if isEscaped { return JSONString.resolve(bytes.extracting(range)) }
        var copy: [UInt8] = []
        copy.append(bytes.extracting(range))
        return copy
    }
}
