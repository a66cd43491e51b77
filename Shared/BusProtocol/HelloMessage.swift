/// `hello`: the broker's version, limits and authentication methods, the first frame on every connection.
///
/// `{"op":"hello","v":"1","id":"Bx…","name":"broker","ver":"0.1.0","cid":3,"auth":["none"],"max_header":8192,`
/// `"max_body":1048576,"max_subs":65536,"ping_ms":20000,"ping_out":2,"time":1795232400000}`
package struct HelloMessage: Sendable, Equatable {
    /// Protocol version, "1".
    package var v: String = "1"
    /// Random for each start of the broker.
    package var id: String
    /// The broker's name, for people.
    package var name: String
    /// Version of the broker.
    package var ver: String
    /// Number of this connection, never used again by this broker.
    package var cid: Int
    /// Methods `connect` may use: `none`, `token`.
    package var auth: [String]
    /// Bytes of the largest header the broker takes.
    package var maxHeader: Int = BusLimits.headerBytesMax
    /// Bytes of the largest body the broker takes.
    package var maxBody: Int = BusLimits.bodyBytesMax
    /// Subscriptions of one connection.
    package var maxSubs: Int = BusLimits.subscriptionsMax
    /// Silence after which the broker pings, in milliseconds, unless `connect` asks for another.
    package var pingMilliseconds: Int = 20_000
    /// Pings without an answer after which the broker closes the connection.
    package var pingOut: Int = BusLimits.pingsOutMax
    /// The broker's clock, milliseconds since 1970.
    package var time: Int
}

extension HelloMessage {
    init(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) {
        v = try header.text(.v, in: bytes)
        id = try header.text(.id, in: bytes)
        name = try header.text(.name, in: bytes)
        ver = try header.text(.ver, in: bytes)
        cid = try header.integer(.cid, in: bytes)
        auth = try Self.methods(header, in: bytes)
        maxHeader = try header.integer(.maxHeader, in: bytes)
        maxBody = try header.integer(.maxBody, in: bytes)
        maxSubs = try header.integer(.maxSubs, in: bytes)
        pingMilliseconds = try header.integer(.pingMilliseconds, in: bytes)
        pingOut = try header.integer(.pingOut, in: bytes)
        time = try header.integer(.time, in: bytes)
    }

    private static func methods(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) -> [String] {
        let value = header[.auth]
        guard value.kind == .array else { throw FrameHeader.wrong(.auth, "an array of strings") }
        let array = bytes.extracting(value.range)
        var scanner = HeaderScanner()
        var methods: [String] = []
        try scanner.take(UInt8(ascii: "["), array, "an array")
        scanner.skipWhitespace(array)
        if scanner.takeIf(UInt8(ascii: "]"), array) { return methods }
        repeat {
            scanner.skipWhitespace(array)
            methods.append(try scanner.string(array).text(in: array))
        } while try scanner.hasNext(UInt8(ascii: "]"), array)
        return methods
    }

    /// Writes the frame.
    package func encode(into output: inout [UInt8]) {
        let frame = FrameWriter(.hello, into: &output)
        frame.member(.v, v, into: &output)
        frame.member(.id, id, into: &output)
        frame.member(.name, name, into: &output)
        frame.member(.ver, ver, into: &output)
        frame.member(.cid, cid, into: &output)
        frame.name(.auth, into: &output)
        var separator = UInt8(ascii: "[")
        for method in auth {
            output.append(separator)
            JSONBytes.append(method, to: &output)
            separator = UInt8(ascii: ",")
        }
        output.append(contentsOf: (auth.isEmpty ? "[]" : "]").utf8)
        frame.member(.maxHeader, maxHeader, into: &output)
        frame.member(.maxBody, maxBody, into: &output)
        frame.member(.maxSubs, maxSubs, into: &output)
        frame.member(.pingMilliseconds, pingMilliseconds, into: &output)
        frame.member(.pingOut, pingOut, into: &output)
        frame.member(.time, time, into: &output)
        frame.finish(into: &output)
    }
}
