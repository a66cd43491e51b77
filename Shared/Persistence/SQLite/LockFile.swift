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
///
/// A second line names the start of the machine (``MachineStart``) once the database is known to be whole. The file is
/// emptied when the lock is given up in good order. So the next holder knows whether the machine itself ended under the
/// last one.
final class LockFile: Sendable {
    /// What became of the last holder, as far as its file is concerned.
    enum LastEnd: Hashable, Sendable {
        /// It gave the lock up; or it was killed, and the kernel wrote what it had.
        case written
        /// The machine ended meanwhile, or nothing is known.
        case unknown
    }

    let lastEnd: LastEnd
    private let text: String
    private let machine: String?
    /// Nil once released.
    private let descriptor: Locked<Int32?>

    /// - Parameters:
    ///   - path: the database's path.
    ///   - holder: the service's name.
    ///   - machine: the machine's present start; nil where it has no name.
    /// - Throws: `held` with the holder's pid, `cannotOpen` when the file cannot be made.
    init(
        guarding path: String, holder: String, machine: String? = MachineStart.identifier
    ) throws(PersistenceError) {
        let lockPath = path + ".lock"
        let isNew = access(lockPath, F_OK) != 0
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
        lastEnd = isNew ? .unknown : Self.lastEnd(Self.text(of: descriptor), machine)
        text = "\(getpid()) \(holder)\n"
        self.machine = machine
        Self.write(text, to: descriptor)
        self.descriptor = Locked(descriptor)
    }

    deinit { release(isInOrder: false) }

    /// Notes that the database is whole, and stays so for as long as the machine runs.
    func noteWhole() {
        guard let machine else { return }
        descriptor.withLock { held in
            if let held { Self.write("\(text)\(machine)\n", to: held) }
        }
    }

    /// Gives the lock up; again does nothing.
    /// - Parameter isInOrder: Whether everything was written.
    func release(isInOrder: Bool) {
        descriptor.withLock { held in
            guard let descriptor = held else { return }
            if isInOrder { Self.write("", to: descriptor) }
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

    private static func lastEnd(_ text: String, _ machine: String?) -> LastEnd {
        if text.isEmpty { return .written }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let machine, lines.count > 1, lines[1].utf8.elementsEqual(machine.utf8) else { return .unknown }
        return .written
    }

    /// `812 payment-queue` as `pid 812 (payment-queue)`.
    private static func describe(_ text: String) -> String {
        let words = (text.split(separator: "\n").first ?? "").split(whereSeparator: \.isWhitespace)
        guard let pid = words.first else { return "another process" }
        return words.count > 1 ? "pid \(pid) (\(words.dropFirst().joined(separator: " ")))" : "pid \(pid)"
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
