import Glibc

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Who listens on a TCP port, from `/proc`.
struct PortOwner: Hashable, Sendable {
    var pid: Int32
    /// `node`
    var program: String

    /// - Parameter root: where the process file system is; tests have one of their own.
    /// - Returns: nil when nobody listens, or when the owner is another user's process and stays unknown.
    static func find(port: Int, root: String = "/proc") -> PortOwner? {
        let tables = ["\(root)/net/tcp", "\(root)/net/tcp6"].compactMap { FileAccess.text($0) }
        let sockets = Set(tables.flatMap { listeningSockets(port: port, table: $0) }.map { "socket:[\($0)]" })
        guard !sockets.isEmpty, let processes = try? FileManager.default.contentsOfDirectory(atPath: root) else {
            return nil
        }
        for pid in processes.compactMap(Int32.init).sorted() where holds(sockets, pid: pid, root: root) {
            return PortOwner(pid: pid, program: FileAccess.text("\(root)/\(pid)/comm") ?? "?")
        }
        return nil
    }

    /// Inodes of the sockets in state 0A (listening) on `port`. A line of the table:
    /// `  0: 0100007F:1D06 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000  0 12345 1 …`
    static func listeningSockets(port: Int, table: String) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == "0A", let digits = fields[1].split(separator: ":").last,
                Int(digits, radix: 16) == port
            else { return nil }
            return String(fields[9])
        }
    }

    private static func holds(_ sockets: Set<String>, pid: Int32, root: String) -> Bool {
        let directory = "\(root)/\(pid)/fd"
        guard let descriptors = try? FileManager.default.contentsOfDirectory(atPath: directory) else { return false }
        return descriptors.contains { descriptor in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(descriptor)"))
                .map(sockets.contains) ?? false
        }
    }
}
