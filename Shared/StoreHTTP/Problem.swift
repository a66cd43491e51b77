import StoreModels

/// An error response (RFC 9457), `application/problem+json`:
///
/// ```json
/// {"type":"urn:storebus:problem:transactionNotFinishable","title":"Conflict","status":409,
///  "detail":"transaction t_01j… is purchasing","code":"transactionNotFinishable","retryable":false,
///  "traceId":"4bf92f3577b34da6a3ce929d0e0e4736","remedy":"Finish a transaction when it is purchased, …"}
/// ```
/// `code` is the contract. Details for programs (`problems`, `path`, `reason`) are separate members. The member
/// `retryAfterMs` is present when it is known. A reader takes a member of the wrong kind for a missing one.
package struct Problem: Hashable, Sendable, Codable {
    /// `urn:storebus:problem:` and the code.
    package var type: String?
    /// The status as text, `Conflict`.
    package var title: String?
    /// The HTTP status, 400…599.
    package var status: Int?
    /// The fault and its place, for people. It is not a contract.
    package var detail: String?
    /// The contract. Clients decide by it and by nothing else.
    package var code: StoreErrorCode?
    /// Whether the same request with the same key may succeed later.
    package var retryable: Bool?
    /// Milliseconds to wait before that. Nil when it is unknown.
    package var retryAfterMs: Int?
    /// 32 hexadecimal digits, the same as in the services' logs.
    package var traceId: String?
    /// One sentence for people that describes the remedy.
    package var remedy: String?
    /// Every other member.
    package var details: [String: JSONValue]

    /// Creates the problem of an error.
    /// - Parameter title: The status as text.
    package init(_ error: StoreError, status: Int, title: String, traceID: String) {
        type = "urn:storebus:problem:\(error.code)"
        self.title = title
        self.status = status
        detail = error.message
        code = error.code
        retryable = error.retryable
        retryAfterMs = error.retryAfterMs
        traceId = traceID
        remedy = error.code.remedy
        details = error.details
    }

    /// Reads the body of a response.
    /// - Returns: Nil for a body that is not a JSON object.
    package init?(body: [UInt8]) {
        guard let members = (try? StrictJSON.parse(body))?.objectValue else { return nil }
        self.init(members)
    }

    /// Reads an object. Members of the wrong kind count as missing.
    package init(from decoder: any Decoder) throws { self.init(try [String: JSONValue](from: decoder)) }

    private init(_ members: [String: JSONValue]) {
        details = members
        type = details.removeValue(forKey: "type")?.stringValue
        title = details.removeValue(forKey: "title")?.stringValue
        status = details.removeValue(forKey: "status")?.intValue
        detail = details.removeValue(forKey: "detail")?.stringValue
        code = details.removeValue(forKey: "code")?.stringValue.map { StoreErrorCode($0) }
        retryable = details.removeValue(forKey: "retryable")?.boolValue
        retryAfterMs = details.removeValue(forKey: "retryAfterMs")?.intValue
        traceId = details.removeValue(forKey: "traceId")?.stringValue
        remedy = details.removeValue(forKey: "remedy")?.stringValue
    }

    package func encode(to encoder: any Encoder) throws {
        var members = details
        members["type"] = type.map { .string($0) }
        members["title"] = title.map { .string($0) }
        members["status"] = status.map { .integer($0) }
        members["detail"] = detail.map { .string($0) }
        members["code"] = code.map { .string($0.name) }
        members["retryable"] = retryable.map { .bool($0) }
        members["retryAfterMs"] = retryAfterMs.map { .integer($0) }
        members["traceId"] = traceId.map { .string($0) }
        members["remedy"] = remedy.map { .string($0) }
        try members.encode(to: encoder)
    }
}
