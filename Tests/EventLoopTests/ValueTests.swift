import Testing

@testable import EventLoop

@Suite struct OutputBufferTests {
    @Test func `what is appended comes out in order, across growth`() {
        var buffer = OutputBuffer()
        var expected: [UInt8] = []
        for length in [0, 1, 4095, 4096, 70_000, 3] {
            let chunk = (0..<length).map { UInt8(truncatingIfNeeded: $0 &+ length) }
            chunk.withUnsafeBytes { buffer.append($0) }
            expected += chunk
        }
        #expect(Array(buffer.bytes) == expected)
        buffer.clear()
        let isEmpty = buffer.isEmpty
        #expect(isEmpty)
        [UInt8(9)].withUnsafeBytes { buffer.append($0) }
        #expect(Array(buffer.bytes) == [9])
    }
}

@Suite struct SocketAddressTests {
    @Test(arguments: [("127.0.0.1", 80, "127.0.0.1:80"), ("::1", 7420, "[::1]:7420"), ("0.0.0.0", 65535, "0.0.0.0:65535")])
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

@Suite struct UVErrorTests {
    @Test func `an error says what was done, why it failed and under which name`() {
        let error = UVError(code: UVError.addressInUse, operation: "listen on 127.0.0.1:7420")
        #expect(error.name == "EADDRINUSE")
        #expect(error.description == "listen on 127.0.0.1:7420: address already in use (EADDRINUSE)")
    }
}
