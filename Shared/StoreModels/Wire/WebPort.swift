/// The port in the text of an http or https URL.
///
/// Foundation's `URL.port` is nil both without a port and for one that does not fit an integer. Its clients then ask
/// the scheme's own port.
public enum WebPort {
    /// Whether the port is left out, or a number from 1 to 65535.
    /// - Parameter url: `https://user@host:8080/path`, `http://[::1]:8080`.
    public static func isValid(in url: String) -> Bool {
        let bytes = Array(url.utf8)
        guard let start = bytes.firstRange(of: "://".utf8)?.upperBound else { return false }
        let authority = bytes[start...].prefix { !"/?#".utf8.contains($0) }
        // The text before an @ names a user.
        let hostAndPort = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
        let host = hostAndPort.firstIndex(of: UInt8(ascii: "]")).map { hostAndPort[$0...] } ?? hostAndPort
        guard let colon = host.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let digits = host[(colon + 1)...]
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return false }
        return digits.isEmpty || Int(String(decoding: digits, as: UTF8.self)).map((1...65_535).contains) ?? false
    }
}
