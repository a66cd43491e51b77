import Glibc

/// Keeps a service's log from growing with every start: one of more than 16 MiB becomes `….log.1` when the service is
/// started, and an older `.1` goes.
enum LogRotation {
    static let byteCountMax = 16 * 1024 * 1024

    static func rotate(_ path: String) {
        var information = stat()
        guard stat(path, &information) == 0, information.st_size > byteCountMax else { return }
        rename(path, "\(path).1")
    }
}
