/// Text of an untrusted server or listener as it is stored and shown: printable, on one line, bounded.
///
/// A response's bytes become a string only here. Bytes that are not UTF-8, and control and formatting characters, each
/// become U+FFFD, so that databases, JSON readers and terminals accept the text.
public struct PrintableText: Hashable, Sendable {
    /// Maximum bytes of ``text``, in UTF-8.
    public static let bytesMax = 256

    public let text: String

    public init(_ bytes: some Sequence<UInt8>) {
        var (text, decoder, iterator) = ("", UTF8(), bytes.makeIterator())
        var count = 0
        decoding: while true {
            let shown: Unicode.Scalar
            switch decoder.decode(&iterator) {
            case .emptyInput: break decoding
            case .error: shown = "\u{FFFD}"
            case .scalarValue(let scalar): shown = Self.shown(scalar)
            }
            count += UTF8.width(shown)
            guard count <= Self.bytesMax else { break }
            text.unicodeScalars.append(shown)
        }
        self.text = text
    }

    public init(_ text: String) { self.init(text.utf8) }

    private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        if ["\n", "\r", "\t"].contains(scalar) { return " " }
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
        default: scalar
        }
    }
}
