#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

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
