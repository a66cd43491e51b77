/// The grammar of JSON numbers.
public enum JSONNumber {
    /// Finds the end of the number that begins at `start`.
    /// - Returns: The end, and whether the number consists of digits only.
    @inlinable
    public static func scan(
        _ bytes: Span<UInt8>, from start: Int
    ) throws(JSONFault) -> (end: Int, isDigits: Bool) {
        var at = start
        if at < bytes.count, bytes[at] == UInt8(ascii: "-") { at += 1 }
        let first = at
        at = try endOfDigits(bytes, at)
        guard at == first + 1 || bytes[first] != UInt8(ascii: "0") else { throw JSONFault(.leadingZero, at: at) }
        var isDigits = first == start
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
            isDigits = false
            at = try endOfDigits(bytes, at + 1)
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
            isDigits = false
            at += 1
            if at < bytes.count, bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-") { at += 1 }
            at = try endOfDigits(bytes, at)
        }
        return (at, isDigits)
    }

    /// Skips one or more digits.
    @inlinable
    static func endOfDigits(_ bytes: Span<UInt8>, _ start: Int) throws(JSONFault) -> Int {
        var at = start
        while at < bytes.count, bytes[at] &- UInt8(ascii: "0") < 10 { at += 1 }
        guard at > start else { throw JSONFault(.malformedNumber, at: at) }
        return at
    }
}
