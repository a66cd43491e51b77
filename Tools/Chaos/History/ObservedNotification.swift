import StoreModels

/// A notification as the run's receiving server was sent it.
///
/// A line of the history has it in `app`, `key` (its UUID), `body` (a fingerprint of its bytes) and `detail`.
package struct ObservedNotification: Equatable, Sendable {
    /// The receiving server's answer to a notification, drawn from the run's seed.
    package enum Response: String, CaseIterable, Sendable {
        /// 200 at once.
        case taken
        /// 200 after a while, within the store's timeout.
        case late
        /// 500.
        case refused
        /// The connection ends without an answer.
        case hungUp = "hung-up"
        /// The answer of a broken server: it stalls, drips, or sends bytes that are not text.
        case hostile
    }

    /// The app or isolated store whose endpoint it was sent to.
    package var app: String
    /// Empty for bytes that are not a notification.
    package var uuid: String
    /// Distinguishes different bytes under one UUID.
    package var fingerprint: String
    /// As Apple writes it: `DID_RENEW`.
    package var type: String
    /// Nil without a subtype.
    package var subtype: String?
    /// The transaction's identifier.
    package var transaction: String?
    /// The identifier of the transaction's first purchase.
    package var original: String?
    /// Milliseconds since 1970, by the app's clock.
    package var signed: Int64?
    /// The state of the transaction: `expires=1767225600000 revoked`, as a line of `story` has it.
    package var story: String?
    package var answer: Response

    package init(
        app: String, uuid: String, fingerprint: String, type: String, subtype: String? = nil,
        transaction: String? = nil, original: String? = nil, signed: Int64? = nil, answer: Response
    ) {
        self.app = app
        self.uuid = uuid
        self.fingerprint = fingerprint
        self.type = type
        self.subtype = subtype
        self.transaction = transaction
        self.original = original
        self.signed = signed
        self.answer = answer
    }

    /// Reads a posted notification, without verifying its signature.
    /// - Parameter payload: Decodes the second part of a JWS. Returns nil for other text.
    package init(app: String, posted body: [UInt8], answer: Response, payload: (String) -> JSONValue?) {
        let jws = (try? StrictJSON.parse(body))?["signedPayload"]?.stringValue
        let claims = jws.flatMap(payload)
        let transaction = claims?["data"]?["signedTransactionInfo"]?.stringValue.flatMap(payload)
        self.init(
            app: app, uuid: claims?["notificationUUID"]?.stringValue ?? "", fingerprint: Self.fingerprint(body),
            type: claims?["notificationType"]?.stringValue ?? "", subtype: claims?["subtype"]?.stringValue,
            transaction: transaction?["transactionId"]?.stringValue,
            original: transaction?["originalTransactionId"]?.stringValue,
            signed: claims?["signedDate"]?.intValue.map(Int64.init), answer: answer)
        if let transaction {
            story = [
                transaction["expiresDate"]?.intValue.map { "expires=\($0)" },
                transaction["revocationDate"] != nil ? "revoked" : nil,
            ].compactMap(\.self).joined(separator: " ")
        }
    }

    /// Reads a line of a history.
    init(_ entry: HistoryEntry) {
        let detail = entry.detail ?? [:]
        self.init(
            app: entry.app ?? "", uuid: entry.key ?? "", fingerprint: entry.body ?? "", type: detail["type"] ?? "",
            subtype: detail["subtype"], transaction: detail["transaction"], original: detail["original"],
            signed: detail["signed"].flatMap { Int64($0) },
            answer: detail["answer"].flatMap(Response.init(rawValue:)) ?? .taken)
        story = detail["story"]
    }

    /// The line of a history, without number and time.
    package var entry: HistoryEntry {
        var detail = ["type": type, "answer": answer.rawValue]
        detail["subtype"] = subtype
        detail["transaction"] = transaction
        detail["original"] = original
        detail["signed"] = signed.map { "\($0)" }
        detail["story"] = story
        return HistoryEntry(
            time: 0, process: 0, kind: .event, operation: .notification, app: app, key: uuid, body: fingerprint,
            detail: detail)
    }

    /// `DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED`
    var name: String { subtype.map { "\(type).\($0)" } ?? type }

    /// FNV-1a of 64 bits: tells bytes apart that differ by mistake, which is all it has to.
    package static func fingerprint(_ bytes: [UInt8]) -> String {
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
