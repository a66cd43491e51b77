import Glibc

/// The growth of a server's memory by idle connections and by subscriptions without messages.
struct Memory {
    let wire: Wire
    let port: Int
    let server: ServerProcess

    /// - Returns: `{"count":…,"bytes":…}`, the difference of resident memory.
    func connections(_ count: Int) throws(LoadError) -> String {
        try settle(1)
        let before = server.residentBytes
        var links: [BenchConnection] = []
        for number in 0..<count { links.append(try BenchConnection(wire, port: port, name: "idle\(number)")) }
        for link in links { try link.sync() }
        return "{\"count\":\(links.count),\"bytes\":\(server.residentBytes - before)}"
    }

    /// As many subscriptions on four connections, each on a subject of its own.
    func subscriptions(_ count: Int) throws(LoadError) -> String {
        let links = try settle(4)
        let before = server.residentBytes
        for (index, link) in links.enumerated() {
            let own = Array(stride(from: index, to: count, by: links.count))
            for start in stride(from: 0, to: own.count, by: 1000) {
                let page = own[start..<min(start + 1000, own.count)]
                try link.send(page.flatMap { wire.subscribe(sid: $0 + 1, subject: "sb.evt.queue.v1.customer.\($0)") })
                try link.sync()
            }
        }
        return "{\"count\":\(count),\"bytes\":\(server.residentBytes - before)}"
    }

    /// The first connections have a server touch what it touches only once.
    @discardableResult
    private func settle(_ count: Int) throws(LoadError) -> [BenchConnection] {
        var links: [BenchConnection] = []
        for number in 0..<count {
            let link = try BenchConnection(wire, port: port, name: "settle\(number)")
            try link.send(wire.subscribe(sid: 1_000_000, subject: "sb.evt.settle.v1.\(number)"))
            try link.sync()
            links.append(link)
        }
        return links
    }
}
