/// The reason and the place why bytes are not a JSON string or number.
package struct JSONFault: Error {
    package enum Reason: Sendable {
        case unendedString, rawNUL, rawControlCharacter, invalidUTF8
        case unknownEscape, malformedUnicodeEscape, escapedNUL, loneSurrogate
        case malformedNumber, leadingZero
    }

    package let reason: Reason
    /// Index of the byte at which reading stopped, from the start of all bytes.
    package let offset: Int

    @inlinable
    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
