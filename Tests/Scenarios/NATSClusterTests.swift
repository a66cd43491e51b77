import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: a store runs unchanged on a NATS cluster, and a node that dies while people buy costs no purchase.
/// Method: three nats-servers of the test's own, a whole store with `BUS_URL` pointing at them, and one of them killed
/// with SIGKILL while payments are on the way; the node and the moment are drawn from a printed seed. Afterwards the
/// books, the history and a freshly opened stream are compared, and every service is asked for by the plain protocol of
/// NATS.
@Suite(.process) struct NATSClusterTests {
    /// Three servers that know one another.
    private func cluster() async throws -> [TemporaryNATS] {
        let first = try await TemporaryNATS(cluster: true)
        guard let port = first.clusterPort else { throw StackError("the server has no cluster port") }
        return [first, try await TemporaryNATS(routes: [port]), try await TemporaryNATS(routes: [port])]
    }

    private func withStore(_ body: ([TemporaryNATS], StoreStack) async throws -> Void) async throws {
        let servers = try await cluster()
        defer { for server in servers { server.stop() } }
        let list = servers.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        try await StoreStack.run(environment: ["BUS_URL": "nats://\(list)"]) { store in
            try await body(servers, store)
        }
    }

    @Test func `kill -9 of one node of three during purchases: one charge, one transaction, delivered`() async throws {
        var random = SplitMix64.seeded("nats cluster")
        let victim = Int.random(in: 0..<3, using: &random)
        let delay = Int.random(in: 5...60, using: &random)
        try await withStore { servers, store in
            #expect(store.output.contains("from BUS_URL"))
            #expect(store.output.contains("no broker started"))
            #expect(throws: StackError.self) { try store.pid(of: "broker") }
            try await store.expectPurchasesSurvive("nats", after: delay) { servers[victim].signal(SIGKILL) }
            // The clients of the dead node are on another one now.
            let survivor = servers[(victim + 1) % 3]
            try await eventually("every service has joined again", within: .seconds(30)) {
                let answers = try await PlainNATS.ask("$SRV.PING", port: survivor.port, answers: services.count)
                return Set(answers.compactMap { $0["name"]?.stringValue }) == services
            }
        }
    }

    private let services = Set(ServiceName.allCases.map(\.rawValue))

    /// What `nats service ls`, `info` and `stats` ask.
    @Test func `services are found, described and counted by the plain protocol of NATS`() async throws {
        try await withStore { servers, _ in
            for (verb, members) in [
                ("PING", ["metadata"]), ("INFO", ["metadata", "description", "endpoints"]),
                ("STATS", ["metadata", "started", "endpoints"]),
            ] {
                for server in servers {
                    let answers = try await PlainNATS.ask("$SRV.\(verb)", port: server.port, answers: services.count)
                    #expect(Set(answers.compactMap { $0["name"]?.stringValue }) == services)
                    for answer in answers {
                        #expect(answer["type"]?.stringValue == "io.nats.micro.v1.\(verb.lowercased())_response")
                        for member in ["id", "version"] + members { #expect(answer[member] != nil) }
                    }
                }
            }
        }
    }
}
