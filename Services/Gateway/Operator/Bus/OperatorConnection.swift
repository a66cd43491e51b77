import BusClient
import BusService
import EventLoop
import GatewayEdge
import ServiceLifecycle
import StoreModels

/// Connects to the bus as its operator, with the first request that needs it.
///
/// The connection is apart from the gateway's own, on a loop of its own. So customers' requests do not wait behind a
/// tap, and the gateway's user of the bus needs none of the operator's permissions.
package final class OperatorConnection: ServiceLifecycle.Service {
    private let capabilities: Set<BusCapability>
    private let connect: @Sendable () -> any BusClient
    /// The loop of the connection, closed with it. Nil for one that others use.
    private let loop: UVLoop?
    private let state = Locked((client: (any BusClient)?.none, isStopped: false))

    /// The time to connect. A broker that is there takes milliseconds.
    private static let connectTimeout = Duration.seconds(2)
    /// The time for one response, before the request is sent again. Rules of others can hit it.
    private static let attemptTimeout = Duration.seconds(1)

    /// Makes a connection that nothing has opened yet.
    /// - Parameters:
    ///   - capabilities: Those of the bus.
    ///   - loop: The loop of the connection, to be closed with it. Nil for one that others use.
    ///   - connect: Creates a client that has begun to connect.
    package init(
        _ capabilities: Set<BusCapability>, loop: UVLoop? = nil, connect: @escaping @Sendable () -> any BusClient
    ) {
        self.capabilities = capabilities
        self.loop = loop
        self.connect = connect
    }

    /// Waits for the shutdown, then closes the connection if there is one.
    package func run() async throws {
        try? await gracefulShutdown()
        let client = state.withLock { state in
            state.isStopped = true
            return state.client
        }
        await client?.close()
        await loop?.close()
    }

    /// Whether there is a connection now.
    var isConnected: Bool { state.withLock { $0.client }?.state == .connected }

    /// Returns the connected client.
    /// - Throws: `serviceUnavailable` without a broker, `forbidden`, or `notImplemented` on a bus of NATS.
    func connected() async throws(StoreError) -> any BusClient {
        guard capabilities.contains(.systemSubjects) else { throw Self.notOurs }
        let client = try state.withLock { state throws(StoreError) in
            if state.isStopped { throw .stopping }
            if let current = state.client, current.state != .closed { return current }
            let new = connect()
            state.client = new
            return new
        }
        do throws(BusError) {
            try await client.waitUntilConnected(timeout: Self.connectTimeout)
        } catch {
            throw error.code == .timeout
                ? StoreError(.serviceUnavailable, "the bus is away", retryAfterMs: 1000) : Self.storeError(error)
        }
        return client
    }

    /// Sends a request to the broker, again until there is a response. It must change nothing when it is repeated.
    /// - Throws: As ``connected()``, `deadlineExceeded`, or `requestInvalid` with the broker's reason.
    func request(
        _ subject: String, body: [UInt8] = [], until deadline: ContinuousClock.Instant
    ) async throws(StoreError) -> [UInt8] {
        let client = try await connected()
        while true {
            let refusal: String
            do throws(BusError) {
                let reply = try await client.request(
                    subject, body: body, timeout: min(Self.attemptTimeout, deadline - .now))
                guard let reason = BrokerSubject.refusal(in: reply) else { return reply.body }
                refusal = reason
            } catch {
                guard error.code == .timeout, ContinuousClock.now < deadline else { throw Self.storeError(error) }
                continue
            }
            throw .invalid("the request", "is refused by the broker: \(refusal)", status: 422)
        }
    }

    /// Translates an error of the bus for the operator.
    static func storeError(_ error: BusError) -> StoreError {
        switch error.code {
        case .permissionDenied, .authenticationFailed:
            StoreError(
                .forbidden,
                "the bus does not let the gateway act for its operator (\(error.message)); name the file of the "
                    + "operator's token: BUS_OPERATOR_CREDENTIALS_FILE")
        case .invalidSubject: .invalid("query subject", error.message)
        default: StoreError(error, service: "the broker")
        }
    }

    private static let notOurs = StoreError(
        .notImplemented,
        "the bus is a NATS server, which has no pages, taps and faults of Storebus's broker; ask it for its own: "
            + "nats server report connections")
}
