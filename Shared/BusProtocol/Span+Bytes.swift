import Glibc

extension Span<UInt8> {
    // Inlined, because a comparison with a literal of known length is then a few instructions.

    /// Whether these bytes are exactly that text.
    @inlinable @inline(__always)
    public func isEqual(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        return hasPrefix(text.utf8Start, count)
    }

    /// Whether both hold the same bytes.
    @inlinable @inline(__always)
    public func isEqual(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return other.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return true }
            return hasPrefix(base, bytes.count)
        }
    }

    /// Whether these bytes begin with that text.
    @inlinable @inline(__always)
    public func starts(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && hasPrefix(text.utf8Start, text.utf8CodeUnitCount)
    }

    /// Whether the bytes at `index` are that text.
    @inlinable @inline(__always)
    public func holds(_ text: StaticString, at index: Int) -> Bool {
        index <= count && extracting(index..<count).starts(with: text)
    }

    /// Compares with `memcmp`, which takes many bytes at a time. `length` is at most `count`.
    @inlinable @inline(__always)
    func hasPrefix(_ other: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return true }
            return memcmp(base, other, length) == 0
        }
    }

    /// The bytes as text. Invalid UTF-8 is repaired, so check first where it matters.
    public var text: String {
        withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}

extension [UInt8] {
    /// Adds the bytes of a span at the end.
    public mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
