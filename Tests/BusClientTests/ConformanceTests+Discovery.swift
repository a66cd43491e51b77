import BusClient
import BusService
import ServiceLifecycle
import StoreModels
import Testing

extension ConformanceTests {
    /// ADR-32 of NATS: what its tools read.
    @Test(arguments: BusTransport.allCases)
    func `C32 a service answers $SRV with what NATS's tools expect`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C32 $SRV schema") { bus in
            let own = try await bus.client("payment-queue")
            let service = BusService(name: .paymentQueue, version: "1.2.3", bus: own, logger: silent)
            service.handle(PaymentEndpoints.heads) { _, _ in HeadsReply(heads: []) }
            let group = ServiceGroup(services: [service], logger: silent)
            let running = Task { try await group.run() }
            await service.ready()
            let caller = try await bus.client("caller")
            for (verb, members) in [
                ("PING", []), ("INFO", ["description", "endpoints"]), ("STATS", ["started", "endpoints"]),
            ] {
                for subject in ["$SRV.\(verb)", "$SRV.\(verb).payment-queue"] {
                    let reply = try await caller.request(subject)
                    let json = try StrictJSON.parse(reply.body)
                    #expect(json["type"]?.stringValue == "io.nats.micro.v1.\(verb.lowercased())_response")
                    #expect(json["name"]?.stringValue == "payment-queue")
                    #expect(json["version"]?.stringValue == "1.2.3")
                    #expect(json["id"]?.stringValue?.isEmpty == false)
                    for member in ["metadata"] + members { #expect(json[member] != nil, "\(subject) \(member)") }
                }
            }
            await group.triggerGracefulShutdown()
            try await running.value
        }
    }
}
