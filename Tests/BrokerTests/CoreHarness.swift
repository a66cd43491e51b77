import BusProtocol

@testable import Broker

/// A broker without a network: clients hand it text, and get decoded messages back. Time advances only when a test
/// moves it.
final class CoreHarness {
    let core: BrokerCore
    var now: Duration = .seconds(1000)
    /// Bytes that a client's socket holds back; without an entry the network takes everything.
    var heldBack: [Int: Int] = [:]
    private var decoders: [Int: FrameDecoder] = [:]
    private var inbox: [Int: [Received]] = [:]
    private(set) var endings: [Int: Ending] = [:]
    private(set) var events: [BrokerEvent] = []

    /// One message as a client sees it.
    struct Received: Equatable {
        var message: ServerMessage
        var body: [UInt8]
    }

    init(limits: BrokerLimits = BrokerLimits(), authenticator: ClientAuthenticator = .open, seed: UInt64 = 1) {
        core = BrokerCore(
            limits: limits, identity: BrokerIdentity(version: "test"), authenticator: authenticator, seed: seed,
            time: { 1_795_232_400_000 })
    }

    /// Accepts a connection and swallows nothing: `hello` is the first message.
    func accept() -> TestClient {
        let cid = core.accepted(peer: "127.0.0.1:5000", now: now)
        decoders[cid] = FrameDecoder(limits: .fromBroker)
        return TestClient(cid: cid, harness: self)
    }

    /// Accepts and signs in; the `hello` and the `ok` are taken.
    func client(
        _ name: String = "test", instance: String? = nil, echo: Bool = true, lost: Bool = false,
        auth: ConnectMessage.Authentication = .none,
        pingMilliseconds: Int? = nil
    ) -> TestClient {
        var client = accept()
        _ = client.take()
        client.send { output in
            ConnectMessage(
                name: name, ver: "1", inst: instance, auth: auth, echo: echo, lost: lost,
                pingMilliseconds: pingMilliseconds
            ).encode(into: &output)
        }
        for case .ok(let ok) in client.messages() { client.inbox = ok.inbox ?? "" }
        return client
    }

    func receive(_ bytes: [UInt8], on cid: Int) {
        core.received(bytes.span, on: cid, now: now)
        flush()
    }

    func advance(_ duration: Duration) {
        now += duration
        _ = core.tick(now: now)
        flush()
    }

    /// The peer of a connection is gone.
    func disconnect(_ cid: Int) {
        core.disconnected(cid)
        flush()
    }

    func flush() {
        core.flush { cid, bytes, ending in
            if let ending { endings[cid] = ending }
            guard ending != .now else { return 0 }
            if let held = heldBack[cid] {
                heldBack[cid] = held + bytes.count
                return held + bytes.count
            }
            collect(bytes, cid)
            return 0
        }
        events += core.takeEvents()
    }

    func take(_ cid: Int) -> [Received] {
        flush()
        defer { inbox[cid] = [] }
        return inbox[cid] ?? []
    }

    /// Bytes that are no frames, such as an HTTP answer.
    private(set) var raw: [Int: [UInt8]] = [:]

    private func collect(_ bytes: [UInt8], _ cid: Int) {
        raw[cid, default: []] += bytes
        guard var decoder = decoders[cid] else { return }
        do throws(BusViolation) {
            try decoder.decode(bytes.span) { header, body in
                if let message = try? ServerMessage(header) {
                    inbox[cid, default: []].append(
                        Received(message: message, body: body.withUnsafeBufferPointer(Array.init)))
                }
                return .proceed
            }
            decoders[cid] = decoder
        } catch {
            decoders[cid] = nil
        }
    }
}

/// One client of a `CoreHarness`.
struct TestClient {
    let cid: Int
    let harness: CoreHarness
    var inbox = ""

    /// Sends one frame given as header text.
    func send(_ header: String, body: [UInt8] = []) {
        let length = { (value: Int, bytes: Int) in
            (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        harness.receive([0] + length(header.utf8.count, 3) + length(body.count, 4) + Array(header.utf8) + body, on: cid)
    }

    /// Sends what an encoder writes.
    func send(_ encode: (inout [UInt8]) -> Void) {
        var bytes: [UInt8] = []
        encode(&bytes)
        harness.receive(bytes, on: cid)
    }

    /// Subscribes without acknowledgement.
    func sub(_ sid: Int, _ pattern: String, queue: String? = nil, more: String = "") {
        send(
            "{\"op\":\"sub\",\"sid\":\(sid),\"subject\":\"\(pattern)\""
                + "\(queue.map { ",\"queue\":\"\($0)\"" } ?? "")\(more)}"
        )
    }

    /// Publishes without acknowledgement.
    func pub(_ subject: String, reply: String? = nil, more: String = "", body: [UInt8] = []) {
        send(
            "{\"op\":\"pub\",\"subject\":\"\(subject)\"\(reply.map { ",\"reply\":\"\($0)\"" } ?? "")\(more)}",
            body: body)
    }

    /// What arrived since the last call.
    func take() -> [CoreHarness.Received] { harness.take(cid) }
    /// The same without bodies.
    func messages() -> [ServerMessage] { take().map(\.message) }

    /// The same as short text, for comparing whole sequences: `msg 1 a.b`, `ok pub 4 delivered=1`, `err dup_sid 3`.
    func log() -> [String] { messages().map(\.short) }

    var isEnded: Bool { harness.endings[cid] != nil }
}

extension ServerMessage {
    /// One line, for comparing whole sequences.
    var short: String {
        switch self {
        case .hello: "hello"
        case .ok(let ok):
            "ok \(ok.re)" + (ok.seq.map { " \($0)" } ?? "") + (ok.delivered.map { " delivered=\($0)" } ?? "")
        case .msg(let msg): "msg \(msg.sid) \(msg.subject)" + (msg.status.map { " \($0)" } ?? "")
        case .ping: "ping"
        case .pong(let t): "pong" + (t.map { " " + String(decoding: $0, as: UTF8.self) } ?? "")
        case .drain: "drain"
        case .err(let err): "err \(err.code)" + (err.fatal ? "!" : "") + (err.seq.map { " \($0)" } ?? "")
        case .bye: "bye"
        case .unknown: "unknown"
        }
    }
}
