/// A reason why a log does not continue behind a reader's position.
public enum PositionFault: String, Hashable, Sendable, CaseIterable {
    /// The text is not a position of a log.
    case malformed
    /// The position is ahead of the log, because the log's database is older than the reader.
    case ahead
    /// Rows behind the position were removed because of their age, so the reader has missed them.
    case removed

    fileprivate var sentence: String {
        switch self {
        case .malformed: "'after' is not a position among this store's events; begin without it"
        case .ahead: "'after' is a position ahead of this store's events; begin without it"
        case .removed: "'after' is a position before the oldest events that are kept; begin without it"
        }
    }
}

extension PositionFault {
    private static let member = "positionFault"

    /// The fault among an error's details.
    public init?(details: [String: JSONValue]) {
        guard let fault = details[Self.member]?.stringValue.flatMap(PositionFault.init(rawValue:)) else { return nil }
        self = fault
    }

    fileprivate var details: [String: JSONValue] {
        ["path": .string("$.after"), Self.member: .string(rawValue)]
    }
}

extension StoreError {
    /// A position that the log does not continue behind. The error is `requestInvalid` with the fault among its
    /// details.
    public static func position(_ fault: PositionFault) -> StoreError {
        StoreError(.requestInvalid, fault.sentence, details: fault.details)
    }

    /// The fault of the request's position, or nil for any other error.
    public var positionFault: PositionFault? { PositionFault(details: details) }
}
