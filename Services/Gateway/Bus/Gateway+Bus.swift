import BusClient
import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes of the bus as its operator sees it.
    var busRoutes: [Route] {
        [
            Route(BusRoutes.state) { [self] call in
                async let health = busPage(BrokerSubject.health, call)
                return BusState(try await busPage(BrokerSubject.state, call), health: try await health)
            },
            Route(BusRoutes.connections) { [self] in try await busConnections($0) },
            Route(BusRoutes.subjects) { [self] in try await busSubjects($0) },
            Route(BusRoutes.tap) { [self] in try await openTap($0) },
            Route(MonitoringRoutes.drain) { [self] in try await drain($0) },
        ]
    }

    /// Reads one of the broker's monitoring pages.
    func busPage(_ subject: String, query: [UInt8] = [], _ call: Call) async throws -> BrokerPage {
        try BrokerPage(try await operatorBus.request(subject, body: query, until: call.deadline))
    }

    private func busConnections(_ call: Call) async throws -> BusConnectionsResponse {
        let state = try call.query.choice("state", BusConnectionFilter.self) ?? .open
        let order = try call.query.choice("sort", BusConnectionOrder.self) ?? .cid
        let limit = try call.query.integer(
            "limit", in: 1...HTTPLimits.busConnectionsMax, default: HTTPLimits.busConnectionsMax)
        let query = ["state": state.rawValue, "sort": order.rawValue, "limit": "\(limit)"]
        let page = try await busPage(BrokerSubject.connections, query: try StoreJSON.encode(query), call)
        return BusConnectionsResponse(
            connections: page.pages("connections").map(BusConnectionsResponse.Connection.init),
            total: page.number("total"))
    }

    private func busSubjects(_ call: Call) async throws -> BusSubjectsResponse {
        var subscriptions: [BrokerPage] = []
        while true {
            let query = ["subs": "1", "offset": "\(subscriptions.count)"]
            let page = try await busPage(BrokerSubject.subscriptions, query: try StoreJSON.encode(query), call)
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
