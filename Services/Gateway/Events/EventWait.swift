import StoreModels

/// The query of `GET /admin/v1/events/wait`.
struct EventWait {
    /// How long at most; more is 400.
    static let longest = Duration.seconds(60)
    /// How long without `timeout`.
    static let usual = Duration.seconds(30)

    let request: EventsRequest
    let timeout: Duration

    /// - Throws: `requestInvalid`.
    init(_ call: Call) throws(StoreError) {
        let query = call.query
        request = EventsRequest(
            after: try call.after(), type: try query.choice("type", StoreEvent.Kind.self),
            account: try call.accountFilter(), bundleId: try call.bundleFilter(), limit: HTTPLimits.pageMax)
        timeout = try query.single("timeout").map(Self.duration) ?? Self.usual
    }

    /// `500ms`, `5s`, `1m`, or seconds without a unit. 0 does not wait: it tells where "now" is.
    static func duration(_ text: String) throws(StoreError) -> Duration {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit: Duration? =
            switch text.dropFirst(digits.count) {
            case "ms": .milliseconds(1)
            case "", "s": .seconds(1)
            case "m": .seconds(60)
            default: nil
            }
        guard let unit, let count = Int32(digits), unit * Int(count) <= longest else {
            throw .invalid("query timeout", "must be a time of at most a minute, such as 500ms, 5s or 1m")
        }
        return unit * Int(count)
    }
}
