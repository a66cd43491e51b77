/// `/healthz`: whether the broker takes work. `{"status":"ok"}`, or 503 while it stops.
struct Healthz: Encodable {
    let status: String
    var error: String?

    init(_ core: BrokerCore) {
        status = core.drainEnds == nil ? "ok" : "unavailable"
        error = core.drainEnds == nil ? nil : "the broker is stopping"
    }
}
