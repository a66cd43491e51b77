/// Finds the private keys in a file, so that exports do not contain them.
///
/// It searches the file's bytes instead of its values, because masking an export requires positions. A member of that
/// name outside of `subscriptionOffersKeyPair` is masked as well, which is harmless.
enum FileSecrets {
    private static let name = Array("\"privateKey\"".utf8)

    /// Returns the byte ranges of the text between the quotes after each `"privateKey":`.
    static func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var position = 0
        while let start = bytes[position...].firstIndex(of: name[0]) {
            position = start + 1
            guard bytes[start...].starts(with: name), let text = text(in: bytes, behind: start + name.count) else {
                continue
            }
            ranges.append(text)
            position = text.upperBound
        }
        return ranges
    }

    /// Replaces secrets by asterisks in the part of a file that begins at byte `start`.
    static func masked(_ part: [UInt8], at start: Int, _ secrets: [Range<Int>]) -> [UInt8] {
        var part = part
        for secret in secrets {
            for position in secret.clamped(to: start..<start + part.count) {
                part[position - start] = UInt8(ascii: "*")
            }
        }
        return part
    }

    /// Returns the range of a string's text after a colon, or nil unless both follow.
    private static func text(in bytes: [UInt8], behind position: Int) -> Range<Int>? {
        var rest = bytes[position...].drop(while: isSpace)
        guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
        rest = rest.drop(while: isSpace)
        guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
        let start = rest.startIndex
        while let byte = rest.first, byte != UInt8(ascii: "\"") {
            // An escaped quote is part of the text.
            rest = rest.dropFirst(byte == UInt8(ascii: "\\") ? 2 : 1)
        }
        return start..<rest.startIndex
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
