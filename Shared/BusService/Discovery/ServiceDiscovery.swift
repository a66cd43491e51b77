import BusClient
import BusProtocol
import StoreModels

/// Discovers the service instances on the bus and their health.
///
/// Every instance answers for itself and their number is unknown, so the result is the answers that arrived in time.
package struct ServiceDiscovery: Sendable {
    /// More instances than any installation has.
    private static let answersMax = 1024
    private let bus: any BusClient

    /// Creates a discovery on a started client.
    package init(_ bus: any BusClient) { self.bus = bus }

    /// Lists the instances that answer.
    /// - Parameters:
    ///   - service: Only instances of this service, such as `catalog`.
    ///   - timeout: How long answers are collected.
    /// - Returns: Sorted by name and identifier. Empty when no instance answers.
    /// - Throws: The errors of the bus, but `noResponders` and `timeout`.
    package func ping(
        _ service: String? = nil, timeout: Duration = .milliseconds(300)
    ) async throws(BusError) -> [PingResponse] {
        try await ask(.ping, service, timeout).sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// Lists the instances with their endpoints, as ``ping(_:timeout:)`` does.
    package func info(
        _ service: String? = nil, timeout: Duration = .milliseconds(300)
    ) async throws(BusError) -> [InfoResponse] {
        try await ask(.info, service, timeout).sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// Lists the instances with their counts, as ``ping(_:timeout:)`` does.
    package func stats(
        _ service: String? = nil, timeout: Duration = .milliseconds(300)
    ) async throws(BusError) -> [StatsResponse] {
        try await ask(.stats, service, timeout).sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// Lists the instances with their health, as ``ping(_:timeout:)`` does. A health check may take a second, longer
    /// than the default timeout.
    package func health(
        _ service: String? = nil, timeout: Duration = .milliseconds(300)
    ) async throws(BusError) -> [HealthResponse] {
        try await ask(.health, service, timeout).sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// Collects spans of all instances, the newest first.
    /// - Throws: As ``ping(_:timeout:)``.
    package func spans(
        _ request: SpanRequest, timeout: Duration = .milliseconds(300)
    ) async throws(BusError) -> [TraceSpan] {
        let body = (try? StoreJSON.encode(request)) ?? []
        let replies: [SpansResponse] = try await ask(.trace, nil, timeout, body)
        return replies.flatMap(\.spans).sorted { $0.startedAtMicros > $1.startedAtMicros }
    }

    /// Collects the spans that ended behind a number, by instance. An instance without one begins with its oldest.
    /// - Throws: As ``ping(_:timeout:)``.
    package func spans(
        after numbers: [String: Int64], timeout: Duration = .milliseconds(300)
    ) async throws(BusError) -> [SpansResponse] {
        let request = SpanRequest(limit: SpanRing.usualCapacity, after: numbers)
        return try await ask(.trace, nil, timeout, (try? StoreJSON.encode(request)) ?? [])
    }

    /// Asks one instance to take no more requests, finish those it has, and end.
    ///
    /// Messages may be lost, so it looks and asks again until the deadline. A request that is repeated changes nothing.
    /// - Returns: The instance, or nil when none has the identifier.
    /// - Throws: The errors of the bus, but `noResponders`.
    package func drain(
        _ id: String, until deadline: ContinuousClock.Instant = .now + .seconds(2)
    ) async throws(BusError) -> PingResponse? {
        var instance: PingResponse?
        repeat {
            instance = try await ping().first { $0.id.isExactly(id) }
        } while instance == nil && ContinuousClock.now < deadline
        guard let instance else { return nil }
        let identity = ServiceIdentity(name: instance.name, id: instance.id, version: instance.version)
        while true {
            do throws(BusError) {
                _ = try await bus.request(
                    identity.drainSubject, timeout: min(.milliseconds(500), max(.milliseconds(50), deadline - .now)))
                return instance
            } catch  where error.code == .noResponders {
                // It has gone since.
                return instance
            } catch  where error.code == .timeout && ContinuousClock.now < deadline {
                continue
            }
        }
    }

    private func ask<Reply: Decodable>(
        _ verb: DiscoveryVerb, _ service: String?, _ timeout: Duration, _ body: [UInt8] = []
    ) async throws(BusError) -> [Reply] {
        do throws(BusError) {
            let replies = try await bus.requestMany(
                verb.subject(name: service), body: body, headers: [:], max: Self.answersMax, timeout: timeout)
            // A reply that does not decode comes from a sender that is not a service; it is ignored.
            return replies.compactMap { try? StoreJSON.decode(Reply.self, from: $0.body) }
        } catch  where error.code == .noResponders {
            return []
        }
    }
}
