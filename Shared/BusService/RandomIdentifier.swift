import EventLoop
import Glibc
import StoreModels

/// Random identifiers that cannot be guessed, from the system's generator.
package enum RandomIdentifier {
    /// Bytes of the system's generator that are not used yet. A request needs five words, which cost a system call each
    /// otherwise.
    private struct Supply {
        /// The most that getentropy(3) gives at once.
        private static let size = 256

        private var bytes: [UInt8] = []

        mutating func word() -> UInt64 {
            if bytes.isEmpty {
                bytes = Array(repeating: 0, count: Self.size)
                guard getentropy(&bytes, Self.size) == 0 else { fatalError("the system has no random bytes") }
            }
            let word = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
            bytes.removeLast(8)
            return word
        }
    }

    private static let supply = Locked(Supply())

    /// Lower-case hexadecimal digits, at least one of them not zero.
    package static func hex(digits: Int) -> String {
        var text = [UInt8]()
        text.reserveCapacity(digits)
        supply.withLock { supply in
            var bits: UInt64 = 0
            for position in 0..<digits {
                if position % 16 == 0 { bits = supply.word() }
                text.append(Hex.digits[Int(bits & 15)])
                bits >>= 4
            }
        }
        if !text.contains(where: { $0 != UInt8(ascii: "0") }) { text[digits - 1] = UInt8(ascii: "1") }
        return String(decoding: text, as: UTF8.self)
    }
}
