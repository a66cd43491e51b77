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

    /// The member a header names; by length first, because that leaves few candidates.
    static func named(_ name: Span<UInt8>) -> HeaderMember? {
        switch name.count {
        case 1: name.isEqual("t") ? .t : name.isEqual("v") ? .v : nil
        case 2: name.isEqual("op") ? .op : name.isEqual("re") ? .re : name.isEqual("id") ? .id : nil
        case 3: ofThree(name)
        case 4: ofFour(name)
        case 5: ofFive(name)
        case 6: name.isEqual("status") ? .status : nil
        case 7:
            if name.isEqual("subject") {
                .subject
            } else if name.isEqual("headers") {
                .headers
            } else if name.isEqual("ping_ms") {
                .pingMilliseconds
            } else if name.isEqual("message") {
                .message
            } else {
                nil
            }
        case 8:
            if name.isEqual("overflow") {
                .overflow
            } else if name.isEqual("max_body") {
                .maxBody
            } else if name.isEqual("max_subs") {
                .maxSubs
            } else if name.isEqual("ping_out") {
                .pingOut
            } else {
                nil
            }
        case 9: name.isEqual("delivered") ? .delivered : nil
        case 10: name.isEqual("max_header") ? .maxHeader : nil
        default: nil
        }
    }

    private static func ofThree(_ name: Span<UInt8>) -> HeaderMember? {
        if name.isEqual("sid") {
            .sid
        } else if name.isEqual("seq") {
            .seq
        } else if name.isEqual("key") {
            .key
        } else if name.isEqual("max") {
            .max
        } else if name.isEqual("ver") {
            .ver
        } else if name.isEqual("cid") {
            .cid
        } else if name.isEqual("num") {
            .num
        } else if name.isEqual("why") {
            .why
        } else {
            nil
        }
    }

    private static func ofFour(_ name: Span<UInt8>) -> HeaderMember? {
        if name.isEqual("name") {
            .name
        } else if name.isEqual("auth") {
            .auth
        } else if name.isEqual("time") {
            .time
        } else if name.isEqual("lang") {
            .lang
        } else if name.isEqual("inst") {
            .inst
        } else if name.isEqual("echo") {
            .echo
        } else if name.isEqual("lost") {
            .lost
        } else if name.isEqual("user") {
            .user
        } else if name.isEqual("code") {
            .code
        } else {
            nil
        }
    }

    private static func ofFive(_ name: Span<UInt8>) -> HeaderMember? {
        if name.isEqual("reply") {
            .reply
        } else if name.isEqual("queue") {
            .queue
        } else if name.isEqual("inbox") {
            .inbox
        } else if name.isEqual("fatal") {
            .fatal
        } else if name.isEqual("in_ms") {
            .inMilliseconds
        } else {
            nil
        }
    }
}
