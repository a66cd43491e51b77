import Glibc

/// The end of a service's log.
enum LogTail {
    /// Enough for the lines shown, however long the log is.
    private static let byteCountMax = 16 * 1024

    /// The last `count` lines that are not empty, made safe for a terminal.
    static func lines(_ path: String, count: Int) -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let end = lseek(descriptor, 0, SEEK_END)
        let start = max(0, end - off_t(byteCountMax))
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        let read = pread(descriptor, &bytes, byteCountMax, start)
        guard read > 0 else { return [] }
        var lines = String(decoding: bytes[..<read], as: UTF8.self).split(separator: "\n")
        // The first one may begin in the middle.
        if start > 0, !lines.isEmpty { lines.removeFirst() }
        return lines.suffix(count).map { Table.onOneLine(String($0)) }
    }
}
