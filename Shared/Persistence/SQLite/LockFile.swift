internal import EventLoop
import Glibc

/// Holds `<path>.lock` for the process's life. So one SQLite file has one writer service.
///
/// A second line of the file names the start of the machine (``MachineStart``) once the database is known to be whole.
/// The file is emptied when the lock is released properly. So the next holder knows whether the machine itself ended
/// under the last one.
final class LockFile: Sendable {
    /// The end of the last holder, as its file shows it.
    enum LastEnd: Hashable, Sendable {
        /// It released the lock, or it was killed and the kernel wrote its data.
        case written
        /// The machine ended meanwhile, or its fate is unknown.
        case unknown
    }

    let lastEnd: LastEnd
    private let machine: String?
    private let lock: FileLock

    /// - Parameters:
    ///   - path: The database's path.
    ///   - holder: The service's name.
    ///   - machine: The machine's present start, or nil if it has no name.
    /// - Throws: `held` with the holder's pid, or `cannotOpen` if the file cannot be made.
    init(
        guarding path: String, holder: String, machine: String? = MachineStart.identifier
    ) throws(PersistenceError) {
        do throws(FileLock.Failure) {
            lock = try FileLock(path: path + ".lock", holder: holder)
        } catch {
            throw Self.error(error, path)
        }
        self.machine = machine
        lastEnd = lock.formerText.map { Self.lastEnd($0, machine) } ?? .unknown
    }

    /// Notes that the database is whole. It stays so for as long as the machine runs.
    func noteWhole() {
        if let machine { lock.note(machine) }
    }

    /// Releases the lock. A second call does nothing.
    /// - Parameter isInOrder: Whether all data was written.
    func release(isInOrder: Bool) { lock.release(isInOrder: isInOrder) }

    private static func lastEnd(_ text: String, _ machine: String?) -> LastEnd {
        if text.isEmpty { return .written }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let machine, lines.count > 1, lines[1].utf8.elementsEqual(machine.utf8) else { return .unknown }
        return .written
    }

    private static func error(_ failure: FileLock.Failure, _ path: String) -> PersistenceError {
        switch failure {
        case .unusable(let reason):
            PersistenceError(
                .cannotOpen, "\(path).lock: \(reason); check that the directory exists and can be written")
        case .held(let holder) where holder.isElsewhere:
            PersistenceError(
                .held,
                """
                \(path) is held by \(holder), in another container or on another machine that uses this volume; run \
                one of them, or give every replica the same DATABASE_URL
                """)
        case .held(let holder):
            PersistenceError(.held, "\(path) is held by \(holder); stop it first: replicas need DATABASE_URL")
        }
    }
}

/// Names the present start of the machine. A later process can tell by it whether the machine has been restarted.
enum MachineStart {
    /// Nil where the system has no such name.
    static let identifier: String? = read("/proc/sys/kernel/random/boot_id")

    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        let text = bytes.prefix(max(0, count)).prefix { $0 > 0x20 }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }
}
