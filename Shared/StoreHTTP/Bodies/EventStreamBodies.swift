import StoreModels

/// The names of the events of `GET /admin/v1/events/stream`.
package enum EventStreamName: String, CaseIterable, Sendable {
    /// The first event: the stream is open.
    case hello
    /// Events were missed that the store cannot repeat. The stream goes on from now.
    case resync
    /// Events of PaymentQueue's log.
    case transactions
    /// Events of PromotionController's log.
    case intents

    /// The events with the schemas of their data.
    static var events: [StreamedEvent] {
        allCases.map { StreamedEvent(name: $0.rawValue, data: $0.data, id: ["type": "string"]) }
    }

    private var data: Schema {
        switch self {
        case .hello, .resync: .type(EventStreamState.self)
        case .transactions: .type(EventList<StoreEvent>.self)
        case .intents: .type(EventList<IntentEvent>.self)
        }
    }
}

/// The data of `hello` and `resync`: `{"version":"0.1.0","now":"2026-11-22T10:00:00.000Z"}`.
package struct EventStreamState: Hashable, Sendable, Codable {
    /// The gateway's version. A page of another version reloads itself.
    package var version: String
    /// The store's time: in an isolated store its clock's, else the gateway's.
    package var now: Timestamp
}

/// The data of `transactions` and `intents`, in the log's order.
package struct EventList<Event: Sendable>: Sendable {
    /// At most a hundred, never none.
    package var events: [Event]
}

extension EventList: Encodable where Event: Encodable {}
extension EventList: Decodable where Event: Decodable {}
