import FoundationEssentials
import StoreModels

/// Notifications as a table:
///
/// ```
/// NOTIFICATION  ACCOUNT  TYPE       STATE      ATTEMPTS  AT
/// 3f2a1c9e      alice    DID_RENEW  delivered         1  2026-11-28 10:00:04Z
/// ```
enum NotificationTable {
    static func result(_ notifications: [ServerNotification], next: Advice, after: String?) -> CommandResult {
        CommandResult(
            notifications, ["NOTIFICATION", "ACCOUNT", "TYPE", .state("STATE"), .right("ATTEMPTS"), "AT"],
            named: \.notificationUUID,
            json: { NotificationInfo.json($0).with(["attemptCount": .integer($0.attempts.count)]) }, next: next,
            after: after, ifEmpty: "no notifications"
        ) { one in
            [
                one.shortIdentifier, one.account ?? "-", one.name.description, one.state.rawValue,
                "\(one.attempts.count)", Format.time(one.at),
            ]
        }
    }
}

/// One notification with its attempts and its decoded payload.
struct NotificationInfo: Sendable {
    let notification: ServerNotification

    var result: CommandResult {
        let app = AppOptions.flag(notification.bundleId)
        return CommandResult(
            data: Self.json(notification), names: [notification.notificationUUID],
            next: notification.state == .noEndpoint
                ? "storebus notifications endpoint http://localhost:8080/apple\(app)"
                : "storebus notifications resend \(notification.shortIdentifier)\(app)"
        ) { [self] in text($0) }
    }

    /// The notification as JSON, with its kind in one word and its payload decoded.
    static func json(_ notification: ServerNotification) -> JSONValue {
        JSONText.value(notification).with([
            "kind": .string(notification.name.description),
            "payload": notification.signedPayload.flatMap(SignedPayload.decoded),
        ])
    }

    private func text(_ style: Style) -> String {
        let fields: FieldList = [
            "notification": notification.notificationUUID, "type": notification.name.description,
            "account": notification.account, "at": Format.time(notification.at),
            "state": notification.state.rawValue, "next attempt": notification.nextAttemptAt.map(Format.time),
        ]
        var text = fields.text(style)
        if !notification.attempts.isEmpty { text += "\n" + attempts.text(style) }
        if let payload = notification.signedPayload.flatMap(SignedPayload.decoded) {
            text += "\n" + JSONText.indented(payload) + "\n"
        }
        return text
    }

    private var attempts: Table {
        let columns: [Table.Column] = ["ATTEMPT", .state("RESULT"), .right("STATUS"), .right("TOOK"), "BODY"]
        return Table(columns, notification.attempts) { attempt in
            [
                Format.time(attempt.attemptDate), attempt.sendAttemptResult?.rawValue ?? "under way",
                attempt.httpStatus.map { "\($0)" } ?? "-", attempt.durationMs.map { "\($0) ms" } ?? "-",
                attempt.bodyStart ?? "",
            ]
        }
    }
}

extension ServerNotification {
    /// The beginning of the UUID, by which commands find it.
    var shortIdentifier: String { String(notificationUUID.prefix(8)) }

    var name: NotificationName { NotificationName(notificationType, subtype) }
}

/// Decodes the store's signed payloads, without verifying them.
enum SignedPayload {
    /// The members of `data` that are signed by themselves.
    static let signed = ["signedTransactionInfo", "signedRenewalInfo"]

    /// Decodes a notification's payload, with the signed members of `data` decoded too.
    /// - Returns: Nil for text that is not a JWS of JSON.
    static func decoded(_ jws: String) -> JSONValue? {
        guard let payload = payload(jws), var members = payload.objectValue else { return nil }
        guard var data = members["data"]?.objectValue else { return payload }
        for name in signed {
            if let inner = data[name]?.stringValue.flatMap({ self.payload($0) }) { data[name] = inner }
        }
        members["data"] = .object(data)
        return .object(members)
    }

    /// Decodes the second of a JWS's three parts.
    static func payload(_ jws: String) -> JSONValue? {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let standard = String(parts[1].map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: standard + padding).flatMap { try? StrictJSON.parse(Array($0)) }
    }
}

/// An app's endpoint as facts:
///
/// ```
/// url      http://localhost:8080/apple
/// retry    sandbox
/// timeout  5000 ms
/// ```
struct EndpointInfo: Sendable {
    /// Nil for an app without one.
    let endpoint: NotificationEndpoint?
    let bundleId: String

    var result: CommandResult {
        let option = AppOptions.flag(bundleId)
        guard let endpoint else {
            return CommandResult(
                "no endpoint: notifications of \(bundleId) are made and not sent\n",
                data: ["bundleId": .string(bundleId), "endpoint": .null], names: [],
                next: "storebus notifications endpoint http://localhost:8080/apple\(option)")
        }
        let fields: FieldList = [
            "url": endpoint.url, "retry": endpoint.retry.rawValue, "timeout": "\(endpoint.timeoutMs) ms",
            "shuffle": endpoint.shuffle == true ? "yes" : nil, "duplicate": endpoint.duplicate == true ? "yes" : nil,
        ]
        return CommandResult(
            fields, data: ["bundleId": .string(bundleId), "endpoint": JSONText.value(endpoint)], names: [endpoint.url],
            next: "storebus notifications list\(option)")
    }
}
