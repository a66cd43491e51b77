/// Size of a text in JSON.
enum JSONSize {
    /// Upper bound of the size. JSON writes quotes and backslashes as two bytes and control characters as up to six.
    static func most(_ text: String) -> Int {
        text.utf8.reduce(0) { count, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): count + 2
            case ..<0x20: count + 6
            default: count + 1
            }
        }
    }
}
