import Testing

@testable import EventLoop

@Suite struct UVErrorTests {
    @Test func `an error says what was done, why it failed and under which name`() {
        let error = UVError(code: UVError.addressInUse, operation: "listen on 127.0.0.1:7420")
        #expect(error.name == "EADDRINUSE")
        #expect(error.description == "listen on 127.0.0.1:7420: address already in use (EADDRINUSE)")
    }
}
