/// Reads the value of an `Authorization` header, by bytes.
package enum BearerToken {
    /// Returns the token of `Bearer <token>`, or nil for any other text. Spaces may surround both words.
    package static func text(of value: String) -> String? {
        var value = value
        return value.withUTF8 { bytes in
            var rest = bytes[...]
            let (scheme, token) = (takeWord(&rest), takeWord(&rest))
            // In ASCII a letter and its capital differ in this bit.
            guard scheme.count == 6, scheme.lazy.map({ $0 | 0x20 }).elementsEqual("bearer".utf8), !token.isEmpty,
                rest.allSatisfy({ $0 == space })
            else { return nil }
            return String(decoding: UnsafeBufferPointer(rebasing: token), as: UTF8.self)
        }
    }

    private static let space = UInt8(ascii: " ")

    private static func takeWord(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
        let start = rest.firstIndex { $0 != space } ?? rest.endIndex
        let end = rest[start...].firstIndex(of: space) ?? rest.endIndex
        defer { rest = rest[end...] }
        return rest[start..<end]
    }
}
