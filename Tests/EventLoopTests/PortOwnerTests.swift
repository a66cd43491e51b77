import Foundation
import StorebusTesting
import Testing

@testable import EventLoop

@Suite struct PortOwnerTests {
    /// A process file system of this test's own.
    private let root: TemporaryDirectory

    init() throws { root = try TemporaryDirectory() }

    @Test func `the owner of a port is read from the process file system`() throws {
        try write(
            """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1D06 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0
               1: 0100007F:1D07 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0
               2: 0100007F:1D08 0100007F:1D06 01 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0
            """, to: "net/tcp")
        try process(812, "node", parent: 1)
        try process(813, "other", parent: 1, socket: 9999)
        #expect(PortOwner.find(port: 7430, root: root.path) == PortOwner(pid: 812, program: "node"))
        // A port whose owner this user cannot see, and a port that is only connected from.
        #expect(PortOwner.find(port: 7431, root: root.path) == nil)
        #expect(PortOwner.find(port: 7432, root: root.path) == nil)
    }

    @Test func `the owner of a port is found before any number of connections`() throws {
        let end = " 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0\n"
        let connection =
            "   7: 0100007F:1D08 0100007F:9C40 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0\n"
        let connections = String(repeating: connection, count: 20_000)
        try write("  sl  local_address …\n   0: 0100007F:1D06" + end + connections, to: "net/tcp")
        try process(812, "node", parent: 1)
        #expect(PortOwner.find(port: 7430, root: root.path) == PortOwner(pid: 812, program: "node"))
    }

    @Test func `of a parent and its children that have a port's socket the parent is named`() throws {
        let line = "   0: 0100007F:1D06 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0"
        try write("  sl  local_address …\n\(line)\n", to: "net/tcp")
        // Numbers begin anew at their end, so that a child may have a lower one.
        for worker in [210, 930] { try process(worker, "a (worker)", parent: 812) }
        try process(812, "a server", parent: 1)
        #expect(PortOwner.find(port: 7430, root: root.path) == PortOwner(pid: 812, program: "a server"))
    }

    /// The system gives a page of the table at a time, about 27 sockets.
    @Test func `each of a hundred ports has its owner`() async throws {
        try await withLoop { on in
            let listeners = try (0..<100).map { _ in
                try TCPListener.bind(loop: on.loop, host: "127.0.0.1", port: 0)
            }
            for listener in listeners { #expect(PortOwner.find(port: listener.localAddress.port)?.pid == getpid()) }
            for listener in listeners { listener.close() }
        }
    }

    /// Makes a process that holds a socket.
    private func process(_ pid: Int, _ program: String, parent: Int, socket: Int = 4711) throws {
        try write("\(program)\n", to: "\(pid)/comm")
        try write("\(pid) (\(program)) S \(parent) 1 1 0\n", to: "\(pid)/stat")
        try FileManager.default.createDirectory(atPath: root.file("\(pid)/fd"), withIntermediateDirectories: true)
        try #require(symlink("socket:[\(socket)]", root.file("\(pid)/fd/5")) == 0)
    }

    private func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: root.file(name))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: false, encoding: .utf8)
    }
}
