import BusClient
import BusProtocol
import BusService
import CurlLoop
import EventLoop
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Persistence
import ServiceLifecycle
import ServiceTesting
import Signing
import StoreModels
import StorebusTesting

@testable import AppAPI
@testable import Gateway
@testable import GatewayEdge
@testable import OperatorAPI

/// A gateway on a free port, with fake services on an in-memory bus.
final class GatewayHarness: Sendable {
    let bus: InMemoryBus
    private let loop: UVLoop?
    let gatewayClient: InMemoryClient
    let gateway: Gateway
    let directory: TemporaryDirectory
    let catalog: FakeCatalog
    let payments: FakePaymentQueue
    let eligibility: FakeService
    let promotions: FakePromotionController
    let appStore: FakeAppStoreServer
    /// AppStoreServer's own answers. Its notifications are ``appStore``'s.
    let apple: StoredAppleServer
    private let database: any SQLDatabase
    /// The gateway's own endpoints on the bus.
    private let service: BusService
    let eligibilityRequests = ElementRecorder<EligibilityRequest>()
    /// Every subject that the gateway published, requested or subscribed to.
    let subjects = ElementRecorder<String>()
    private let port = Locked(0)

    private init(
        loop: UVLoop?, logs: LogCapture?, catalogTimeout: Duration, environment: ReceiptEnvironment,
        consoleFiles: ConsoleFiles, operatorBus: OperatorConnection?, imports: ImportsAtStart?
    ) async throws {
        self.loop = loop
        directory = try TemporaryDirectory()
        bus = InMemoryBus(loop: loop)
        gatewayClient = bus.client(name: "gateway")
        catalog = FakeCatalog(FakeService(.catalog, on: bus))
        payments = FakePaymentQueue(FakeService(.paymentQueue, on: bus))
        eligibility = FakeService(.eligibility, on: bus)
        promotions = FakePromotionController(FakeService(.promotionController, on: bus))
        appStore = FakeAppStoreServer(FakeService(.appStoreServer, on: bus))
        let box = ClockBox()
        apple = try StoredAppleServer(
            in: directory.path, notifications: appStore, environment: environment, now: { box.now },
            logger: InMemoryGateway.logger)
        apple.serve(on: appStore.service)
        let tokens = SessionTokens(key: Array(repeating: 7, count: 32), now: { box.now })
        var logger = Logger(label: "gateway") { _ in logs?.handler() ?? SwiftLogNoOpLogHandler() }
        logger.logLevel = .trace
        database = try GatewaySchema.open(in: directory.path, logger: logger)
        let ring = SpanRing()
        gateway = Gateway(
            bus: NotingBus(client: gatewayClient, subjects: subjects), tokens: tokens,
            adminKey: AdminKey(Sample.adminKey),
            database: database,
            environment: environment, consoleFiles: consoleFiles, operatorBus: operatorBus,
            imports: imports, spans: SpanKeeper(service: "gateway", instance: "test", ring: ring),
            catalogTimeout: catalogTimeout, now: { box.now },
            exposition: { "storebus_on_loop \(loop?.isCurrent == true ? 1 : 0)\n" },
            logger: logger)
        service = BusService(name: .gateway, version: "test", bus: gatewayClient, logger: logger, spans: ring)
        clockBox = box
        let answer: @Sendable (EligibilityRequest) -> EligibilityReply = { [eligibilityRequests] request in
            eligibilityRequests.append(request)
            let wanted = request.productIdentifiers ?? Sample.products.map(\.productIdentifier)
            return EligibilityReply(
                eligibility: wanted.contains(Sample.pro.productIdentifier)
                    ? [
                        ProductEligibility(
                            productIdentifier: Sample.pro.productIdentifier, subscriptionGroupIdentifier: "g1",
                            eligibility: .eligible, rule: .newSubscriber)
                    ] : [], degraded: [])
        }
        eligibility.handle(EligibilityEndpoints.check, answer)
        eligibility.handle(EligibilityEndpoints.checkMany) { batch in
            EligibilityBatchReply(
                replies: batch.customers.map { customer in
                    answer(
                        EligibilityRequest(
                            bundleId: batch.bundleId, customerIdentifier: customer.customerIdentifier,
                            storefront: batch.storefront, productIdentifiers: customer.productIdentifiers))
                })
        }
    }

    var listeningPort: Int { port.withLock { $0 } }

    /// A session opened before the services were set to fail.
    func sessionIgnoringFailures() async throws -> String {
        let failure = payments.contents.withLock { contents in
            defer { contents.failure = nil }
            return contents.failure
        }
        defer { payments.contents.withLock { $0.failure = failure } }
        return try await session()
    }

    private static let turns = Turns(16)

    /// Runs a test against a whole gateway, and stops everything.
    /// - Parameters:
    ///   - ticking: Whether the heads are read each second, as in the process; otherwise the test calls `tick`.
    ///   - logs: Keeps what the gateway logs.
    ///   - catalogTimeout: For tests in which Catalog thinks for as long as a busy machine takes to look.
    ///   - environment: Of which of the App Store's worlds it is.
    ///   - consoleFiles: Where the console's files come from.
    ///   - operatorBus: The bus as its operator sees it; nil for the in-memory bus, which has nothing to see.
    ///   - imports: The imports of `storebus up --init`.
    ///   - admission: Which requests are taken.
    ///   - loop: Where everything but NIO runs, as in the process; otherwise on the global pool.
    static func run<Value>(
        ticking: Bool = false, loop: UVLoop? = nil, logs: LogCapture? = nil, catalogTimeout: Duration = .seconds(1),
        environment: ReceiptEnvironment = .sandbox, consoleFiles: ConsoleFiles = ConsoleFiles(),
        operatorBus: OperatorConnection? = nil, imports: ImportsAtStart? = nil,
        admission: @Sendable (Gateway) -> Admission = { Admission($0.routes, logger: $0.parts.logger) },
        _ body: @Sendable (GatewayHarness) async throws -> Value
    ) async throws -> Value {
        try await turns.take {
            let harness = try await GatewayHarness(
                loop: loop, logs: logs, catalogTimeout: catalogTimeout, environment: environment,
                consoleFiles: consoleFiles, operatorBus: operatorBus, imports: imports)
            return try await harness.serve(ticking: ticking, admission, body)
        }
    }

    /// Time as token expiry sees it.
    func moveClock(to time: Timestamp) { clockBox.set(time) }

    /// A second passes for the streams.
    func tick(after duration: Duration = .zero) async { await gateway.app.delivery.tick(now: .now + duration) }

    func send(
        _ method: HTTPMethod, _ path: String, token: String? = nil, headers: [(String, String)] = [],
        body: String? = nil, bytes: [UInt8]? = nil
    ) async throws -> Answer {
        let request = makeRequest(method, path, token, headers, bytes ?? body.map { Array($0.utf8) })
        let response = await CurlConnections.exchange(
            request, within: .seconds(30), CurlBodyBound(bytesMax: 256 << 20))
        if let failure = response.failure { throw failure }
        return Answer(
            status: response.status ?? 0, headers: HTTPHeaders(response.fields.map { ($0.name, $0.value) }),
            body: response.body)
    }

    /// Opens a stream; the reader sees what comes until it or the gateway ends it.
    func stream(_ token: String, query: String = "") async throws -> EventReader {
        try await open("/v1/transactions/stream\(query)", token, [])
    }

    /// Opens any stream of events.
    func open(_ path: String, _ token: String?, _ headers: [(String, String)]) async throws -> EventReader {
        let request = makeRequest(.GET, path, token, headers, nil)
        return try EventReader(await CurlConnections.open(request, within: .seconds(30), idle: nil))
    }

    /// Opens a session and returns its token.
    func session(
        account: String = "alice", device: String = Sample.deviceId, client: String = "app", promoted: String? = nil,
        bundleId: String = Sample.bundleId, platform: String = "iOS", osVersion: String = "17.0"
    ) async throws -> String {
        var members: [String: JSONValue] = [
            "bundleId": .string(bundleId), "deviceId": .string(device), "account": .string(account),
            "platform": .string(platform), "osVersion": .string(osVersion), "client": .string(client),
        ]
        if client == "app" { members["appVersion"] = "1.0" }
        if let promoted { members["promotedPurchases"] = .string(promoted) }
        let body = String(decoding: try StoreJSON.encode(JSONValue.object(members)), as: UTF8.self)
        let answer = try await send(.POST, "/v1/sessions", body: body)
        guard answer.status == 201, let token = answer.json["token"]?.stringValue else {
            throw UnexpectedAnswer(answer: answer.text)
        }
        return token
    }

    /// Makes an API key of an app and returns it as its server sends it.
    func apiKey(_ bundleId: String = Sample.bundleId) async throws -> String {
        let answer = try await send(
            .POST, "/admin/v1/apps/\(bundleId)/keys", token: Sample.adminKey, body: #"{"kind":"api"}"#)
        guard answer.status == 201, let secret = answer.json["secret"]?.stringValue else {
            throw UnexpectedAnswer(answer: answer.text)
        }
        return secret
    }

    struct UnexpectedAnswer: Error { let answer: String }

    private let clockBox: ClockBox

    private func makeRequest(
        _ method: HTTPMethod, _ path: String, _ token: String?, _ headers: [(String, String)], _ body: [UInt8]?
    ) -> CurlRequest {
        var headers = headers.map { (name: $0.0, value: $0.1) }
        func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }
        // A busy machine may need more than the gateway's 5 s, and that is not what most tests are about.
        if !has("sb-timeout") { headers.append(("Sb-Timeout", "30000")) }
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        if body != nil, !has("content-type") { headers.append(("Content-Type", "application/json")) }
        return CurlRequest(
            method.rawValue, "http://127.0.0.1:\(listeningPort)\(path)", headers: headers,
            body: body.map { .bytes($0) } ?? .none)
    }

    private func serve<Value>(
        ticking: Bool, _ admission: @Sendable (Gateway) -> Admission,
        _ body: @Sendable (GatewayHarness) async throws -> Value
    ) async throws -> Value {
        let fakes = [catalog.service, payments.service, eligibility, promotions.service, appStore.service]
        for fake in fakes { await fake.start() }
        let serving = Task { [service] in try await service.run() }
        await service.ready()
        let (listening, signal) = AsyncStream.makeStream(of: Int.self)
        let server = GatewayServer(
            responder: gateway.responder(), host: "127.0.0.1", port: 0,
            placement: LoopPlacement(loop: loop), admission: admission(gateway), logger: gateway.parts.logger,
            onListening: { signal.yield($0) })
        var services: [any ServiceLifecycle.Service] = [server]
        services.append(
            ticking
                ? LiveDeliveryService(hub: gateway.app.delivery, waits: gateway.operators.eventWaits)
                : StreamsEnd(hub: gateway.app.delivery, waits: gateway.operators.eventWaits)
        )
        // With a name: the default is the service's description, all that it holds.
        let group = ServiceGroup(
            configuration: .init(
                services: services.map { .init(service: $0, serviceName: "\(type(of: $0))") },
                logger: gateway.parts.logger))
        let running = Task { try await group.run() }
        let found = await listening.first { _ in true } ?? 0
        port.withLock { $0 = found }
        let result: Result<Value, any Error>
        do { result = .success(try await body(self)) } catch { result = .failure(error) }
        await group.triggerGracefulShutdown()
        try await running.value
        for fake in fakes { await fake.stop() }
        serving.cancel()
        await gatewayClient.close()
        _ = try? await serving.value
        await database.close()
        await apple.database.close()
        return try result.get()
    }
}

/// Ends open streams and waiting requests at the end of a test.
private struct StreamsEnd: ServiceLifecycle.Service {
    let hub: DeliveryHub
    let waits: EventWaits

    func run() async throws {
        try? await gracefulShutdown()
        hub.stop()
        waits.stop()
    }
}

/// A wall clock that a test may move.
final class ClockBox: Sendable {
    private let moved = Locked<Timestamp?>(nil)
    var now: Timestamp { moved.withLock { $0 } ?? .wallClock() }
    func set(_ time: Timestamp) { moved.withLock { $0 = time } }
}

/// Notes what a fake received.
final class ElementRecorder<Element: Sendable>: Sendable {
    private let noted = Locked<[Element]>([])
    var all: [Element] { noted.withLock { $0 } }
    func append(_ element: Element) { noted.withLock { $0.append(element) } }
}

/// A client that notes the subjects it is given.
private struct NotingBus: BusClient {
    let client: InMemoryClient
    let subjects: ElementRecorder<String>

    var loop: UVLoop? { client.loop }
    var capabilities: Set<BusCapability> { client.capabilities }
    var states: AsyncStream<BusConnectionState> { client.states }
    var state: BusConnectionState { client.state }
    var endReason: BusError? { client.endReason }

    func request(
        _ subject: String, body: [UInt8], headers: BusHeaders, key: String?, timeout: Duration
    ) async throws(BusError) -> BusMessage {
        subjects.append(subject)
        return try await client.request(subject, body: body, headers: headers, key: key, timeout: timeout)
    }

    func requestMany(
        _ subject: String, body: [UInt8], headers: BusHeaders, max: Int, timeout: Duration
    ) async throws(BusError) -> [BusMessage] {
        subjects.append(subject)
        return try await client.requestMany(subject, body: body, headers: headers, max: max, timeout: timeout)
    }

    func publish(
        _ subject: String, body: [UInt8], headers: BusHeaders, reply: String?, key: String?
    ) throws(BusError) {
        subjects.append(subject)
        try client.publish(subject, body: body, headers: headers, reply: reply, key: key)
    }

    func subscribe(
        _ subject: String, queue: String?, max: Int?, handler: @escaping @Sendable (BusMessage) -> Void
    ) async throws(BusError) -> any BusSubscription {
        subjects.append(subject)
        return try await client.subscribe(subject, queue: queue, max: max, handler: handler)
    }

    func flush(timeout: Duration) async throws(BusError) { try await client.flush(timeout: timeout) }
    func drain() async -> BusDrainReport { await client.drain() }
    func close() async { await client.close() }
}
