import ArgumentParser
import EventLoop
import Glibc
import StoreModels

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
        let who = owner.map(\.description) ?? "a process of another user"
        return CLIError(
            .portInUse, "port \(port) is used by \(who)",
            hints: ["use \(flag) \(port < 65535 ? port + 1 : port - 1) or \(flag) auto"],
            details: [
                "port": .integer(port), "pid": owner.map { .integer($0.pid) } ?? .null,
                "program": owner.map { .string($0.program) } ?? .null,
            ])
    }
}
