import BusClient
import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The route of the traces that the processes keep.
struct TraceArea: Area {
    let bus: any BusClient

    var routes: [Route] { [Route(TraceRoutes.list) { try await traces($0) }] }

    /// Time for which spans are collected, twice a request. The number of processes is unknown, so it is always used.
    private static let time = Duration.milliseconds(250)
    /// Spans with a text, from which the traces are chosen.
    private static let matchesMax = 1_000

    /// Maximum length of an identifier, in characters.
    static let textLengthMax = 255

    private func traces(_ call: Call) async throws -> TracesResponse {
        let text = try call.query.single("of")
        if let text, !(1...Self.textLengthMax).contains(text.unicodeScalars.count) {
            throw StoreError.invalid("query of", "must have 1 to \(Self.textLengthMax) characters")
        }
        let least = try call.query.integer("slowerThan", in: 0...HTTPLimits.slowMillisecondsMax, default: 0)
        let limit = try call.query.integer("limit", in: 1...HTTPLimits.tracesMax, default: HTTPLimits.tracesMax)
        let discovery = ServiceDiscovery(bus)
        do throws(BusError) {
            let found = try await discovery.spans(
                SpanRequest(
                    text: text, atLeastMicros: Int64(least) * 1_000, rootsOnly: text == nil,
                    limit: text == nil ? limit : Self.matchesMax), timeout: Self.time)
            var traces: [String] = []
            for span in found where traces.count < limit && !traces.contains(span.traceId) {
                traces.append(span.traceId)
            }
            guard !traces.isEmpty else { return TracesResponse(traces: []) }
            let spans = try await discovery.spans(
                SpanRequest(traceIds: traces, limit: SpanRing.usualCapacity), timeout: Self.time)
            let byTrace = Dictionary(grouping: spans, by: \.traceId)
            return TracesResponse(
                traces: traces.map { trace in
                    TracesResponse.Trace(
                        traceId: trace,
                        spans: (byTrace[trace] ?? []).sorted { $0.startedAtMicros < $1.startedAtMicros })
                })
        } catch {
            throw StoreError(error, service: "discovery")
        }
    }
}
