/// The outline of a message, read from the headers of its first elements.
///
/// A parser makes a node of each element it meets, and the sender of a message of 1 MiB chooses how many there are. The
/// outline's cost does not depend on that number: it rejects a message before a parser reads it.
struct ReceiptOutline {
    /// The most bytes of a message around its content: three certificates, a signature, and room. Storebus's receipts
    /// have about 1 700.
    static let wrappingBytesMax = 8192

    /// Whether it is SignedData of any signer, complete and without trailing bytes. It is in DER, or in BER without a
    /// length.
    let isSignedData: Bool
    /// Bytes that are not content. Nil for another layout than that of receipts.
    let wrappingBytes: Int?

    /// PKCS#7 SignedData, 1.2.840.113549.1.7.2, as DER has it.
    private static let signedData: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2]

    init(_ message: [UInt8]) {
        var elements = Elements(rest: message[...])
        if message.starts(with: [0x30, 0x80]) {
            isSignedData = message.dropFirst(2).starts(with: Self.signedData)
            wrappingBytes = nil
            return
        }
        guard let inside = elements.next(0x30), elements.rest.isEmpty, inside.starts(with: Self.signedData) else {
            isSignedData = false
            wrappingBytes = nil
            return
        }
        isSignedData = true
        wrappingBytes = Self.content(in: inside).map { message.count - $0.count }
    }

    /// Finds the content. Its path is ContentInfo → `[0]` → SignedData → version, algorithms, ContentInfo → `[0]` →
    /// OCTET STRING.
    private static func content(in contentInfo: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard var explicit = explicit(in: contentInfo), let signedData = explicit.next(0x30) else { return nil }
        var elements = Elements(rest: signedData)
        guard elements.next(0x02) != nil, elements.next(0x31) != nil, let inner = elements.next(0x30),
            var content = self.explicit(in: inner)
        else { return nil }
        return content.next(0x04)
    }

    /// The elements of a ContentInfo behind its type.
    private static func explicit(in contentInfo: ArraySlice<UInt8>) -> Elements? {
        var elements = Elements(rest: contentInfo)
        guard elements.next(0x06) != nil, let inside = elements.next(0xA0) else { return nil }
        return Elements(rest: inside)
    }

    private struct Elements {
        var rest: ArraySlice<UInt8>

        /// The contents of the next element. Nil when it has another tag, or continues beyond the end.
        mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
            guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
            var length = Int(first)
            if first >= 0x80 {
                let count = Int(first & 0x7F)
                guard (1...4).contains(count), rest.count >= count else { return nil }
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            guard rest.count >= length else { return nil }
            defer { rest = rest.dropFirst(length) }
            return rest.prefix(length)
        }
    }
}
