extension Span<UInt8> {
    /// Whether these bytes are exactly that text.
    package func isEqual(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { expected in
            for index in indices where self[index] != expected[index] { return false }
            return true
        }
    }

    /// Whether both hold the same bytes.
    package func isEqual(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    /// Whether these bytes begin with that text.
    package func starts(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && extracting(0..<text.utf8CodeUnitCount).isEqual(text)
    }

    /// The bytes as text. Invalid UTF-8 is repaired, so check first where it matters.
    package var text: String {
        withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}

extension [UInt8] {
    /// Adds the bytes of a span at the end.
    package mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
