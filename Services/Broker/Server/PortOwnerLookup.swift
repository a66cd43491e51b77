#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds the process that listens on a port in `/proc`, for error messages.
enum PortOwnerLookup {
    /// Returns the process, "pid 812 (node)". Nil when it is unknown (another user's process, no `/proc`).
    static func describe(port: Int) -> String? {
        let inodes = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { listeningInodes(in: $0, port: port) }
        guard !inodes.isEmpty else { return nil }
        let wanted = Set(inodes.map { "socket:[\($0)]" })
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for pid in processes where Int(pid) != nil && holds(pid, wanted) {
            let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)
            return "pid \(pid)" + (name.map { " (\($0.split(separator: "\n").first ?? ""))" } ?? "")
        }
        return nil
    }

    /// Returns the socket inodes in state LISTEN. A line reads `0: 0100007F:1CFC 00000000:0000 0A … inode`.
    private static func listeningInodes(in path: String, port: Int) -> [String] {
        guard let table = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 9, fields[3] == "0A", let local = fields[1].split(separator: ":").last,
                Int(local, radix: 16) == port
            else { return nil }
            return String(fields[9])
        }
    }

    private static func holds(_ pid: String, _ sockets: Set<String>) -> Bool {
        let directory = "/proc/\(pid)/fd"
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return descriptors.contains { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(descriptor)")
            return target.map(sockets.contains) ?? false
        }
    }
}
