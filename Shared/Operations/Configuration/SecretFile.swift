import FoundationEssentials

/// Reads secrets that settings name by their file.
package enum SecretFile {
    /// The content of a file without whitespace at its end.
    /// - Parameter variable: The setting that named the file, such as `BUS_CREDENTIALS_FILE`.
    /// - Throws: `badConfiguration` for a file that does not exist, cannot be read or is empty.
    package static func text(_ path: String, of variable: String) throws(StartupError) -> String {
        guard FileManager.default.fileExists(atPath: path) else {
            throw StartupError(.badConfiguration, "the file of \(variable), \(path), does not exist")
        }
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(validating: data, as: UTF8.self)
        else {
            throw StartupError(.badConfiguration, "the file of \(variable), \(path), cannot be read")
        }
        let secret = String(text.reversed().drop { $0.isWhitespace }.reversed())
        guard !secret.isEmpty else {
            throw StartupError(.badConfiguration, "the file of \(variable), \(path), is empty")
        }
        return secret
    }
}
