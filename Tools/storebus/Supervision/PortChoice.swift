import ArgumentParser
import Glibc
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The value of `--port N|auto`.
enum PortChoice: Hashable, Sendable, ExpressibleByArgument, CustomStringConvertible {
    case fixed(Int)
    /// The system picks a free port, which is printed and kept in `run/up.json`.
    case auto

    init?(argument: String) {
        if argument == "auto" {
            self = .auto
        } else if let number = Int(argument), (1...65535).contains(number) {
            self = .fixed(number)
        } else {
            return nil
        }
    }

    /// The value of a service's `--port`: 0 lets the system pick.
    var argument: Int {
        switch self {
        case .fixed(let number): number
        case .auto: 0
        }
    }

    var description: String {
        switch self {
        case .fixed(let number): "\(number)"
        case .auto: "auto"
        }
    }

    /// Checks that the port is free before anything is started.
    /// - Parameter flag: The option in the remedy, `--port`.
    /// - Throws: `portInUse` with the owner's program, or `addressUnusable`.
    func check(host: String, flag: String) throws(CLIError) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(argument)).bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
            throw CLIError(
                .addressUnusable, "'\(host)' is not an IPv4 address",
                hints: ["this machine only: --bind 127.0.0.1", "every network: --bind 0.0.0.0"], status: .usage)
        }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else {
            throw CLIError(.addressUnusable, "cannot make a socket: \(FileAccess.systemReason)")
        }
        defer { close(descriptor) }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // With SO_REUSEADDR two sockets can be bound, but only one can listen.
        guard result == 0, listen(descriptor, 1) == 0 else { throw Self.refusal(errno, argument, host, flag) }
    }

    private static func refusal(_ number: Int32, _ port: Int, _ host: String, _ flag: String) -> CLIError {
        guard number == EADDRINUSE else {
            let hint: Advice =
                switch number {
                case EACCES: "ports below 1024 need root; choose a higher one: \(flag) N"
                case EADDRNOTAVAIL: "name an address of this machine: --bind 127.0.0.1"
                default: "\(flag) auto"
                }
            return CLIError(
                .addressUnusable, "cannot listen on \(host):\(port): \(FileAccess.reason(number))", hints: [hint])
        }
        let owner = PortOwner.find(port: port)
        let who = owner.map { "pid \($0.pid) (\($0.program))" } ?? "a process of another user"
        return CLIError(
            .portInUse, "port \(port) is used by \(who)",
            hints: ["use \(flag) \(port < 65535 ? port + 1 : port - 1) or \(flag) auto"],
            details: [
                "port": .integer(port), "pid": owner.map { .integer($0.pid) } ?? .null,
                "program": owner.map { .string($0.program) } ?? .null,
            ])
    }
}

/// The process that listens on a TCP port, from `/proc`.
struct PortOwner: Hashable, Sendable {
    var pid: Int32
    /// `node`
    var program: String

    /// The part of a table of sockets that is read. The system lists those that listen first, so that thousands of
    /// connections after them hide none.
    private static let tableByteCount = 1024 * 1024

    /// Finds the process. Of a parent and its children with the same socket it is the parent.
    /// - Parameter root: Path of the process file system. Tests have their own.
    /// - Returns: Nil if no process listens, or if the process belongs to another user.
    static func find(port: Int, root: String = "/proc") -> PortOwner? {
        let tables = ["\(root)/net/tcp", "\(root)/net/tcp6"].compactMap {
            try? String(decoding: FileAccess.beginning(of: $0, byteCount: tableByteCount), as: UTF8.self)
        }
        let sockets = Set(tables.flatMap { listeningSockets(port: port, table: $0) }.map { "socket:[\($0)]" })
        guard !sockets.isEmpty, let processes = try? FileManager.default.contentsOfDirectory(atPath: root) else {
            return nil
        }
        let holders = processes.compactMap(Int32.init).sorted().filter { holds(sockets, pid: $0, root: root) }
        // A worker has its parent's socket, and so has any child until it has started its program.
        let owner = holders.first { parent(of: $0, root: root).map(holders.contains) != true }
        return owner.map { PortOwner(pid: $0, program: FileAccess.text("\(root)/\($0)/comm") ?? "?") }
    }

    /// Reads a line such as `812 (node) S 1 …`. A program's name may have spaces and parentheses.
    private static func parent(of pid: Int32, root: String) -> Int32? {
        let fields = FileAccess.text("\(root)/\(pid)/stat")?.split(separator: ")").last?.split(separator: " ")
        return fields?.dropFirst().first.flatMap { Int32($0) }
    }

    /// Finds inodes of the sockets in state 0A (listening) on `port`. A line of the table:
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
