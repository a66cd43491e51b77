internal import EventLoop

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Holds `<path>.lock` for the life of the process, so that one SQLite file has one writer service.
///
/// The lock is `flock`'s, which the kernel drops when the process dies however it dies; the file's text,
/// `812 payment-queue`, only tells others who holds it. A file left behind by a dead process is no obstacle. The file is
/// never removed: between a removal and the next creation two processes could each hold "the" lock.
final class LockFile: Sendable {
    /// Nil once released.
    private let descriptor: Locked<Int32?>

    /// - Parameters:
    ///   - path: the database's path.
    ///   - holder: the service's name.
    /// - Throws: `held` with the holder's pid, `cannotOpen` when the file cannot be made.
    init(guarding path: String, holder: String) throws(PersistenceError) {
        let lockPath = path + ".lock"
        // Closed on exec: a child process must not keep the lock alive after its parent.
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw PersistenceError(
                .cannotOpen, "\(lockPath): \(Self.reason(errno)); check that the directory exists and can be written")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            let text = Self.text(of: descriptor)
            close(descriptor)
            guard reason == EWOULDBLOCK else {
                throw PersistenceError(.cannotOpen, "\(lockPath): \(Self.reason(reason))")
            }
            throw PersistenceError(
                .held, "\(path) is held by \(Self.describe(text)); stop it first: replicas need DATABASE_URL")
        }
        Self.write("\(getpid()) \(holder)\n", to: descriptor)
        self.descriptor = Locked(descriptor)
    }

    deinit { release() }

    /// Gives the lock up; again does nothing.
    func release() {
        descriptor.withLock { held in
            guard let descriptor = held else { return }
            Self.write("", to: descriptor)
            close(descriptor)
            held = nil
        }
    }

    /// Best effort: the text informs, the lock decides.
    private static func write(_ text: String, to descriptor: Int32) {
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = Array(text.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private static func text(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// `812 payment-queue` as `pid 812 (payment-queue)`.
    private static func describe(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let pid = words.first else { return "another process" }
        return words.count > 1 ? "pid \(pid) (\(words.dropFirst().joined(separator: " ")))" : "pid \(pid)"
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
