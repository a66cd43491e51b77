/// A random text that only its owner may read.
enum Secret {
    /// 256 bits from the system's generator, as 64 hexadecimal digits.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// The secret in the file; made, with mode 0600, when there is none.
    static func keep(at path: String) throws(CLIError) -> String {
        if let kept = FileAccess.text(path), !kept.isEmpty { return kept }
        let secret = make()
        try FileAccess.write(Array("\(secret)\n".utf8), to: path, mode: 0o600)
        return secret
    }
}
