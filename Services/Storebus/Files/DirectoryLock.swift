import CProcess
import Glibc
import StoreModels

/// One running store per data directory. The kernel lets go of the lock when its holder ends, however it ends.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Takes the lock and leaves this process's id in the file.
    /// - Throws: `dataDirectoryInUse` with the holder's id; `dataDirectoryUnusable`.
    static func take(_ directory: DataDirectory) throws(CLIError) -> DirectoryLock {
        let descriptor = open(directory.lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CLIError(
                .dataDirectoryUnusable, "cannot open \(directory.lockFile): \(FileAccess.systemReason)",
                hints: ["name another: --data DIR"])
        }
        guard lock(descriptor) else {
            let holder = FileAccess.text(directory.lockFile) ?? "?"
            close(descriptor)
            throw inUse(directory, by: holder)
        }
        ftruncate(descriptor, 0)
        _ = FileAccess.writeAll(Array("\(getpid())\n".utf8), to: descriptor)
        return DirectoryLock(descriptor: descriptor)
    }

    /// Tries for a moment: ``holder(_:)`` has the lock while it looks.
    private static func lock(_ descriptor: Int32) -> Bool {
        for _ in 0..<5 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            usleep(2_000)
        }
        return false
    }

    /// Who runs a store on the directory now.
    /// - Returns: nil when nobody does.
    static func holder(_ directory: DataDirectory) -> Int32? {
        let descriptor = open(directory.lockFile, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Whoever can have the lock, if only for a moment, sees that nobody holds it.
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        return FileAccess.text(directory.lockFile).flatMap { Int32($0) }
    }

    static func inUse(_ directory: DataDirectory, by holder: String) -> CLIError {
        CLIError(
            .dataDirectoryInUse, "the data directory \(directory.path) is held by pid \(holder) (storebus up)",
            hints: ["use that store: storebus status", "stop it: storebus down", "another store: --data DIR"],
            details: ["pid": Int(holder).map { .integer($0) } ?? .null])
    }

    deinit { close(descriptor) }
}
