import Glibc

/// Reads one service's log: its end first, then what is appended. A log that was emptied is read from its beginning.
struct LogFollower: Sendable {
    let service: String
    let path: String
    private var offset: off_t = 0
    /// The beginning of a line whose end is not written yet.
    private var rest: [UInt8] = []
    private var time = ""

    /// Of what is read at a time; a line that is longer comes in parts.
    private static let byteCountMax = 1024 * 1024

    init(service: String, path: String) {
        self.service = service
        self.path = path
    }

    var exists: Bool { access(path, R_OK) == 0 }

    /// The last lines that are there, as far as they are in the last megabyte.
    mutating func last(_ count: Int) -> [LogLine] {
        guard let size = size() else { return [] }
        offset = max(0, size - off_t(Self.byteCountMax))
        let beginsInside = offset > 0
        let lines = new()
        return Array((beginsInside ? lines.dropFirst() : lines[...]).suffix(count))
    }

    /// What was appended since, whole lines only.
    mutating func new() -> [LogLine] {
        guard let size = size() else { return [] }
        if size < offset {
            offset = 0
            rest = []
        }
        rest += read(min(size - offset, off_t(Self.byteCountMax)))
        var lines: [LogLine] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(rest[..<end], &lines)
            rest.removeSubrange(...end)
        }
        if rest.count >= Self.byteCountMax {
            take(rest[...], &lines)
            rest = []
        }
        return lines
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, _ lines: inout [LogLine]) {
        guard !bytes.isEmpty else { return }
        let line = LogLine(String(decoding: bytes, as: UTF8.self), service: service, before: time)
        time = line.time
        lines.append(line)
    }

    private func size() -> off_t? {
        var information = stat()
        return stat(path, &information) == 0 ? information.st_size : nil
    }

    private mutating func read(_ count: off_t) -> [UInt8] {
        guard count > 0 else { return [] }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        let read = pread(descriptor, &bytes, bytes.count, offset)
        guard read > 0 else { return [] }
        offset += off_t(read)
        return Array(bytes[..<read])
    }
}
