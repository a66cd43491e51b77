import Glibc

/// Keeps other users of the machine out of a store's files: keys, databases, logs.
package enum FilePrivacy {
    /// A refusal, because other users could read or write a file that must be private to the process.
    package struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// Names the path and the remedy.
        package let description: String
    }

    /// The result of a check.
    package enum Finding: Hashable, Sendable {
        /// Only its owner gets in.
        case isPrivate
        /// It was open to others and is private from now on.
        case tightened
        /// Others get in, and may have a reason to. The directory has other files besides a store.
        case isOpen
    }

    /// Makes files created from now on private to the process's user. Their requested modes do not count.
    package static func begin() { umask(0o077) }

    /// Checks a directory that is to hold a store.
    ///
    /// An empty one of the process's own user is made private, because it contained no files to read. Another one is
    /// left unchanged, because it may be a home or a project, or a volume that a group was given on purpose. The files
    /// in it are private in any case.
    /// - Throws: If every user may exchange files in the directory.
    package static func checkDirectory(_ path: String) throws(Refusal) -> Finding {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return .isPrivate }
        if status.st_uid == geteuid(), isEmpty(path), chmod(path, 0o700) == 0 { return .tightened }
        // With the sticky bit only a file's owner may remove or rename it.
        guard status.st_mode & 0o002 == 0 || status.st_mode & mode_t(S_ISVTX) != 0 else {
            throw Refusal(description: "every user may write in the directory \(path): chmod o-w \(path)")
        }
        return .isOpen
    }

    /// Makes an existing file private to its owner.
    /// - Throws: If others may read or write it, and it is another user's or not a regular file.
    package static func tighten(_ path: String) throws(Refusal) -> Finding {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return .isPrivate }
        guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else {
            throw Refusal(description: "\(path) is not a regular file; remove it")
        }
        guard chmod(path, 0o600) == 0 else {
            throw Refusal(description: "other users may read \(path), which is another user's: chmod 600 \(path)")
        }
        return .tightened
    }

    private static func isEmpty(_ path: String) -> Bool {
        guard let directory = opendir(path) else { return false }
        defer { closedir(directory) }
        var count = 0
        // "." and "..".
        while readdir(directory) != nil { count += 1 }
        return count <= 2
    }
}
