/// What can be asked of every service on the bus (NATS ADR-32, and HEALTH of ours).
enum DiscoveryVerb: String, CaseIterable, Sendable {
    case ping = "PING"
    case info = "INFO"
    case stats = "STATS"
    case health = "HEALTH"

    /// The subjects an instance answers on: everybody's, its service's, its own.
    func subjects(_ identity: ServiceIdentity) -> [String] {
        [
            subject(), subject(name: identity.name), "\(subject(name: identity.name)).\(identity.id)",
        ]
    }

    /// The subject to ask everybody, or all instances of one service.
    func subject(name: String? = nil) -> String {
        name.map { "$SRV.\(rawValue).\($0)" } ?? "$SRV.\(rawValue)"
    }
}
