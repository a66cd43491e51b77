/// Requests and their answers: one connection asks, another answers as the only member of a queue group on 64 subjects.
final class Requests {
    private let wire: Wire
    private let asker: BenchConnection
    private let answerer: BenchConnection
    private let server: ServerProcess
    /// One request for each caller and subject, its first byte the caller.
    private var requests: [[[UInt8]]] = []
    private var askedAt: [Double]
    private var turn = 0
    private var latencies: [Double] = []

    init(_ wire: Wire, port: Int, server: ServerProcess, bodyBytes: Int, callers: Int) throws(LoadError) {
        self.wire = wire
        self.server = server
        answerer = try BenchConnection(wire, port: port, name: "answerer")
        for (sid, subject) in BusLoad.subjects.enumerated() {
            try answerer.send(wire.subscribe(sid: sid + 1, subject: subject, queue: "q"))
        }
        try answerer.sync()
        asker = try BenchConnection(wire, port: port, name: "asker")
        try asker.send(wire.subscribe(sid: 1, subject: asker.inbox + ".*"))
        try asker.sync()
        askedAt = Array(repeating: 0, count: callers)
        for caller in 0..<callers {
            let body = [UInt8(caller)] + [UInt8](repeating: UInt8(ascii: "x"), count: bodyBytes - 1)
            requests.append(
                BusLoad.subjects.map { wire.publish(subject: $0, reply: "\(asker.inbox).\(caller)", body: body) })
        }
    }

    /// - Returns: `{"count":…,"seconds":…,"cpu":…,"load":…,"p50us":…,"p99us":…}`
    func run(seconds: Double) throws(LoadError) -> String {
        try ask(seconds: 0.5)
        latencies.removeAll(keepingCapacity: true)
        let before = (clockSeconds(), server.cpuSeconds, ownCPUSeconds())
        try ask(seconds: seconds)
        let after = (clockSeconds(), server.cpuSeconds, ownCPUSeconds())
        latencies.sort()
        func microseconds(_ share: Double) -> Double { latencies[Int(share * Double(latencies.count - 1))] * 1e6 }
        return "{\"count\":\(latencies.count),\"seconds\":\(after.0 - before.0),\"cpu\":\(after.1 - before.1),"
            + "\"load\":\(after.2 - before.2),\"p50us\":\(microseconds(0.5)),\"p99us\":\(microseconds(0.99))}"
    }

    /// Keeps every caller asking for a while, and waits for the last answers.
    private func ask(seconds: Double) throws(LoadError) {
        let end = clockSeconds() + seconds
        var open = requests.count
        var output: [UInt8] = []
        for caller in requests.indices { request(caller, clockSeconds(), &output) }
        try asker.send(output)
        while open > 0 {
            for link in try wait(for: [asker, answerer]) {
                output.removeAll(keepingCapacity: true)
                if link === answerer {
                    try answerer.receive { head, body in answer(head, body, &output) }
                } else {
                    let now = clockSeconds()
                    try asker.receive { _, body in
                        latencies.append(now - askedAt[Int(body[0])])
                        if now < end { request(Int(body[0]), now, &output) } else { open -= 1 }
                    }
                }
                try link.send(output)
            }
        }
    }

    private func request(_ caller: Int, _ now: Double, _ output: inout [UInt8]) {
        askedAt[caller] = now
        turn = (turn + 1) % BusLoad.subjects.count
        output += requests[caller][turn]
    }

    /// Sends the body back to where the head says.
    private func answer(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ output: inout [UInt8]) {
        let inbox = Array("_INBOX.".utf8)
        guard let from = head.indices.first(where: { head[$0...].starts(with: inbox) }) else { return }
        let reply = head[from...].prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: " ") }
        output += wire.publish(subject: String(decoding: reply, as: UTF8.self), body: Array(body))
    }
}
