/// A discovery request, answered by every service (NATS ADR-32, and Storebus's HEALTH).
enum DiscoveryVerb: String, CaseIterable, Sendable {
    case ping = "PING"
    case info = "INFO"
    case stats = "STATS"
    case health = "HEALTH"

    /// The subjects an instance answers on: the common one, its service's, its own.
    func subjects(_ identity: ServiceIdentity) -> [String] {
        [
            subject(), subject(name: identity.name), "\(subject(name: identity.name)).\(identity.id)",
        ]
    }

    /// The subject that addresses all services, or all instances of one.
    func subject(name: String? = nil) -> String {
        name.map { "$SRV.\(rawValue).\($0)" } ?? "$SRV.\(rawValue)"
    }
}
