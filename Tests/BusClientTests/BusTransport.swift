import BusClient
import Testing

/// The transports that must behave alike.
enum BusTransport: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case inMemory
    case inMemoryOnLoop
    case sbp
    case sbpOverTLS
    case nats

    var testDescription: String { rawValue }

    /// What the transport's clients say they can do.
    var capabilities: Set<BusCapability> {
        switch self {
        case .inMemory, .inMemoryOnLoop: [.keyAffinity, .privateInboxes, .trustedStatus, .anyHeaderValue]
        case .sbp, .sbpOverTLS: Set(BusCapability.allCases)
        case .nats: [.authentication]
        }
    }

    /// Whether there is a broker, so that it can be killed and frozen.
    var hasBroker: Bool { [.sbp, .sbpOverTLS, .nats].contains(self) }
}
