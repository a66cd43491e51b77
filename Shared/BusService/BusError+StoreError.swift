import BusClient
import StoreModels

extension StoreError {
    /// Translates a failed exchange on the bus for the caller of a service.
    ///
    /// `timeout` and `cancelled` become `deadlineExceeded`. Only the caller, which knows the request, can tell whether
    /// that means an unknown outcome. A lost or missing connection, a missing subscriber, a lost responder and overload
    /// become `serviceUnavailable`.
    package init(_ error: BusError, service: String) {
        switch error.code {
        case .timeout:
            self.init(.deadlineExceeded, "\(service) did not answer in time")
        case .noResponders:
            self.init(.serviceUnavailable, "\(service) is not running", retryAfterMs: 1000)
        case .overloaded, .tooManyRequests:
            self.init(.serviceUnavailable, "\(service) is overloaded", retryAfterMs: 100)
        case .disconnected, .closed, .slowConsumer:
            // The request may or may not have been carried out; a caller that charges money has to know that.
            self.init(
                .serviceUnavailable, "the bus is away: \(error.message)", retryAfterMs: 1000,
                details: ["outcome": "unknown"])
        case .takerLost:
            self.init(
                .serviceUnavailable, "\(service) went away while it worked on the request", retryAfterMs: 1000,
                details: ["outcome": "unknown"])
        case .cancelled:
            self.init(.deadlineExceeded, "the caller gave up waiting for \(service)")
        case .payloadTooLarge:
            self.init(.bodyTooLarge, "the request to \(service) is too large: \(error.message)")
        default:
            self.init(.internal, "calling \(service): \(error)")
        }
    }
}
