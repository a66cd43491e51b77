/// The requested bytes of a package (RFC 9110 §14): all, one range, or an unsatisfiable range.
///
/// Only single ranges are served. Other units, several ranges and malformed fields are ignored, as the RFC allows: the
/// response is the whole package.
enum ByteRange: Equatable {
    case whole
    case part(Range<Int64>)
    /// The range begins after the last byte, or is the last 0 bytes.
    case unsatisfiable

    /// - Parameters:
    ///   - header: The `Range` field. Nil for none.
    ///   - length: The size of the package in bytes.
    init(_ header: String?, length: Int64) {
        guard let header, let (first, last) = Self.bounds(of: header) else {
            self = .whole
            return
        }
        switch (first, last) {
        case (let first?, let last?) where last < first: self = .whole
        case (let first?, _) where first >= length: self = .unsatisfiable
        case (let first?, let last): self = .part(first..<min(last ?? length - 1, length - 1) + 1)
        case (nil, let count?):
            self = count == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - count)..<length)
        case (nil, nil): self = .whole
        }
    }

    /// Parses `bytes=0-499`, `bytes=500-` or `bytes=-500` into its two numbers, each of which may be missing.
    private static func bounds(of header: String) -> (Int64?, Int64?)? {
        let sides = header.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, Substring(sides[0]).lowercased() == "bytes" else { return nil }
        let ends = sides[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return nil }
        return (first, last)
    }

    /// - Returns: `.some(nil)` for no digits, nil for text that is not a number. A number too large for `Int64` is its
    ///   maximum.
    private static func number(_ text: Substring.UTF8View) -> Int64?? {
        if text.isEmpty { return .some(nil) }
        guard text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return .some(Int64(Substring(text)) ?? .max)
    }
}
