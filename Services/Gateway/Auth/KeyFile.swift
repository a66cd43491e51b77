import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The key that signs session tokens, kept in the data directory. The first start creates it. Later starts and other
/// gateways with the same directory read it.
enum KeyFile {
    /// The reason why the key is missing, worded for the operator.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The size of the key.
    static let byteCount = 32

    /// Reads the key at `path`, and creates a missing one.
    ///
    /// The key is written under another name and then linked, so that two gateways that start simultaneously both end
    /// with the same complete key.
    static func load(_ path: String) throws(Failure) -> [UInt8] {
        if let key = try read(path) { return key }
        try create(path)
        guard let key = try read(path) else { throw Failure(description: "\(path) vanished while it was being read") }
        return key
    }

    private static func read(_ path: String) throws(Failure) -> [UInt8]? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot look at", path)
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Failure(description: "\(path) can be read by others; allow only its owner: chmod 600 \(path)")
        }
        guard let data = FileManager.default.contents(atPath: path) else { throw failure("cannot read", path) }
        guard data.count == byteCount else {
            throw Failure(
                description: "\(path) has \(data.count) bytes instead of \(byteCount); "
                    + "remove it to have a new one made (all sessions then end)")
        }
        return Array(data)
    }

    private static func create(_ path: String) throws(Failure) {
        let temporary = "\(path).\(UInt32.random(in: .min ... .max)).new"
        var generator = SystemRandomNumberGenerator()
        let key = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("cannot make", temporary) }
        defer { unlink(temporary) }
        let written = write(descriptor, key, key.count)
        let isSafe = written == key.count && fsync(descriptor) == 0
        guard close(descriptor) == 0, isSafe else { throw failure("cannot write", temporary) }
        // A key that another process created meanwhile is used instead.
        guard link(temporary, path) == 0 || errno == EEXIST else { throw failure("cannot make", path) }
    }

    private static func failure(_ what: String, _ path: String) -> Failure {
        Failure(description: "\(what) \(path): \(String(cString: strerror(errno)))")
    }
}
