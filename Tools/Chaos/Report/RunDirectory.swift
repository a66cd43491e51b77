import Glibc
import StoreModels

/// The directory of a run: `options.json`, `history.jsonl`, and the reports made of them.
package struct RunDirectory: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path }

    package static let optionsName = "options.json", historyName = "history.jsonl"

    /// Reads the options. They are empty if the file is missing.
    /// - Throws: ``HistoryFault`` for a file that is not a JSON object.
    package func options() throws(HistoryFault) -> RunOptions {
        let file = "\(path)/\(Self.optionsName)"
        let bytes: [UInt8]
        do throws(HistoryFault) {
            bytes = try Self.bytes(of: file)
        } catch {
            guard error.isMissing else { throw error }
            return RunOptions()
        }
        do throws(StoreError) {
            return try StoreJSON.decode(RunOptions.self, from: bytes)
        } catch {
            throw HistoryFault(
                file: file, line: 1, reason: "no options of a run: \(error.message)",
                remedy: "correct it, or remove it: the history is checked without")
        }
    }

    /// Reads the history.
    /// - Throws: ``HistoryFault``.
    package func history() throws(HistoryFault) -> [HistoryEntry] {
        let file = "\(path)/\(Self.historyName)"
        return try HistoryReader.read(try Self.bytes(of: file), file: file)
    }

    /// Writes the options.
    /// - Throws: ``HistoryFault`` with the system's reason.
    package func write(_ options: RunOptions) throws(HistoryFault) {
        try Self.write(
            ((try? StoreJSON.encode(options)) ?? []) + [UInt8(ascii: "\n")], to: "\(path)/\(Self.optionsName)")
    }

    /// Writes report.json, report.md, report.html and report.xml, in place of older ones.
    /// - Throws: ``HistoryFault`` with the system's reason.
    package func write(_ report: RunReport) throws(HistoryFault) {
        try Self.write(Array(report.json.utf8), to: "\(path)/report.json")
        try Self.write(Array(report.markdown.utf8), to: "\(path)/report.md")
        try Self.write(Array(report.html.utf8), to: "\(path)/report.html")
        try Self.write(Array(report.junit.utf8), to: "\(path)/report.xml")
    }

    static func bytes(of file: String) throws(HistoryFault) -> [UInt8] {
        guard let stream = fopen(file, "re") else {
            throw HistoryFault(
                file: file, line: 0, reason: "cannot be read: \(String(cString: strerror(errno)))",
                remedy: "name the directory of a run, which has \(historyName)", isMissing: errno == ENOENT)
        }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 256 * 1024)
        while true {
            let count = fread(&chunk, 1, chunk.count, stream)
            bytes += chunk[..<count]
            if count == 0 { break }
        }
        guard ferror(stream) == 0 else {
            throw HistoryFault(
                file: file, line: 0, reason: "cannot be read: \(String(cString: strerror(errno)))",
                remedy: "name a directory with a regular \(historyName)")
        }
        return bytes
    }

    private static func write(_ bytes: [UInt8], to file: String) throws(HistoryFault) {
        let temporary = "\(file).new-\(getpid())"
        let isWritten: Bool
        if let stream = fopen(temporary, "we") {
            let count = fwrite(bytes, 1, bytes.count, stream)
            isWritten = fclose(stream) == 0 && count == bytes.count && rename(temporary, file) == 0
        } else {
            isWritten = false
        }
        guard isWritten else {
            let reason = String(cString: strerror(errno))
            unlink(temporary)
            throw HistoryFault(
                file: file, line: 0, reason: "cannot be written: \(reason)",
                remedy: "make the directory writable, or copy the run to another")
        }
    }
}
