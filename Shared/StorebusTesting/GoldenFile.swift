import Foundation

/// A file of the repository that a test keeps: `STOREBUS_GOLDEN=write` writes it, otherwise it is compared.
package enum GoldenFile {
    /// Compares a file with the text that it should have, or writes it.
    /// - Parameters:
    ///   - path: From the repository's root: `docs/cli.md`.
    ///   - mark: The line behind which the text begins, or nil for a whole file.
    /// - Returns: The first line that differs. Nil if no line differs, and for a file that was written now.
    package static func difference(_ path: String, _ text: String, below mark: String? = nil) throws -> String? {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = root.deletingLastPathComponent().appendingPathComponent(path)
        var (head, present) = ("", (try? String(contentsOf: file, encoding: .utf8)) ?? "")
        if let mark {
            let parts = present.components(separatedBy: mark)
            guard parts.count == 2 else { return "\(path) has the mark \(parts.count - 1) times: \(mark)" }
            (head, present) = (parts[0] + mark, parts[1])
        }
        if ProcessInfo.processInfo.environment["STOREBUS_GOLDEN"] == "write" {
            try (head + text).write(to: file, atomically: true, encoding: .utf8)
            return nil
        }
        guard present != text else { return nil }
        let (lines, expected) = (present.components(separatedBy: "\n"), text.components(separatedBy: "\n"))
        let same = zip(lines, expected).prefix { $0 == $1 }.count
        return """
            \(path), line \(head.components(separatedBy: "\n").count + same): \
            '\(same < lines.count ? lines[same] : "")', and it should be \
            '\(same < expected.count ? expected[same] : "")'; STOREBUS_GOLDEN=write renews it
            """
    }
}
