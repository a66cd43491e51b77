/// `/healthz`: whether the broker takes work. `{"status":"ok"}`, or 503 while it stops. `"chaos":true` beside it where
/// faults can be asked for, so that nobody takes such a broker for a sound one.
struct Healthz: Encodable {
    let status: String
    var statusCode: Int?
    var error: String?
    /// Nil, and not there, in an ordinary broker.
    var chaos: Bool?

    init(_ core: BrokerCore) {
        status = core.drainEnds == nil ? "ok" : "unavailable"
        statusCode = core.drainEnds == nil ? nil : 503
        error = core.drainEnds == nil ? nil : "the broker is stopping"
        chaos = core.chaos == nil ? nil : true
    }
}
