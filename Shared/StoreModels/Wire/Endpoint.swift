/// A request subject of a service with its request and response types. It is declared once for both sides.
///
/// The service registers a handler for it and the caller names it, so neither spells a subject by hand.
public struct Endpoint<Request: Codable & Sendable, Response: Codable & Sendable>: Sendable {
    /// `sb.<service>.v1.<resource>.<verb>` (`docs/PROTOCOL.md`).
    public private(set) var subject: String
    /// The service's `$SRV` name, which is also its executable's and its compose service's: `payment-queue`.
    public let service: String
    /// The endpoint's name in `$SRV.INFO` and in metrics: `queue.add`.
    public let name: String
    /// Whether a repeated request has the effect of one. The caller nearest the client may then repeat it (with
    /// `Sb-Id`).
    public let isIdempotent: Bool
    /// The codes that the service may answer with, besides ``StoreErrorCode/general``.
    public let errors: [StoreErrorCode]

    init(_ service: ServiceName, _ name: String, isIdempotent: Bool, errors: [StoreErrorCode]) {
        self.subject = "sb.\(service.subjectToken).v1.\(name)"
        self.service = service.rawValue
        self.name = name
        self.isIdempotent = isIdempotent
        self.errors = errors
    }

    /// Returns the endpoint of one instance of the service. Its name in metrics is that of all instances.
    func of(_ instance: String) -> Endpoint {
        with(self) { $0.subject += ".\(instance)" }
    }
}

extension StoreErrorCode {
    /// The codes that a call of any endpoint may meet: a wrong request, a fault, an absent service or a timeout.
    public static let general: [StoreErrorCode] = [
        .requestInvalid, .internal, .serviceUnavailable, .deadlineExceeded, .outcomeUnknown,
    ]
}

/// A request or a reply without members, `{}`.
public struct Empty: Hashable, Sendable, Codable {
    public init() {}
}
