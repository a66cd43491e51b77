import BusProtocol
import StoreModels

/// An error in a reply: the envelope in the body, and NATS's two headers (ADR-32).
enum ErrorReply {
    /// `Nats-Service-Error-Code: 409`, `Nats-Service-Error: …`, and `{"error":{…}}`.
    static func encode(_ error: StoreError) -> (headers: BusHeaders, body: [UInt8]) {
        let headers: BusHeaders = [
            BusHeader.natsServiceErrorCode: "\(error.status)",
            BusHeader.natsServiceError: headerText("\(error.code): \(error.message)"),
        ]
        if let body = try? StoreJSON.encode(ErrorEnvelope(error)) { return (headers, body) }
        // Reached only for a number in `details` that JSON cannot express; the headers still carry everything that
        // matters.
        var plain = error
        plain.details = [:]
        return (headers, (try? StoreJSON.encode(ErrorEnvelope(plain))) ?? [])
    }

    /// The error in a reply. Nil when it is a result.
    static func decode(headers: BusHeaders, body: [UInt8]) -> StoreError? {
        guard let status = headers[BusHeader.natsServiceErrorCode] else { return nil }
        if let envelope = try? StoreJSON.decode(ErrorEnvelope.self, from: body) { return envelope.error }
        let message = headers[BusHeader.natsServiceError] ?? "an error without a message"
        var error = StoreError(.internal, "a service answered \(status): \(message)")
        if let status = Int(status), (400...599).contains(status) { error.status = status }
        return error
    }

    /// One line of at most 200 characters: headers hold neither line ends nor essays.
    private static func headerText(_ text: String) -> String {
        String(text.prefix(200).map { $0.isNewline || $0 == "\0" ? " " : $0 })
    }
}
