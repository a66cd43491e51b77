import Glibc

/// Keeps a service's log from filling the disk: above 16 MiB its content goes to `….log.1`, in the place of an older one,
/// and it begins anew.
///
/// The service has the file open and appends, so the file is copied and emptied, not renamed; what is written between the
/// two is lost.
enum LogRotation {
    static let byteCountMax = 16 * 1024 * 1024

    static func rotate(_ path: String, byteCountMax: Int = byteCountMax) {
        var information = stat()
        guard stat(path, &information) == 0, information.st_size > byteCountMax else { return }
        // Twice the bound, for what is written while it is read; a log that grew past that is emptied all the same.
        if let bytes = try? FileAccess.read(path, byteCountMax: 2 * byteCountMax + 1024 * 1024) {
            try? FileAccess.write(bytes, to: "\(path).1", mode: 0o600)
        }
        truncate(path, 0)
    }
}
