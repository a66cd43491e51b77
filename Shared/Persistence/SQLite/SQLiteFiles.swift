internal import EventLoop

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The files of one SQLite database.
enum SQLiteFiles {
    /// Makes the database and its log private to their owner. A new database is private from the beginning. SQLite
    /// gives the files next to a database the database's mode.
    /// - Returns: Whether other users could read the existing files.
    /// - Throws: `cannotOpen` with the remedy.
    static func makePrivate(_ path: String) throws(PersistenceError) -> Bool {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // One that is there, and one that cannot be made, SQLite itself says more of.
        if descriptor >= 0 { close(descriptor) }
        var wasOpen = false
        do throws(FilePrivacy.Refusal) {
            for file in [path, "\(path)-wal", "\(path)-shm"] where try FilePrivacy.tighten(file) == .tightened {
                wasOpen = true
            }
        } catch {
            throw PersistenceError(.cannotOpen, error.description)
        }
        return wasOpen
    }
}
