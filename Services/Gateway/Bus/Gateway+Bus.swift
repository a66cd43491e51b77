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
                async let health = operatorBus.request(BrokerSubject.health, until: call.deadline)
                let page = try await operatorBus.request(BrokerSubject.state, until: call.deadline)
                return BusState(try BrokerPage(page), health: try BrokerPage(try await health))
            },
            Route(BusRoutes.connections) { [self] in try await busConnections($0) },
            Route(BusRoutes.subjects) { [self] in try await busSubjects($0) },
            Route(BusRoutes.tap) { [self] in try await openTap($0) },
            Route(MonitoringRoutes.drain) { [self] in try await drain($0) },
        ]
    }

    private func busConnections(_ call: Call) async throws -> BusConnectionsResponse {
        let state = try call.query.choice("state", BusConnectionFilter.self) ?? .open
        let order = try call.query.choice("sort", BusConnectionOrder.self) ?? .cid
        let limit = try call.query.integer(
            "limit", in: 1...HTTPLimits.busConnectionsMax, default: HTTPLimits.busConnectionsMax)
        let query = ["state": state.rawValue, "sort": order.rawValue, "limit": "\(limit)"]
        let body = try await operatorBus.request(
            BrokerSubject.connections, body: try StoreJSON.encode(query), until: call.deadline)
        let page = try BrokerPage(body)
        return BusConnectionsResponse(
            connections: page.pages("connections").map(BusConnectionsResponse.Connection.init),
            total: page.number("total"))
    }

    private func busSubjects(_ call: Call) async throws -> BusSubjectsResponse {
        var subscriptions: [BrokerPage] = []
        while true {
            let query = ["subs": "1", "offset": "\(subscriptions.count)"]
            let body = try await operatorBus.request(
                BrokerSubject.subscriptions, body: try StoreJSON.encode(query), until: call.deadline)
            let page = try BrokerPage(body)
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
