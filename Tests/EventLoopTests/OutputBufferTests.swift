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
