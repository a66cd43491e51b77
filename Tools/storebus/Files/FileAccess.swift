import FoundationEssentials
import Glibc
import StoreModels

/// File operations with errors that name the file and the system's reason.
enum FileAccess {
    /// The system's message for the last error.
    static var systemReason: String { reason(errno) }

    static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }

    /// Reads a whole file.
    /// - Throws: `fileNotFound`, `fileUnreadable`, or `fileUnreadable` for more than `byteCountMax`.
    static func read(_ path: String, byteCountMax: Int) throws(CLIError) -> [UInt8] {
        let bytes = try beginning(of: path, byteCount: byteCountMax + 1)
        guard bytes.count <= byteCountMax else {
            throw CLIError(
                .fileUnreadable, "\(path) is larger than \(byteCountMax / 1024 / 1024) MiB",
                hints: ["a catalogue of that size is refused"], status: .badInput)
        }
        return bytes
    }

    /// Reads at most the first `byteCount` bytes of a file.
    /// - Throws: `fileNotFound` or `fileUnreadable`.
    static func beginning(of path: String, byteCount: Int) throws(CLIError) -> [UInt8] {
        let takesPipes = CommandEnvironment.current.takesPipes
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (takesPipes ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else {
            let code: CLIErrorCode = errno == ENOENT ? .fileNotFound : .fileUnreadable
            throw CLIError(code, "cannot read \(path): \(systemReason)", hints: ["check the path"])
        }
        defer { close(descriptor) }
        var facts = stat()
        guard takesPipes || fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG else {
            throw CLIError(.fileUnreadable, "\(path) is not a regular file", hints: ["name a regular file"])
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 256 * 1024)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw CLIError(.fileUnreadable, "cannot read \(path): \(systemReason)", hints: ["name a regular file"])
            }
            bytes += chunk[..<count].prefix(byteCount - bytes.count)
            if bytes.count == byteCount { return bytes }
        }
    }

    /// Reads bytes inside a file, as many as there are. Empty if it is missing or cannot be read.
    static func bytes(of path: String, at offset: off_t, count: Int) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(descriptor, &bytes, count, offset)
        return Array(bytes.prefix(max(0, read)))
    }

    /// Whether a file or directory of this name exists.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func isDirectory(_ path: String) -> Bool { status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

    /// Returns the system's status of a file, or nil if it is missing.
    static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// Returns a file's length in bytes, or nil if it is missing.
    static func size(_ path: String) -> Int? { status(path).map { Int($0.st_size) } }

    /// Returns when a file was last changed, to the second, or nil if it is missing.
    static func changedAt(_ path: String) -> Timestamp? {
        guard let status = status(path) else { return nil }
        return Timestamp(milliseconds: Int64(status.st_mtim.tv_sec) * 1000)
    }

    /// Reads a small text file and trims it. Nil if it is missing or cannot be read.
    static func text(_ path: String) -> String? {
        guard let bytes = try? read(path, byteCountMax: 1024 * 1024) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        let isSpace: (Character) -> Bool = \.isWhitespace
        guard let first = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(text[first...last])
    }

    /// Writes a file atomically: a reader sees the old or the new content.
    /// - Parameter mode: Mode of the new file, regardless of the umask.
    static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(CLIError) {
        let temporary = "\(path).new-\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw unwritable(temporary) }
        defer { close(descriptor) }
        guard fchmod(descriptor, mode) == 0, writeAll(bytes, to: descriptor), rename(temporary, path) == 0 else {
            let error = unwritable(path)
            unlink(temporary)
            throw error
        }
    }

    /// Writes all of `bytes`, also after partial writes.
    /// - Returns: False for an error in `errno`.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let count = Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
                if count < 0 {
                    if errno == EINTR { continue }
                    return false
                }
                written += count
            }
            return true
        }
    }

    /// Creates the directory and its parents, accessible to their owner only.
    static func makeDirectory(_ path: String) throws(CLIError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CLIError(
                .dataDirectoryUnusable, "cannot make the directory \(path): \(systemReason)",
                hints: ["name another: --data DIR"])
        }
    }

    /// Lists a directory. Empty if it is missing.
    static func names(in directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }

    /// Removes a file. A missing one is not an error.
    static func remove(_ path: String) { unlink(path) }

    /// Removes a directory with everything in it. A missing one is not an error.
    static func removeTree(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    private static func unwritable(_ path: String) -> CLIError {
        CLIError(
            .dataDirectoryUnusable, "cannot write \(path): \(systemReason)", hints: ["name another place: --data DIR"])
    }
}

/// A generated secret in a file of its owner.
enum Secret {
    /// Generates 256 random bits as 64 hexadecimal digits.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Reads the secret of a file, or generates one with mode 0600.
    static func keep(at path: String) throws(CLIError) -> String {
        if let kept = FileAccess.text(path), !kept.isEmpty { return kept }
        let secret = make()
        try FileAccess.write(Array("\(secret)\n".utf8), to: path, mode: 0o600)
        return secret
    }
}
