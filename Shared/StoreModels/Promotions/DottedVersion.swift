/// A version of integers with dots, as operating systems and apps have them: `17.4`, `10.3.3`.
///
/// Versions are compared part by part as numbers, so that 16.10 comes after 16.4. Parts left out are zero, so that 16
/// is 16.0.
public struct DottedVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The most characters of a version.
    public static let charactersMax = 64

    /// Without zeros at the end.
    private let parts: [Int]

    /// - Returns: Nil for anything but integers with single dots between them, and for one too large to be counted.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.charactersMax else { return nil }
        var parts: [Int] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            // `Int` would also take a sign.
            guard part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int(String(decoding: part, as: UTF8.self))
            else { return nil }
            parts.append(number)
        }
        self.init(parts)
    }

    /// Creates a version of parts, `DottedVersion(17, 4)`.
    public init(_ parts: Int...) { self.init(parts) }

    private init(_ parts: [Int]) {
        let end = parts.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        self.parts = Array(parts[..<end])
    }

    /// The text, with two parts at least: `11.0`.
    public var description: String {
        (parts + Array(repeating: 0, count: max(0, 2 - parts.count))).map(String.init).joined(separator: ".")
    }

    public static func < (left: DottedVersion, right: DottedVersion) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }
}
