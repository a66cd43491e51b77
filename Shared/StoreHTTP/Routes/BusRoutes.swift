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
    /// The tap gets copies, so that no service misses a message. A request has a number, by which its end is reported:
    /// the outcome and duration of its reply, or the passing of its deadline. Bodies of replies are left out. Secrets
    /// are redacted, and a body above 4 KiB is a string that is cut. An event has at most 50 messages, and there are at
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
        body: .whole(max: 512 << 10))
}

/// The response of `GET /admin/v1/bus`, the broker as a whole. Counters are totals since its start.
///
/// ```json
/// {"serverId":"B…","version":"0.1.0","startedAt":"2026-11-25T10:00:00.000Z","connections":9,"messagesIn":1200,…}
/// ```
package struct BusState: Hashable, Sendable, Codable {
    /// Random for each start of the broker.
    package var serverId: String
    /// Semantic version of the broker.
    package var version: String
    package var startedAt: Timestamp
    package var uptimeSeconds: Int
    /// Connections that are open now.
    package var connections: Int
    /// Connections that were ever accepted.
    package var totalConnections: Int
    /// Subscriptions of all connections, including those on inboxes.
    package var subscriptions: Int
    package var messagesIn: Int
    package var messagesOut: Int
    package var bytesIn: Int
    package var bytesOut: Int
    /// Bytes that wait for readers now.
    package var pendingBytes: Int
    /// Connections that were closed because they were not read.
    package var slowConsumers: Int
    /// Connections that were closed because they were silent.
    package var staleConnections: Int
    /// Requests that had no subscriber.
    package var noResponders: Int
    /// Messages without a reply subject that had no subscriber.
    package var noInterest: Int
    /// Messages whose subscribers were all overloaded.
    package var noEligible: Int
    /// Messages dropped for subscriptions that allow it.
    package var dropped: Int
    package var permissionsDenied: Int
    package var authFailures: Int
    /// Connections that a newer one of the same instance replaced.
    package var replaced: Int
    /// CPU time since the start, in percent of one core.
    package var cpuPercent: Double
    package var memoryBytes: Int
    /// The longest wait for the broker's loop in the last ten seconds.
    package var loopLagMicroseconds: Int
    /// Whether the broker is stopping.
    package var isDraining: Bool
    /// Whether the broker was started with `STOREBUS_CHAOS=1`.
    package var hasFaultInjection: Bool
}

/// The state in which connections of the bus are listed.
package enum BusConnectionFilter: String, CaseIterable, Sendable {
    case open
    /// The last thousand that ended.
    case closed
    case any
}

/// The order of connections of the bus, in nats-server's words.
package enum BusConnectionOrder: String, CaseIterable, Sendable {
    case cid, start, subs, pending
    case messagesTo = "msgs_to"
    case messagesFrom = "msgs_from"
    case bytesTo = "bytes_to"
    case bytesFrom = "bytes_from"
    case last, idle, uptime, stop, reason
}

/// The response of `GET /admin/v1/bus/connections`.
package struct BusConnectionsResponse: Hashable, Sendable, Codable {
    /// One connection of the bus, open or closed.
    package struct Connection: Hashable, Sendable, Codable {
        /// Counted from 1 since the broker's start.
        package var cid: Int
        /// The name that the client gave itself, such as `payment-queue`.
        package var name: String
        /// The user whose credentials the client has.
        package var user: String
        /// `127.0.0.1:51234`.
        package var address: String
        /// The service instance. Absent for other clients.
        package var instance: String?
        package var language: String
        package var version: String
        package var startedAt: Timestamp
        /// The time at which a byte was last received.
        package var lastActivityAt: Timestamp
        /// Absent while it is open.
        package var stoppedAt: Timestamp?
        /// Why it ended, such as `slow_consumer`. Absent while it is open.
        package var reason: String?
        /// Bytes that wait for this reader.
        package var pendingBytes: Int
        /// Messages that the client sent.
        package var messagesIn: Int
        /// Messages that the client was sent.
        package var messagesOut: Int
        package var bytesIn: Int
        package var bytesOut: Int
        package var subscriptions: Int
    }

    /// In the requested order.
    package var connections: [Connection]
    /// The number of all that match. The list has at most `limit` of them.
    package var total: Int
}

/// The response of `GET /admin/v1/bus/subjects`.
package struct BusSubjectsResponse: Hashable, Sendable, Codable {
    /// A pattern of subjects, with those who subscribe to it.
    package struct Subject: Hashable, Sendable, Codable {
        /// All private inboxes are one entry, `_INBOX.>`.
        package var subject: String
        /// The queue group. Absent for subscribers that each get every message.
        package var queue: String?
        package var subscribers: Int
        /// Messages that the present subscribers were sent.
        package var messages: Int
    }

    /// By messages, the busiest first.
    package var subjects: [Subject]
}

/// The names of the events of `GET /admin/v1/bus/tap`.
package enum BusTapEventName: String, CaseIterable, Sendable {
    /// The first event: the tap is open.
    case hello
    /// Messages that passed over the bus, in order, and ends of requests.
    case messages

    /// The events with the schemas of their data.
    static var events: [StreamedEvent] {
        allCases.map { StreamedEvent(name: $0.rawValue, data: $0.data, id: nil) }
    }

    private var data: Schema {
        switch self {
        case .hello: .type(BusTapState.self)
        case .messages: .type(BusTapMessages.self)
        }
    }
}

/// The data of a tap's `hello`.
package struct BusTapState: Hashable, Sendable, Codable {
    /// The pattern of the subjects.
    package var subject: String
}

/// The data of a tap's `messages`.
package struct BusTapMessages: Hashable, Sendable, Codable {
    /// A message as it passed over the bus.
    package struct Message: Hashable, Sendable, Codable {
        /// The time at which the gateway got it, by its wall clock.
        package var at: Timestamp
        package var subject: String
        /// Whether the sender waits for an answer.
        package var reply: Bool
        /// The number of a request, by which its end names it. Absent for other messages, and when too many requests
        /// wait for their replies.
        package var request: Int?
        /// The service that the request's subject belongs to. Absent for other messages.
        package var service: ServiceName?
        /// Whether services send it regularly, whether or not anything happens.
        package var isPoll: Bool
        package var headers: [String: String]
        /// JSON with secrets redacted. It is a string if it is not JSON or is longer than 4 KiB.
        package var body: JSONValue
        /// Bytes of the whole body.
        package var bytes: Int
    }

    /// The end of a request that was among the messages, or the passing of its deadline.
    package struct End: Hashable, Sendable, Codable {
        /// The request's number.
        package var request: Int
        /// After `noReply` another end may come, for a late reply.
        package var outcome: BusRequestOutcome
        /// The time from the request to its end.
        package var durationMs: Double
        /// The service's code and sentence. Only with `failed`.
        package var error: String?
    }

    /// At most fifty.
    package var messages: [Message]
    /// Ends of requests in `messages`, of this event or an earlier one.
    package var ends: [End]
    /// Messages since the event before that were more than an event holds.
    package var missed: Int
}

/// The body of `POST /admin/v1/services/{id}/drain`'s response.
package struct DrainResponse: Hashable, Sendable, Codable {
    /// The service's name.
    package var name: String
    /// The instance that takes no more requests.
    package var id: String
}

/// The request of `POST /admin/v1/faults`: `{"fault":"delay","service":"payment-queue"}`.
package struct FaultRequest: Hashable, Sendable, Codable {
    package var fault: BusFault
    /// A service's name, or `broker` for the messages of every service.
    package var service: String
}

/// The response of `/admin/v1/faults`: the faults in force on the bus.
package struct FaultsResponse: Hashable, Sendable, Codable {
    /// The rules that are together a fault of a service.
    package struct Fault: Hashable, Sendable, Codable {
        package var fault: BusFault
        /// A service's name, or `broker`.
        package var service: String
        /// Messages that the fault concerned since it was set.
        package var matched: Int
        /// Messages that got the fault since it was set.
        package var struck: Int
    }

    /// Whether the broker injects faults. It does when it was started with `STOREBUS_CHAOS=1`.
    package var isEnabled: Bool
    /// The seed of the injector's random numbers. Absent when it is off.
    package var seed: UInt64?
    package var faults: [Fault]
    /// Every rule in force, also those of no named fault.
    package var rules: [BusRule]
    /// Faults since the broker started, by the broker's name of the action.
    package var struck: [String: Int]
}
