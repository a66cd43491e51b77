import Glibc
import StoreModels

/// What of the data directory and its disk is wrong.
struct DirectoryCheck {
    let directory: DataDirectory

    var findings: [Finding] { [place, secrets, disk, times].compactMap(\.self) }

    private var exists: Bool { access(directory.path, F_OK) == 0 }

    private var place: Finding {
        guard exists else {
            return Finding("data", .pass, "\(directory.path) is not there yet", remedy: "make it: storebus up")
        }
        guard access(directory.path, R_OK | W_OK | X_OK) == 0 else {
            return Finding(
                "data", .fail, "\(directory.path) cannot be written: \(FileAccess.systemReason)",
                remedy: "choose another: storebus up --data DIR")
        }
        let holder = DirectoryLock.holder(directory)
        if holder == nil, let record = RunRecord.read(directory) {
            return Finding(
                "data", .warn, "\(directory.path) remembers pid \(record.pid), which is gone",
                remedy: "start it again: storebus up --data \(directory.path)")
        }
        return Finding(
            "data", .pass, "\(directory.path), \(holder.map { "held by pid \($0)" } ?? "no store runs on it")")
    }

    /// Files with a key that others may read.
    private var secrets: Finding? {
        guard exists else { return nil }
        let open = [directory.adminKey, directory.busToken].filter { path in
            var information = stat()
            return stat(path, &information) == 0 && information.st_mode & 0o077 != 0
        }
        guard !open.isEmpty else { return Finding("secrets", .pass, "readable by their owner only") }
        return Finding(
            "secrets", .fail, "others may read \(open.joined(separator: ", "))",
            remedy: "chmod 600 \(open.joined(separator: " "))")
    }

    private static let freeMin = 200, freeComfortable = 1024

    private var disk: Finding {
        var information = statvfs()
        let path = exists ? directory.path : "."
        guard statvfs(path, &information) == 0 else {
            return Finding("disk", .warn, "cannot be measured: \(FileAccess.systemReason)", remedy: "df -h \(path)")
        }
        let free = Int(information.f_bavail) * Int(information.f_frsize) / 1024 / 1024
        let words = "\(free) MiB free at \(path)"
        if free < Self.freeMin {
            return Finding("disk", .fail, words, remedy: "free some: at least \(Self.freeMin) MiB are needed")
        }
        if free < Self.freeComfortable { return Finding("disk", .warn, words, remedy: "free some before it is full") }
        return Finding("disk", .pass, words)
    }

    /// Databases written later than now: the clock was set back, and what was bought lies in the future.
    private var times: Finding? {
        guard exists else { return nil }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let late = ServiceName.allCases.map { "\(directory.path)/\($0.rawValue).sqlite" }.filter { path in
            var information = stat()
            return stat(path, &information) == 0 && information.st_mtim.tv_sec > now.tv_sec + 60
        }
        guard let first = late.first else { return nil }
        return Finding(
            "clock", .fail, "\(first) was written later than now: the clock was set back",
            remedy: "set the machine's clock")
    }
}

/// Whether a store that does not run could.
enum PortCheck {
    static var findings: [Finding] {
        [(7430, "--port"), (7420, "--bus-port"), (7421, "--bus-port")].map { port, flag in
            do throws(CLIError) {
                try PortChoice.fixed(port).check(host: "127.0.0.1", flag: flag)
                return Finding("port \(port)", .pass, "free")
            } catch {
                return Finding("port \(port)", .warn, error.message, remedy: "storebus up \(flag) auto")
            }
        }
    }
}
