import Glibc

/// The process that listens on a TCP port, from `/proc`.
package struct PortOwner: Hashable, Sendable, CustomStringConvertible {
    package var pid: Int32
    /// `node`
    package var program: String

    package init(pid: Int32, program: String) {
        (self.pid, self.program) = (pid, program)
    }

    /// `pid 812 (node)`
    package var description: String { "pid \(pid) (\(program))" }

    /// Finds the process. Of a parent and its children with the same socket it is the parent.
    /// - Parameter root: Path of the process file system. Tests have their own.
    /// - Returns: Nil if no process listens, or if the process belongs to another user.
    package static func find(port: Int, root: String = "/proc") -> PortOwner? {
        let tables = ["\(root)/net/tcp", "\(root)/net/tcp6"].compactMap(ProcessFile.text)
        let sockets = Set(tables.flatMap { listeningSockets(port: port, table: $0) }.map { "socket:[\($0)]" })
        guard !sockets.isEmpty else { return nil }
        let holders = ProcessFile.names(in: root).compactMap { Int32($0) }.sorted()
            .filter { holds(sockets, pid: $0, root: root) }
        // A worker has its parent's socket, and so has any child until it has started its program.
        let owner = holders.first { parent(of: $0, root: root).map(holders.contains) != true }
        return owner.map { pid in
            let name = ProcessFile.text("\(root)/\(pid)/comm")?.split(separator: "\n").first
            return PortOwner(pid: pid, program: name.map(String.init) ?? "?")
        }
    }

    /// Reads a line such as `812 (node) S 1 …`. A program's name may have spaces and parentheses.
    private static func parent(of pid: Int32, root: String) -> Int32? {
        let fields = ProcessFile.text("\(root)/\(pid)/stat")?.split(separator: ")").last?.split(separator: " ")
        return fields?.dropFirst().first.flatMap { Int32($0) }
    }

    /// Finds inodes of the sockets in state 0A (listening) on `port`. A line of the table:
    /// `  0: 0100007F:1D06 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000  0 12345 1 …`
    private static func listeningSockets(port: Int, table: String) -> [String] {
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
        return ProcessFile.names(in: directory).contains { descriptor in
            ProcessFile.target(of: "\(directory)/\(descriptor)").map(sockets.contains) ?? false
        }
    }
}

/// Reads `/proc`. Its files have no length and give a page at a time, and Foundation stops after the first one.
package enum ProcessFile {
    /// The part of a file that is read. A table of sockets has those that listen first, so that thousands of connections
    /// after them hide none.
    private static let byteCountMax = 1024 * 1024

    /// Reads a file, at most its first MiB. Nil if it is missing or belongs to another user.
    package static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count < byteCountMax {
            let count = read(descriptor, &chunk, chunk.count)
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                return nil
            }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Lists a directory. Empty if it is missing or belongs to another user.
    package static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                names.append(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
            }
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    /// Reads a symbolic link. Nil if it is missing or belongs to another user.
    package static func target(of path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
