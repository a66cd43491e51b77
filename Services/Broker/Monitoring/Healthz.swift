/// `/healthz`: whether the broker accepts work. `{"status":"ok"}`, or 503 while it stops. `"chaos":true` marks a broker
/// with fault injection, so that it is not mistaken for a normal one.
struct Healthz: Encodable {
    let status: String
    var statusCode: Int?
    var error: String?
    /// Nil, and thus absent, in an ordinary broker.
    var chaos: Bool?

    init(_ core: BrokerCore) {
        status = core.drainEnds == nil ? "ok" : "unavailable"
        statusCode = core.drainEnds == nil ? nil : 503
        error = core.drainEnds == nil ? nil : "the broker is stopping"
        chaos = core.chaos == nil ? nil : true
    }
}
