import Glibc
import StorebusTesting
import Testing

@testable import Storebus

@Suite struct PortTests {
    /// A socket of this test that listens on loopback, and its port.
    private final class Listener {
        let descriptor: Int32
        let port: Int

        init() throws {
            // Processes that other tests start meanwhile must not hold it too.
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    try #require(bind(descriptor, generic, length) == 0)
                    try #require(listen(descriptor, 1) == 0)
                    try #require(getsockname(descriptor, generic, &length) == 0)
                }
            }
            port = Int(UInt16(bigEndian: address.sin_port))
        }

        deinit { close(descriptor) }
    }

    @Test func `a port in use is refused with the process that has it and the way out`() throws {
        let listener = try Listener()
        let error = #expect(throws: CLIError.self) {
            try PortChoice.fixed(listener.port).check(host: "127.0.0.1", flag: "--port")
        }
        #expect(error?.code == .portInUse)
        #expect(error?.status == .badConfiguration)
        #expect(error?.message.contains("port \(listener.port) is used by pid \(getpid()) (") == true)
        #expect(
            error?.hints == [
                "use --port \(listener.port < 65535 ? listener.port + 1 : listener.port - 1) or --port auto"
            ])
        withExtendedLifetime(listener) {}
    }

    @Test func `a port that was just given up is free`() throws {
        let port = try Listener().port
        try PortChoice.fixed(port).check(host: "127.0.0.1", flag: "--port")
        try PortChoice.auto.check(host: "127.0.0.1", flag: "--port")
    }

    @Test(arguments: ["localhost", "999.1.1.1", ""]) func `an address must be one`(host: String) {
        let error = #expect(throws: CLIError.self) { try PortChoice.auto.check(host: host, flag: "--port") }
        #expect(error?.code == .addressUnusable)
        #expect(error?.status == .usage)
    }

    @Test func `an address of another machine is refused with the system's reason`() {
        let error = #expect(throws: CLIError.self) { try PortChoice.auto.check(host: "192.0.2.1", flag: "--port") }
        #expect(error?.code == .addressUnusable)
        #expect(error?.status == .badConfiguration)
    }

    @Test func `the owner of a port is read from the process file system`() throws {
        let root = try TemporaryDirectory()
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1D06 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0
               1: 0100007F:1D07 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0
               2: 0100007F:1D08 0100007F:1D06 01 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0
            """
        for directory in ["net", "812/fd", "813/fd"] { try FileAccess.makeDirectory(root.file(directory)) }
        try FileAccess.write(Array(table.utf8), to: root.file("net/tcp"), mode: 0o600)
        try FileAccess.write(Array("node\n".utf8), to: root.file("812/comm"), mode: 0o600)
        #expect(symlink("socket:[4711]", root.file("812/fd/5")) == 0)
        #expect(symlink("socket:[9999]", root.file("813/fd/5")) == 0)
        #expect(PortOwner.find(port: 7430, root: root.path) == PortOwner(pid: 812, program: "node"))
        // A port whose owner this user cannot see, and a port that is only connected from.
        #expect(PortOwner.find(port: 7431, root: root.path) == nil)
        #expect(PortOwner.find(port: 7432, root: root.path) == nil)
    }

    @Test func `the owner of a port is found before any number of connections`() throws {
        let root = try TemporaryDirectory()
        let end = " 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0\n"
        let connection =
            "   7: 0100007F:1D08 0100007F:9C40 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0\n"
        let table = "  sl  local_address …\n   0: 0100007F:1D06" + end + String(repeating: connection, count: 20_000)
        try FileAccess.makeDirectory(root.file("net"))
        try FileAccess.write(Array(table.utf8), to: root.file("net/tcp"), mode: 0o600)
        try Self.process(812, "node", parent: 1, in: root)
        #expect(PortOwner.find(port: 7430, root: root.path) == PortOwner(pid: 812, program: "node"))
    }

    @Test func `of a parent and its children that have a port's socket the parent is named`() throws {
        let root = try TemporaryDirectory()
        let line = "   0: 0100007F:1D06 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0"
        try FileAccess.makeDirectory(root.file("net"))
        try FileAccess.write(Array("  sl  local_address …\n\(line)\n".utf8), to: root.file("net/tcp"), mode: 0o600)
        // Numbers begin anew at their end, so that a child may have a lower one.
        for worker in [210, 930] as [Int32] { try Self.process(worker, "a (worker)", parent: 812, in: root) }
        try Self.process(812, "a server", parent: 1, in: root)
        #expect(PortOwner.find(port: 7430, root: root.path) == PortOwner(pid: 812, program: "a server"))
    }

    /// A process of another process file system that holds the socket 4711.
    private static func process(_ pid: Int32, _ program: String, parent: Int32, in root: TemporaryDirectory) throws {
        try FileAccess.makeDirectory(root.file("\(pid)/fd"))
        try FileAccess.write(Array("\(program)\n".utf8), to: root.file("\(pid)/comm"), mode: 0o600)
        try FileAccess.write(
            Array("\(pid) (\(program)) S \(parent) 1 1 0\n".utf8), to: root.file("\(pid)/stat"), mode: 0o600)
        #expect(symlink("socket:[4711]", root.file("\(pid)/fd/5")) == 0)
    }

    @Test(arguments: [("1", PortChoice.fixed(1)), ("65535", .fixed(65535)), ("auto", .auto)])
    func `a port choice is read`(text: String, choice: PortChoice) {
        #expect(PortChoice(argument: text) == choice)
        #expect(choice.description == text)
    }

    @Test(arguments: ["0", "65536", "-1", "AUTO", "", "7430x"]) func `anything else is not one`(text: String) {
        #expect(PortChoice(argument: text) == nil)
    }
}
