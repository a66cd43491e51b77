/// The reason and the place why bytes are not a JSON string or number.
public struct JSONFault: Error {
    public enum Reason: Sendable {
        case unendedString, rawNUL, rawControlCharacter, invalidUTF8
        case unknownEscape, malformedUnicodeEscape, escapedNUL, loneSurrogate
        case malformedNumber, leadingZero
    }

    public let reason: Reason
    /// Index of the byte at which reading stopped, from the start of all bytes.
    public let offset: Int

    @inlinable
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
