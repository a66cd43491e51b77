import StoreModels

/// The bus as its operator sees it, and the faults on it.
package enum BusRoutes {
    /// Reads the broker's counters.
    package static let state = HTTPEndpoint<Empty, BusState>(.get, "/admin/v1/bus", .admin)
    /// Lists open and closed connections.
    package static let connections = HTTPEndpoint<Empty, BusConnectionsResponse>(
        .get, "/admin/v1/bus/connections", .admin, query: ["state", "sort", "limit"])
    /// Lists the patterns that are subscribed to.
    package static let subjects = HTTPEndpoint<Empty, BusSubjectsResponse>(.get, "/admin/v1/bus/subjects", .admin)
    /// Streams the messages that pass over the bus.
    package static let tap = HTTPEndpoint<Empty, EventStream>(
        .get, "/admin/v1/bus/tap", .admin, query: ["subject", "text"], urgency: .unlimited)

    /// Lists the faults in force.
    package static let faults = HTTPEndpoint<Empty, FaultsResponse>(.get, "/admin/v1/faults", .admin)
    /// Sets a fault beside those in force.
    package static let addFault = HTTPEndpoint<FaultRequest, FaultsResponse>(.post, "/admin/v1/faults", .admin)
    /// Removes the faults that the query names, by default all.
    package static let removeFaults = HTTPEndpoint<Empty, FaultsResponse>(
        .delete, "/admin/v1/faults", .admin, query: ["fault", "service"])

    /// Lists runs of `storebus chaos run` against this store, the newest first.
    package static let runs = HTTPEndpoint<Empty, ChaosRunsResponse>(.get, "/admin/v1/chaos/runs", .admin)
    /// Reads the last report of a run.
    package static let run = HTTPEndpoint<Empty, ChaosRun>(.get, "/admin/v1/chaos/runs/{id}", .admin)
    /// Reports the state of a run; the report before is replaced.
    package static let putRun = HTTPEndpoint<ChaosRun, NoContent>(
        .put, "/admin/v1/chaos/runs/{id}", .admin, body: .whole(max: 256 << 10))

    /// Those that need Storebus's own broker; with a bus of NATS they respond 501.
    package static let ofBroker: [HTTPRoute] = [
        state.route, connections.route, subjects.route, tap.route, faults.route, addFault.route, removeFaults.route,
    ]

    static let all: [HTTPRoute] = ofBroker + [runs.route, run.route, putRun.route]
}
