/// `connect`: a client signs in.
///
/// `{"op":"connect","v":"1","name":"catalog","lang":"swift","ver":"0.1.0","inst":"9f2c…","auth":{"method":"none"}}`
package struct ConnectMessage: Sendable, Equatable {
    /// The client's credentials.
    package enum Authentication: Sendable, Equatable {
        case none
        case token(String)
        /// A method this version does not know.
        case other(method: String)
    }

    /// A name for people, at most 64 bytes.
    package var name: String
    /// The client's language.
    package var lang: String = "swift"
    /// The client's version.
    package var ver: String
    /// Random for each process start, at most 64 bytes. A connection of the same user with the same `inst` replaces the
    /// older one.
    package var inst: String?
    /// One of the methods that `hello` offers.
    package var auth: Authentication = .none
    /// Whether the connection gets its own publishes back.
    package var echo: Bool = true
    /// Whether the broker reports, with status 502, requests whose responder disconnected before its reply.
    package var lost: Bool = false
    /// Silence in milliseconds after which a ping is sent, 1000…600000.
    package var pingMilliseconds: Int?
    /// A number that the broker's `ok` or `err` repeats.
    package var seq: Int?
}

extension ConnectMessage {
    /// Decodes, and ignores unknown members.
    init(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) {
        let version = try header.text(.v, in: bytes)
        guard version == "1" else {
            throw BusViolation(.version, "version '\(version.prefix(16))' is not spoken here, only 1")
        }
        name = try header.text(.name, max: BusLimits.nameBytesMax, in: bytes)
        lang = try header.text(.lang, in: bytes)
        ver = try header.text(.ver, in: bytes)
        inst = try header.optionalText(.inst, max: BusLimits.instanceBytesMax, in: bytes)
        auth = try Self.authentication(header, in: bytes)
        echo = try header.optionalFlag(.echo) ?? true
        lost = try header.optionalFlag(.lost) ?? false
        pingMilliseconds = try header.optionalInteger(
            .pingMilliseconds, in: bytes, range: BusLimits.pingMillisecondsRange)
        seq = try header.optionalInteger(.seq, in: bytes)
    }

    private static func authentication(
        _ header: FrameHeader, in bytes: Span<UInt8>
    ) throws(BusViolation) -> Authentication {
        let value = header[.auth]
        guard value.kind != .absent else { throw FrameHeader.missing(.auth) }
        guard value.kind == .object else { throw FrameHeader.wrong(.auth, "an object") }
        let members = try stringMembers(bytes.extracting(value.range))
        switch members["method"] {
        case "none"?: return .none
        case "token"?:
            guard let token = members["token"] else { throw BusViolation(.badMember, "'auth.token' is missing") }
            return .token(token)
        case let method?: return .other(method: method)
        case nil: throw BusViolation(.badMember, "'auth.method' is missing")
        }
    }

    /// The strings of a small object, without members of other types.
    private static func stringMembers(_ object: Span<UInt8>) throws(BusViolation) -> [String: String] {
        var members: [String: String] = [:]
        var scanner = HeaderScanner()
        try scanner.take(UInt8(ascii: "{"), object, "an object")
        scanner.skipWhitespace(object)
        if scanner.takeIf(UInt8(ascii: "}"), object) { return members }
        repeat {
            let name = try scanner.memberName(object)
            let value = try scanner.value(object, depth: 2)
            if value.kind == .string { members[name.text(in: object)] = value.text(in: object) }
        } while try scanner.hasNext(UInt8(ascii: "}"), object)
        return members
    }

    /// Writes the frame.
    package func encode(into output: inout [UInt8]) {
        let frame = FrameWriter(.connect, into: &output)
        frame.member(.v, "1", into: &output)
        frame.member(.name, name, into: &output)
        frame.member(.lang, lang, into: &output)
        frame.member(.ver, ver, into: &output)
        frame.member(.inst, inst, into: &output)
        frame.name(.auth, into: &output)
        encodeAuthentication(into: &output)
        if !echo { frame.member(.echo, false, into: &output) }
        if lost { frame.member(.lost, true, into: &output) }
        frame.member(.pingMilliseconds, pingMilliseconds, into: &output)
        frame.member(.seq, seq, into: &output)
        frame.finish(into: &output)
    }

    private func encodeAuthentication(into output: inout [UInt8]) {
        output.append(contentsOf: "{\"method\":".utf8)
        switch auth {
        case .none: JSONBytes.append("none", to: &output)
        case .other(let method): JSONBytes.append(method, to: &output)
        case .token(let token):
            JSONBytes.append("token", to: &output)
            output.append(contentsOf: ",\"token\":".utf8)
            JSONBytes.append(token, to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }
}
