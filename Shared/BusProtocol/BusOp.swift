/// The operations of SBP/1, both directions.
package enum BusOp: String, CaseIterable, Sendable {
    case hello, connect, ok, sub, unsub, pub, msg, ping, pong, drain, err, bye

    /// Whether a client may send it.
    package var isSentByClients: Bool {
        switch self {
        case .connect, .sub, .unsub, .pub, .ping, .pong, .bye: true
        case .hello, .ok, .msg, .drain, .err: false
        }
    }

    /// The op a header names, the frequent ones first.
    static func named(_ name: Span<UInt8>) -> BusOp? {
        switch name.count {
        case 2: name.isEqual("ok") ? .ok : nil
        case 3:
            if name.isEqual("pub") {
                .pub
            } else if name.isEqual("msg") {
                .msg
            } else if name.isEqual("sub") {
                .sub
            } else if name.isEqual("err") {
                .err
            } else if name.isEqual("bye") {
                .bye
            } else {
                nil
            }
        case 4: name.isEqual("ping") ? .ping : name.isEqual("pong") ? .pong : nil
        case 5:
            if name.isEqual("unsub") {
                .unsub
            } else if name.isEqual("hello") {
                .hello
            } else if name.isEqual("drain") {
                .drain
            } else {
                nil
            }
        case 7: name.isEqual("connect") ? .connect : nil
        default: nil
        }
    }
}
