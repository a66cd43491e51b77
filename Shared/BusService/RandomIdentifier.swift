import EventLoop
import Glibc
import StoreModels

/// Random identifiers that cannot be guessed, from the system's generator.
package enum RandomIdentifier {
    /// Words of the system's generator that are not used yet. A request needs five words, which cost a system call each
    /// otherwise.
    private struct Supply {
        /// The words of as many bytes as getentropy(3) gives at once.
        private static let size = 256 / MemoryLayout<UInt64>.size

        private var words: [UInt64] = []

        mutating func word() -> UInt64 {
            if let word = words.popLast() { return word }
            words = Array(repeating: 0, count: Self.size)
            let result = words.withUnsafeMutableBytes { getentropy($0.baseAddress!, $0.count) }
            guard result == 0 else { fatalError("the system has no random bytes") }
            return words.removeLast()
        }
    }

    private static let supply = Locked(Supply())

    /// Lower-case hexadecimal digits, at least one of them not zero.
    package static func hex(digits: Int) -> String {
        supply.withLock { supply in
            String(unsafeUninitializedCapacity: digits) { text in
                var (bits, all): (UInt64, UInt64) = (0, 0)
                for position in 0..<digits {
                    if position % 16 == 0 { bits = supply.word() }
                    text[position] = Hex.digits[Int(bits & 15)]
                    all |= bits & 15
                    bits >>= 4
                }
                if all == 0 { text[digits - 1] = UInt8(ascii: "1") }
                return digits
            }
        }
    }
}
