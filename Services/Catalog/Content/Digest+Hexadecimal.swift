import Crypto

extension Digest {
    /// Two hexadecimal digits per byte.
    var hexadecimal: String {
        map { byte in byte < 16 ? "0\(String(byte, radix: 16))" : String(byte, radix: 16) }.joined()
    }
}
