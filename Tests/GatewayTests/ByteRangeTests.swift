import Testing

@testable import AppAPI

/// RFC 9110 §14.1.2, by its own examples and at the edges.
@Suite struct ByteRangeTests {
    @Test(arguments: [
        ("bytes=0-499", 0..<500), ("bytes=500-999", 500..<1000), ("bytes=-500", 9500..<10_000),
        ("bytes=9500-", 9500..<10_000), ("bytes=0-0", 0..<1), ("bytes=9999-9999", 9999..<10_000),
        ("bytes=9999-20000", 9999..<10_000), ("bytes=-20000", 0..<10_000), ("Bytes=1-2", 1..<3),
        ("bytes=0-99999999999999999999", 0..<10_000),
    ])
    func `a range is cut at the last byte`(header: String, expected: Range<Int64>) {
        #expect(ByteRange(header, length: 10_000) == .part(expected))
    }

    @Test(arguments: ["bytes=10000-", "bytes=10000-10001", "bytes=-0", "bytes=99999999999999999999-"])
    func `a range behind the last byte does not exist`(header: String) {
        #expect(ByteRange(header, length: 10_000) == .unsatisfiable)
    }

    @Test(arguments: [
        nil, "", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,5-6", "bytes=a-b", "bytes=1--2", "bytes= 1-2",
        "lines=1-2", "bytes=+1-2", "bytes=1-2-3",
    ])
    func `what is no single range of bytes is passed over`(header: String?) {
        #expect(ByteRange(header, length: 10_000) == .whole)
    }

    @Test func `an empty package has no ranges`() {
        #expect(ByteRange("bytes=0-", length: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-1", length: 0) == .unsatisfiable)
        #expect(ByteRange(nil, length: 0) == .whole)
    }
}
