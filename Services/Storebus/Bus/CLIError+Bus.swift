import BusClient

extension CLIError {
    /// What the bus would not do, with what helps.
    init(bus error: BusError) {
        switch error.code {
        case .timeout, .noResponders, .overloaded:
            self.init(
                .nobodyAnswers, error.message, hints: ["who is there: storebus bus ls"], retryable: error.isRetryable)
        case .authenticationFailed, .permissionDenied:
            self.init(
                .busRefused, error.message,
                hints: ["the bus's token: --bus-token-file or BUS_CREDENTIALS_FILE"])
        case .invalidSubject, .invalidMessage, .payloadTooLarge, .invalidURL:
            self.init(.usage, error.message)
        default: self.init(.busUnreachable, "the bus: \(error.message)", retryable: error.isRetryable)
        }
    }
}

/// Calls the bus, and says its errors as the command line does.
func asking<Value>(_ body: () async throws(BusError) -> Value) async throws(CLIError) -> Value {
    do throws(BusError) {
        return try await body()
    } catch {
        throw CLIError(bus: error)
    }
}

extension BusClient {
    /// What only Storebus's own broker has is said so, rather than that nobody answers.
    func requireSystemSubjects() throws(CLIError) {
        if capabilities.contains(.systemSubjects) { return }
        throw CLIError(
            .usage, "this bus is not Storebus's own broker, which alone has pages and traces under $SYS.",
            hints: ["ask nats-server for its own pages: nats server report connections, or its port of --http_port"])
    }
}
