import StoreModels

/// A kind of notification as people write it: `DID_RENEW`, `DID_RENEW.BILLING_RECOVERY`.
struct NotificationName: Hashable, Sendable, CustomStringConvertible {
    let type: NotificationType
    /// Nil for no subtype, or for any.
    let subtype: NotificationSubtype?

    init(_ type: NotificationType, _ subtype: NotificationSubtype? = nil) {
        self.type = type
        self.subtype = subtype
    }

    /// Reads a name in any case.
    /// - Throws: `usage` with the nearest type, or the type's subtypes.
    init(parsing text: String) throws(CLIError) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map { $0.uppercased() }
        guard let type = NotificationType(rawValue: parts[0]) else {
            let types = NotificationType.rawValues
            throw CLIError(
                .usage, "there is no notification type '\(parts[0])'",
                hints: Suggestion.hints(for: parts[0], among: types) + ["they are \(types.joined(separator: ", "))"])
        }
        guard parts.count == 2 else {
            self.init(type)
            return
        }
        guard let subtype = NotificationSubtype(rawValue: parts[1]), type.subtypes.contains(subtype) else {
            throw CLIError(
                .usage, "\(type.rawValue) has no subtype '\(parts[1])'", hints: [Self.hint(about: type)])
        }
        self.init(type, subtype)
    }

    /// `DID_RENEW.BILLING_RECOVERY`
    var description: String { type.rawValue + (subtype.map { ".\($0.rawValue)" } ?? "") }

    /// Checks that a notification of the name can be made.
    /// - Throws: `usage` for a type that always has a subtype.
    func checkWhole() throws(CLIError) {
        guard !type.subtypes.contains(subtype) else { return }
        throw CLIError(.usage, "\(type.rawValue) always has a subtype", hints: [Self.hint(about: type)])
    }

    private static func hint(about type: NotificationType) -> Advice {
        "write \(type.subtypes.map { NotificationName(type, $0).description }.joined(separator: ", "))"
    }
}
