/// The escape sequences of JSON strings.
enum JSONEscapes {
    /// Decodes the escapes of a string that ``StrictJSONReader`` has found sound.
    static func decode(_ raw: UnsafeBufferPointer<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var index = 0
        while index < raw.count {
            guard raw[index] == UInt8(ascii: "\\") else {
                bytes.append(raw[index])
                index += 1
                continue
            }
            if raw[index + 1] == UInt8(ascii: "u") {
                var scalar = UInt32(unit(raw, index + 2))
                index += 6
                if (0xD800...0xDBFF).contains(scalar) {
                    scalar = 0x10000 + (scalar - 0xD800) << 10 + (UInt32(unit(raw, index + 2)) - 0xDC00)
                    index += 6
                }
                bytes.append(contentsOf: String(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}")).utf8)
            } else {
                bytes.append(plain(raw[index + 1]))
                index += 2
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The character that a backslash and this letter denote.
    private static func plain(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "f"): 12
        case UInt8(ascii: "n"): 10
        case UInt8(ascii: "r"): 13
        case UInt8(ascii: "t"): 9
        default: letter
        }
    }

    private static func unit(_ raw: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt16 {
        raw[start..<start + 4].reduce(0) { $0 << 4 | UInt16(digit($1) ?? 0) }
    }

    /// The value of a hexadecimal digit.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
