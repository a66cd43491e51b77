/// The members that SBP/1 headers know, of all operations.
package enum HeaderMember: UInt8, CaseIterable, Sendable {
    case op, seq, sid, subject, reply, queue, key, headers, status, max, overflow, t
    case v, id, name, ver, cid, auth, maxHeader, maxBody, maxSubs, pingMilliseconds, pingOut, time
    case lang, inst, echo, lost, re, delivered, user, inbox, inMilliseconds, why, code, num, message, fatal

    /// The name on the wire.
    package var wireName: String { Self.wireNames[Int(rawValue)] }

    private static let wireNames = allCases.map(\.spelledName)

    private var spelledName: String {
        switch self {
        case .maxHeader: "max_header"
        case .maxBody: "max_body"
        case .maxSubs: "max_subs"
        case .pingMilliseconds: "ping_ms"
        case .pingOut: "ping_out"
        case .inMilliseconds: "in_ms"
        default: "\(self)"
        }
    }

    /// The member a header names, found by length first because that leaves few candidates.
    static func named(_ name: Span<UInt8>) -> HeaderMember? {
        switch name.count {
        case 1: return name.isEqual("t") ? .t : name.isEqual("v") ? .v : nil
        case 2: return name.isEqual("op") ? .op : name.isEqual("re") ? .re : name.isEqual("id") ? .id : nil
        case 3: return ofThree(name)
        case 4: return ofFour(name)
        case 5: return ofFive(name)
        case 6: return name.isEqual("status") ? .status : nil
        case 7:
            if name.isEqual("subject") { return .subject }
            if name.isEqual("headers") { return .headers }
            if name.isEqual("ping_ms") { return .pingMilliseconds }
            if name.isEqual("message") { return .message }
            return nil
        case 8:
            if name.isEqual("overflow") { return .overflow }
            if name.isEqual("max_body") { return .maxBody }
            if name.isEqual("max_subs") { return .maxSubs }
            if name.isEqual("ping_out") { return .pingOut }
            return nil
        case 9: return name.isEqual("delivered") ? .delivered : nil
        case 10: return name.isEqual("max_header") ? .maxHeader : nil
        default: return nil
        }
    }

    private static func ofThree(_ name: Span<UInt8>) -> HeaderMember? {
        if name.isEqual("sid") { return .sid }
        if name.isEqual("seq") { return .seq }
        if name.isEqual("key") { return .key }
        if name.isEqual("max") { return .max }
        if name.isEqual("ver") { return .ver }
        if name.isEqual("cid") { return .cid }
        if name.isEqual("num") { return .num }
        if name.isEqual("why") { return .why }
        return nil
    }

    private static func ofFour(_ name: Span<UInt8>) -> HeaderMember? {
        if name.isEqual("name") { return .name }
        if name.isEqual("auth") { return .auth }
        if name.isEqual("time") { return .time }
        if name.isEqual("lang") { return .lang }
        if name.isEqual("inst") { return .inst }
        if name.isEqual("echo") { return .echo }
        if name.isEqual("lost") { return .lost }
        if name.isEqual("user") { return .user }
        if name.isEqual("code") { return .code }
        return nil
    }

    private static func ofFive(_ name: Span<UInt8>) -> HeaderMember? {
        if name.isEqual("reply") { return .reply }
        if name.isEqual("queue") { return .queue }
        if name.isEqual("inbox") { return .inbox }
        if name.isEqual("fatal") { return .fatal }
        if name.isEqual("in_ms") { return .inMilliseconds }
        return nil
    }
}
