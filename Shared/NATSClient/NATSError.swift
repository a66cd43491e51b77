import BusClient
internal import CNATS

extension BusError {
    /// Translates libnats's status of a connection that failed or was lost.
    init(connection status: natsStatus, _ detail: String? = nil) {
        let text = String(cString: natsStatus_GetText(status))
        let sentence = detail.map { $0.isEmpty ? text : "\(text): \($0)" } ?? text
        switch status {
        case NATS_SSL_ERROR:
            // libnats speaks TLS with a server that wants it, also when the address is nats://.
            self.init(
                .tlsFailed,
                "\(sentence); the server's certificate must be for the host of BUS_URL, and with nats+tls:// signed by "
                    + "BUS_TLS_CA")
        case NATS_SECURE_CONNECTION_WANTED:
            self.init(.tlsFailed, "the server does not speak TLS; write nats:// in BUS_URL", origin: .broker)
        case NATS_CONNECTION_AUTH_FAILED: self.init(.authenticationFailed, sentence, origin: .broker)
        default: self.init(.disconnected, sentence)
        }
    }
}

/// The denied permission, parsed from the server's sentence:
/// `Permissions Violation for Subscription to "sb.secret" using queue "q"`
struct NATSRefusal: Equatable {
    let isSubscription: Bool
    let subject: String

    /// Nil for any other sentence.
    init?(_ text: String) {
        guard text.lowercased().contains("permissions violation") else { return nil }
        isSubscription = text.lowercased().contains("subscription")
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count >= 2 else { return nil }
        subject = String(parts[1])
    }

    var error: BusError {
        BusError(
            .permissionDenied, "the user may not \(isSubscription ? "subscribe" : "publish") to \(subject)",
            origin: .broker)
    }
}
