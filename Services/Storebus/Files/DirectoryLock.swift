import CProcess
import Glibc
import StoreModels

/// One running store per data directory. The kernel lets go of the lock when its holder ends, however it ends.
package final class DirectoryLock: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Takes the lock and leaves this process's id in the file.
    /// - Throws: `dataDirectoryInUse` with the holder's id; `dataDirectoryUnusable`.
    package static func take(_ directory: DataDirectory) throws(CLIError) -> DirectoryLock {
        let descriptor = open(directory.lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CLIError(
                .dataDirectoryUnusable, "cannot open \(directory.lockFile): \(FileAccess.systemReason)",
                hints: ["name another: --data DIR"])
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = FileAccess.text(directory.lockFile) ?? "?"
            close(descriptor)
            throw CLIError(
                .dataDirectoryInUse, "the data directory \(directory.path) is held by pid \(holder) (storebus up)",
                hints: ["use that store: storebus status", "stop it: kill \(holder)", "another store: --data DIR"],
                details: ["pid": Int(holder).map { .integer($0) } ?? .null])
        }
        ftruncate(descriptor, 0)
        _ = FileAccess.writeAll(Array("\(getpid())\n".utf8), to: descriptor)
        return DirectoryLock(descriptor: descriptor)
    }

    deinit { close(descriptor) }
}
