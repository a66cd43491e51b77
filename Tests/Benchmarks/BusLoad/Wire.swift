/// The two protocols that the load is spoken in, as the frames a client sends.
enum Wire: String {
    /// Storebus's own, with JSON headers.
    case sbp
    /// nats-server's, a line of text before each body.
    case nats

    /// Whether the server speaks first, in the clear, also where TLS follows.
    var greetsBeforeTLS: Bool { self == .nats }

    /// Signs in. Asks nats-server to send no `+OK`, as every client does.
    func connect(name: String) -> [UInt8] {
        switch self {
        case .sbp:
            Self.frame(
                #"{"op":"connect","v":"1","name":"\#(name)","lang":"swift","ver":"1","auth":{"method":"none"},"#
                    + #""ping_ms":600000}"#)
        case .nats:
            Array(
                (#"CONNECT {"verbose":false,"pedantic":false,"name":"\#(name)","lang":"swift","version":"1","#
                    + #""protocol":1,"headers":true,"no_responders":true}"# + "\r\n").utf8)
        }
    }

    /// Asks for a sign that everything before was handled.
    var ping: [UInt8] {
        switch self {
        case .sbp: Self.frame(#"{"op":"ping"}"#)
        case .nats: Array("PING\r\n".utf8)
        }
    }

    var pong: [UInt8] {
        switch self {
        case .sbp: Self.frame(#"{"op":"pong"}"#)
        case .nats: Array("PONG\r\n".utf8)
        }
    }

    func subscribe(sid: Int, subject: String, queue: String? = nil) -> [UInt8] {
        switch self {
        case .sbp:
            Self.frame(
                #"{"op":"sub","sid":\#(sid),"subject":"\#(subject)""#
                    + (queue.map { #","queue":"\#($0)""# } ?? "") + "}")
        case .nats: Array("SUB \(subject) \(queue.map { $0 + " " } ?? "")\(sid)\r\n".utf8)
        }
    }

    func publish(subject: String, reply: String? = nil, body: [UInt8]) -> [UInt8] {
        switch self {
        case .sbp:
            Self.frame(
                #"{"op":"pub","subject":"\#(subject)""# + (reply.map { #","reply":"\#($0)""# } ?? "") + "}", body: body)
        case .nats: Array("PUB \(subject) \(reply.map { $0 + " " } ?? "")\(body.count)\r\n".utf8) + body + [13, 10]
        }
    }

    private static func frame(_ header: String, body: [UInt8] = []) -> [UInt8] {
        let lengths = [header.utf8.count, body.count].map { count in
            (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
        }
        return lengths[0] + lengths[1] + Array(header.utf8) + body
    }
}
