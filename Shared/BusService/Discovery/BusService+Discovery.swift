import BusClient
import Logging
import StoreModels

extension BusService {
    /// Answers `$SRV.{PING,INFO,STATS,HEALTH,TRACE}[.name[.id]]` outside of any queue group, so that every instance does.
    func subscribeDiscovery() async throws(BusError) -> [any BusSubscription] {
        var subscriptions: [any BusSubscription] = []
        for verb in DiscoveryVerb.allCases {
            for subject in verb.subjects(identity) {
                subscriptions.append(try await bus.subscribe(subject) { self.answer(verb, $0) })
            }
        }
        subscriptions.append(
            try await bus.subscribe(identity.drainSubject) { message in
                self.send(PingResponse(self.identity, metadata: self.storeMetadata), to: message)
                self.logger.info("asked to drain")
                self.drainRequest.set()
            })
        return subscriptions
    }

    private func answer(_ verb: DiscoveryVerb, _ message: BusMessage) {
        switch verb {
        case .ping: send(PingResponse(identity, metadata: storeMetadata), to: message)
        case .info: send(info, to: message)
        case .stats: send(stats, to: message)
        case .trace: send(keptSpans(message), to: message)
        case .health:
            // The callback is not async; the checks are bounded to a second each, so the task ends by itself.
            Task(executorPreference: bus.loop) { self.send(await self.healthResponse(), to: message) }
        }
    }

    /// The spans that a request asks for. One that cannot be read gets none.
    private func keptSpans(_ message: BusMessage) -> SpansResponse {
        let request = try? StoreJSON.decode(SpanRequest.self, from: message.body)
        if let after = request?.after {
            let number = after[identity.id] ?? 0
            let all = spans.ring.spans(after: number, max: request?.limit ?? 0)
            let fitting = (try? ReplyBudget.fitting(all.spans)) ?? []
            return SpansResponse(
                identity, spans: fitting, last: all.last - Int64(all.spans.count - fitting.count), missed: all.missed)
        }
        let found = request.map { spans.ring.spans($0) } ?? []
        return SpansResponse(identity, spans: (try? ReplyBudget.fitting(found)) ?? [])
    }

    private var info: InfoResponse {
        let endpoints = sealedEndpoints().map {
            InfoResponse.EndpointInfo(name: $0.name, subject: $0.subject, queueGroup: BusServiceLimits.queueGroup)
        }
        return InfoResponse(identity, metadata: storeMetadata, description: description, endpoints: endpoints)
    }

    private var stats: StatsResponse {
        let endpoints = sealedEndpoints().map { endpoint in
            let stats = endpoint.stats
            return StatsResponse.EndpointStats(
                name: endpoint.name, subject: endpoint.subject, queueGroup: BusServiceLimits.queueGroup,
                requests: stats.requests, errors: stats.errors, lastError: stats.lastError,
                processingTime: stats.processingNanoseconds, averageProcessingTime: stats.averageNanoseconds)
        }
        return StatsResponse(
            identity, metadata: storeMetadata, started: started, inFlight: inFlight.count, endpoints: endpoints)
    }

    private func send(_ response: some Encodable, to message: BusMessage) {
        do {
            try bus.respond(to: message, body: try StoreJSON.encode(response))
        } catch {
            logger.debug("a discovery answer could not be sent", metadata: ["error": "\(error)"])
        }
    }
}

/// The operator's request that an instance ends gracefully. Only the first has an effect.
struct DrainRequest: Sendable {
    private let signal: AsyncStream<Void>
    private let source: AsyncStream<Void>.Continuation

    init() { (signal, source) = AsyncStream.makeStream(of: Void.self) }

    func set() { source.finish() }

    /// Returns when the request has come, or the task is cancelled.
    func wait() async { for await _ in signal {} }
}

extension ServiceIdentity {
    /// The subject on which the instance is asked to end gracefully. Its answer is that of a ping.
    var drainSubject: String { "$SRV.DRAIN.\(name).\(id)" }
}

/// A discovery request, answered by every service (NATS ADR-32, and Storebus's HEALTH and TRACE).
enum DiscoveryVerb: String, CaseIterable, Sendable {
    case ping = "PING"
    case info = "INFO"
    case stats = "STATS"
    case health = "HEALTH"
    case trace = "TRACE"

    /// The subjects an instance answers on: the common one, its service's, its own.
    func subjects(_ identity: ServiceIdentity) -> [String] {
        [
            subject(), subject(name: identity.name), "\(subject(name: identity.name)).\(identity.id)",
        ]
    }

    /// The subject that addresses all services, or all instances of one.
    func subject(name: String? = nil) -> String {
        name.map { "$SRV.\(rawValue).\($0)" } ?? "$SRV.\(rawValue)"
    }
}
