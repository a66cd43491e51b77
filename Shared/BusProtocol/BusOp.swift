/// The operations of SBP/1, both directions.
package enum BusOp: String, CaseIterable, Sendable {
    case hello, connect, ok, sub, unsub, pub, msg, ping, pong, drain, err, bye

    /// The op a header names, the frequent ones first.
    static func named(_ name: Span<UInt8>) -> BusOp? {
        switch name.count {
        case 2: return name.isEqual("ok") ? .ok : nil
        case 3:
            if name.isEqual("pub") { return .pub }
            if name.isEqual("msg") { return .msg }
            if name.isEqual("sub") { return .sub }
            if name.isEqual("err") { return .err }
            if name.isEqual("bye") { return .bye }
            return nil
        case 4: return name.isEqual("ping") ? .ping : name.isEqual("pong") ? .pong : nil
        case 5:
            if name.isEqual("unsub") { return .unsub }
            if name.isEqual("hello") { return .hello }
            if name.isEqual("drain") { return .drain }
            return nil
        case 7: return name.isEqual("connect") ? .connect : nil
        default: return nil
        }
    }
}
