import StoreModels

/// The bus as its operator sees it, and the faults on it.
package enum BusRoutes {
    /// Reads the broker's counters.
    ///
    /// The counters begin with the broker's start, so that two responses give rates.
    package static let state = HTTPEndpoint<Empty, BusState>(
        "getBus", .get, "/admin/v1/bus", .admin,
        errors: [.operatorForbidden, .noPages])
    /// Lists open and closed connections.
    ///
    /// The closed ones are the last thousand, with the reason of their end.
    package static let connections = HTTPEndpoint<Empty, BusConnectionsResponse>(
        "listBusConnections", .get, "/admin/v1/bus/connections", .admin,
        parameters: [.connectionState, .connectionOrder, .connectionLimit], errors: [.operatorForbidden, .noPages])
    /// Lists the patterns that are subscribed to.
    ///
    /// Each has the number of messages that its present subscribers were sent.
    package static let subjects = HTTPEndpoint<Empty, BusSubjectsResponse>(
        "listBusSubjects", .get, "/admin/v1/bus/subjects", .admin,
        errors: [.operatorForbidden, .noPages])
    /// Streams the messages that pass over the bus.
    ///
    /// The tap gets copies, so that no service misses a message. Replies to private inboxes are left out. Secrets are
    /// redacted, and a body above 4 KiB is a string that is cut. An event has at most 50 messages, and there are at
    /// most five events a second. Further messages are counted as missed. A comment comes every 15 s. At most 8 taps
    /// are open.
    package static let tap = HTTPEndpoint<Empty, EventStream>(
        "tapBus", .get, "/admin/v1/bus/tap", .admin,
        parameters: [.tapSubject, .tapText], urgency: .unlimited,
        responses: [.ok("Server-sent events.", .events(BusTapEventName.events))],
        errors: [.operatorForbidden, .tooManyTaps, .noPages])

    /// Lists the faults in force.
    ///
    /// A broker injects faults when it was started with STOREBUS_CHAOS=1.
    package static let faults = HTTPEndpoint<Empty, FaultsResponse>(
        "listFaults", .get, "/admin/v1/faults", .admin,
        errors: [.operatorForbidden, .noPages])
    /// Sets a fault beside those in force.
    ///
    /// It concerns messages to and from a service, or with `broker` those of every service.
    package static let addFault = HTTPEndpoint<FaultRequest, FaultsResponse>(
        "addFault", .post, "/admin/v1/faults", .admin,
        responses: [.created()], errors: [.operatorForbidden, .faultsDisabled, .tooManyRules, .noPages])
    /// Removes the faults that the query names, by default all.
    package static let removeFaults = HTTPEndpoint<Empty, FaultsResponse>(
        "removeFaults", .delete, "/admin/v1/faults", .admin,
        parameters: [.fault, .faultyService], errors: [.operatorForbidden, .faultsDisabled, .tooManyRules, .noPages])

    /// Lists the last fifty runs of `storebus chaos run` against this store, the newest first.
    ///
    /// A run reports itself to the gateway of the store that it breaks.
    package static let runs = HTTPEndpoint<Empty, ChaosRunsResponse>(
        "listChaosRuns", .get, "/admin/v1/chaos/runs", .admin,
        needs: .storage)
    /// Reads the last report of a run.
    ///
    /// While it goes on, the report has only invariants that can be judged already. A run that has not ended and whose
    /// report is older than a few seconds was broken off.
    package static let run = HTTPEndpoint<Empty, ChaosRun>(
        "getChaosRun", .get, "/admin/v1/chaos/runs/{id}", .admin,
        needs: .storage)
    /// Reports the state of a run and replaces the report before.
    ///
    /// `storebus chaos run` does it once a second.
    package static let putRun = HTTPEndpoint<ChaosRun, NoContent>(
        "putChaosRun", .put, "/admin/v1/chaos/runs/{id}", .admin,
        body: .whole(max: 256 << 10))

    static let all: [any HTTPOperation] = [
        state, connections, subjects, tap, faults, addFault, removeFaults, runs, run, putRun,
    ]
}
