import Testing

@testable import EventLoop

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", 80, "127.0.0.1:80"), ("::1", 7420, "[::1]:7420"), ("0.0.0.0", 65535, "0.0.0.0:65535"),
    ])
    func `a numeric address survives the way through the kernel's form`(host: String, port: Int, text: String) throws {
        let address = SocketAddress(storage: try #require(SocketAddress.numeric(host, port)))
        #expect(address == SocketAddress(host: host, port: port))
        #expect(address.description == text)
    }

    @Test(arguments: [("example", 80), ("127.0.0.1", 70_000), ("127.0.0.1", -1), ("", 1)])
    func `names and ports out of range are not numeric`(host: String, port: Int) {
        #expect(SocketAddress.numeric(host, port) == nil)
    }
}
