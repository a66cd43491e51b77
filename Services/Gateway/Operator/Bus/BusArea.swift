import BusClient
import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes of the bus as its operator sees it.
struct BusArea: Area {
    let bus: any BusClient
    let operatorBus: OperatorConnection
    let waits: EventWaits
    /// The operator's sessions in browsers. A tap ends with its session.
    let console: ConsoleSessions?
    let now: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(BusRoutes.state) { call in
                async let health = operatorBus.page(BrokerSubject.health, call)
                return BusState(try await operatorBus.page(BrokerSubject.state, call), health: try await health)
            },
            Route(BusRoutes.connections) { try await busConnections($0) },
            Route(BusRoutes.subjects) { try await busSubjects($0) },
            Route(BusRoutes.tap) { try await openTap($0) },
            Route(MonitoringRoutes.drain) { try await drain($0) },
        ]
    }

    private func busConnections(_ call: Call) async throws -> BusConnectionsResponse {
        let state = try call.query.choice("state", BusConnectionFilter.self) ?? .open
        let order = try call.query.choice("sort", BusConnectionOrder.self) ?? .cid
        let limit = try call.query.integer(
            "limit", in: 1...HTTPLimits.busConnectionsMax, default: HTTPLimits.busConnectionsMax)
        let query = ["state": state.rawValue, "sort": order.rawValue, "limit": "\(limit)"]
        let page = try await operatorBus.page(BrokerSubject.connections, query: try StoreJSON.encode(query), call)
        return BusConnectionsResponse(
            connections: page.pages("connections").map(BusConnectionsResponse.Connection.init),
            total: page.number("total"))
    }

    private func busSubjects(_ call: Call) async throws -> BusSubjectsResponse {
        var subscriptions: [BrokerPage] = []
        while true {
            let query = ["subs": "1", "offset": "\(subscriptions.count)"]
            let page = try await operatorBus.page(BrokerSubject.subscriptions, query: try StoreJSON.encode(query), call)
            let list = page.pages("subscriptions_list")
            subscriptions += list
            if list.isEmpty || subscriptions.count >= page.number("total") { break }
        }
        return BusSubjectsResponse(subscriptions)
    }

    /// The time to find an instance and to get its answer.
    private static let drainTimeout = Duration.seconds(2)

    /// Asks an instance to end. Its supervisor starts it again.
    private func drain(_ call: Call) async throws -> Reply<DrainResponse> {
        _ = try await call.body(of: MonitoringRoutes.drain)
        let id = try call.parameter(.id, of: "instance")
        let instance: PingResponse?
        do throws(BusError) {
            instance = try await ServiceDiscovery(bus).drain(id, until: min(call.deadline, .now + Self.drainTimeout))
        } catch {
            throw StoreError(error, service: "the instance")
        }
        guard let instance else {
            throw StoreError(.notFound, "no instance '\(id)' is on the bus; GET /admin/v1/services lists them")
        }
        return try Reply(DrainResponse(name: instance.name, id: instance.id), status: .accepted)
    }
}

extension OperatorConnection {
    /// Requests one of the broker's monitoring pages.
    /// - Throws: As ``request(_:body:until:)``, or `internal` for a page that is not JSON.
    func page(_ subject: String, query: [UInt8] = [], _ call: Call) async throws(StoreError) -> BrokerPage {
        try BrokerPage(try await request(subject, body: query, until: call.deadline))
    }
}

/// Reads one of the broker's monitoring pages, whose members have nats-server's names.
struct BrokerPage {
    private let members: JSONValue

    /// - Throws: `internal` for a page that is not JSON.
    init(_ body: [UInt8]) throws(StoreError) {
        do {
            members = try StrictJSON.parse(body)
        } catch {
            throw StoreError(.internal, "the broker's page is not JSON: \(error)")
        }
    }

    private init(_ members: JSONValue) { self.members = members }

    func pages(_ name: String) -> [BrokerPage] { members[name]?.arrayValue?.map(BrokerPage.init) ?? [] }

    func number(_ name: String) -> Int { members[name]?.intValue ?? 0 }

    func decimal(_ name: String) -> Double {
        guard case .number(let text)? = members[name] else { return 0 }
        return Double(text) ?? 0
    }

    func flag(_ name: String) -> Bool { members[name]?.boolValue ?? false }

    func text(_ name: String) -> String? { members[name]?.stringValue }

    func time(_ name: String) -> Timestamp? { text(name).flatMap { Timestamp($0) } }
}

extension BusState {
    /// - Parameters:
    ///   - page: The page `VARZ`.
    ///   - health: The page `HEALTHZ`.
    init(_ page: BrokerPage, health: BrokerPage) {
        let (start, now) = (page.time("start") ?? .init(milliseconds: 0), page.time("now") ?? .init(milliseconds: 0))
        self.init(
            serverId: page.text("server_id") ?? "", version: page.text("version") ?? "", startedAt: start,
            uptimeSeconds: Int(max(0, now.milliseconds - start.milliseconds) / 1000),
            connections: page.number("connections"), totalConnections: page.number("total_connections"),
            subscriptions: page.number("subscriptions"), messagesIn: page.number("in_msgs"),
            messagesOut: page.number("out_msgs"), bytesIn: page.number("in_bytes"), bytesOut: page.number("out_bytes"),
            pendingBytes: page.number("pending_bytes"), slowConsumers: page.number("slow_consumers"),
            staleConnections: page.number("stale_connections"), noResponders: page.number("no_responders"),
            noInterest: page.number("no_interest"), noEligible: page.number("no_eligible"),
            dropped: page.number("dropped"), permissionsDenied: page.number("perm_denied"),
            authFailures: page.number("auth_failures"), replaced: page.number("replaced"),
            cpuPercent: page.decimal("cpu"), memoryBytes: page.number("mem"),
            loopLagMicroseconds: page.number("loop_lag_us"), isDraining: page.flag("draining"),
            hasFaultInjection: health.flag("chaos"))
    }
}

extension BusConnectionsResponse.Connection {
    init(_ page: BrokerPage) {
        let start = page.time("start") ?? .init(milliseconds: 0)
        self.init(
            cid: page.number("cid"), name: page.text("name") ?? "", user: page.text("authorized_user") ?? "",
            address: "\(page.text("ip") ?? ""):\(page.number("port"))", instance: page.text("instance"),
            language: page.text("lang") ?? "", version: page.text("version") ?? "", startedAt: start,
            lastActivityAt: page.time("last_activity") ?? start, stoppedAt: page.time("stop"),
            reason: page.text("reason"), pendingBytes: page.number("pending_bytes"),
            messagesIn: page.number("in_msgs"), messagesOut: page.number("out_msgs"),
            bytesIn: page.number("in_bytes"), bytesOut: page.number("out_bytes"),
            subscriptions: page.number("subscriptions"))
    }
}

extension BusSubjectsResponse {
    /// Adds up subscriptions by pattern and queue group.
    /// - Parameter subscriptions: The lists of pages of `SUBSZ`.
    init(_ subscriptions: [BrokerPage]) {
        struct Key: Hashable {
            var subject: ExactText
            var queue: ExactText?
        }
        var found: [Key: Subject] = [:]
        for subscription in subscriptions {
            let pattern = subscription.text("subject") ?? ""
            let subject = pattern.utf8.starts(with: "_INBOX.".utf8) ? "_INBOX.>" : pattern
            let queue = subscription.text("qgroup")
            let key = Key(subject: ExactText(subject), queue: queue.map { ExactText($0) })
            var entry = found[key] ?? Subject(subject: subject, queue: queue, subscribers: 0, messages: 0)
            entry.subscribers += 1
            entry.messages += subscription.number("msgs")
            found[key] = entry
        }
        self.init(
            subjects: found.values.sorted { left, right in
                if left.messages != right.messages { return left.messages > right.messages }
                let (first, second) = (left.subject + (left.queue ?? ""), right.subject + (right.queue ?? ""))
                return first.utf8.lexicographicallyPrecedes(second.utf8)
            })
    }
}
