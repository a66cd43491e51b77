import Glibc

/// Holds a lock file for the life of the process. One process at a time owns the guarded files.
///
/// The lock is `flock`'s, which the kernel drops at any death of the process. The file's text,
/// `812 payment-queue 3f2a91c0`, only names the holder. A file left behind by a dead process is no obstacle. The file
/// is never removed: between a removal and the next creation two processes could each hold "the" lock.
package final class FileLock: Sendable {
    /// Describes the process that has the lock, by the file's text.
    package struct Holder: Sendable, Equatable, CustomStringConvertible {
        private let pid: String?
        private let name: String?
        private let host: String?

        fileprivate init(_ text: String) {
            let line = text.split(separator: "\n").first ?? ""
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            pid = words.first
            name = words.count > 1 ? words[1] : nil
            host = words.count > 2 ? words[2] : nil
        }

        /// Whether it runs in another container, or on another machine, that has the same directory.
        package var isElsewhere: Bool { host.map { $0 != FileLock.hostName } ?? false }

        /// `pid 812 (payment-queue)`, elsewhere `payment-queue on host 3f2a91c0 (pid 1)`.
        package var description: String {
            guard let pid else { return "another process" }
            guard let name else { return "pid \(pid)" }
            return isElsewhere ? "\(name) on host \(host ?? "?") (pid \(pid))" : "pid \(pid) (\(name))"
        }
    }

    package enum Failure: Error {
        case held(Holder)
        /// The file cannot be made or locked: why, in the system's words.
        case unusable(String)
    }

    /// The text that the last holder left in the file. Nil for a new file, empty when that holder released the lock
    /// properly.
    package let formerText: String?
    private let text: String
    /// Nil once released.
    private let descriptor: Locked<Int32?>

    /// Takes the lock, or throws the process that holds it.
    /// - Parameter holder: The name of the program or service, reported to the next process that wants the lock.
    package init(path: String, holder: String) throws(Failure) {
        let isNew = access(path, F_OK) != 0
        // Closed on exec: a child process must not keep the lock alive after its parent.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable(Self.reason(errno)) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            let text = Self.text(of: descriptor)
            close(descriptor)
            if reason == EWOULDBLOCK { throw .held(Holder(text)) }
            throw .unusable(Self.reason(reason))
        }
        formerText = isNew ? nil : Self.text(of: descriptor)
        text = "\(getpid()) \(holder) \(Self.hostName)\n"
        Self.write(text, to: descriptor)
        self.descriptor = Locked(descriptor)
    }

    deinit { release(isInOrder: false) }

    /// Writes a second line into the file, for the next holder.
    package func note(_ line: String) {
        descriptor.withLock { held in
            if let held { Self.write("\(text)\(line)\n", to: held) }
        }
    }

    /// Releases the lock. A second call does nothing.
    /// - Parameter isInOrder: Whether the work was done. If so, the file is emptied.
    package func release(isInOrder: Bool = true) {
        descriptor.withLock { held in
            guard let descriptor = held else { return }
            if isInOrder { Self.write("", to: descriptor) }
            close(descriptor)
            held = nil
        }
    }

    /// The host's name. A container's is its identifier unless it was given another.
    private static var hostName: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "?" }
        return withUnsafeBytes(of: name.nodename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Replaces the file's text. Best effort: the text informs, the lock decides.
    private static func write(_ text: String, to descriptor: Int32) {
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = Array(text.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private static func text(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
