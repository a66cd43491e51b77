/// An error in a ``PurchaseIntentURL``: its part and kind.
public struct PurchaseIntentURLFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The part of the URL with the error.
    public enum Part: String, CaseIterable, Sendable, Codable {
        case url, scheme, host, fragment, action, bundleId, productIdentifier
        /// A parameter other than the three.
        case parameter
    }

    /// The kind of error.
    public enum Kind: String, CaseIterable, Sendable, Codable {
        case wrong, missing, duplicate, unknown, unreadable, tooLong
    }

    /// The first part with a fault, from left to right.
    public let part: Part
    /// Decides the advice. `reason` has the sentence.
    public let kind: Kind
    /// The reason, as the end of a sentence that begins with the part.
    public let reason: String

    public init(_ part: Part, _ kind: Kind, _ reason: String) {
        self.part = part
        self.kind = kind
        self.reason = reason
    }

    /// Part and reason as one sentence.
    public var description: String { "\(part.rawValue): \(reason)" }

    /// 422 `urlInvalid` with `details` `{"part":"action","fault":"wrong"}`.
    public var storeError: StoreError {
        StoreError(
            .urlInvalid, description,
            details: ["part": .string(part.rawValue), "fault": .string(kind.rawValue)])
    }
}
