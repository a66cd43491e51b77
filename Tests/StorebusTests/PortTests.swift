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

    @Test(arguments: [("1", PortChoice.fixed(1)), ("65535", .fixed(65535)), ("auto", .auto)])
    func `a port choice is read`(text: String, choice: PortChoice) {
        #expect(PortChoice(argument: text) == choice)
        #expect(choice.description == text)
    }

    @Test(arguments: ["0", "65536", "-1", "AUTO", "", "7430x"]) func `anything else is not one`(text: String) {
        #expect(PortChoice(argument: text) == nil)
    }
}
