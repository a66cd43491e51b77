import StoreModels

/// A bus that somebody else runs and a store joins, read without connecting: `nats://a,b,c` or `storebus://host:7420`.
struct ExternalBus: Hashable, Sendable {
    /// As services are given it. It may have a secret in it, so it is never printed and never an argument.
    let url: String
    /// `--bus-url` or `BUS_URL`.
    let origin: String
    /// For people: the URL without what is secret.
    let place: String

    private static let schemes = ["storebus://", "nats://"]

    /// - Throws: `usage` for what is no such URL. The sentence repeats nothing of it.
    init(_ url: String, origin: String) throws(CLIError) {
        guard let scheme = Self.schemes.first(where: url.hasPrefix), url.utf8.count > scheme.utf8.count else {
            throw CLIError(
                .usage, "\(origin) is no bus a store can join",
                hints: ["write nats://a,b,c or storebus://host:7420", "leave it out for a broker of the store's own"])
        }
        let rest = url.dropFirst(scheme.count)
        self.url = url
        self.origin = origin
        place = scheme + (rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest)
    }

    /// The flag goes before the variable.
    /// - Returns: nil when neither is there: the store starts a broker.
    /// - Throws: `usage` for what is no bus, and for a secret where every process of the machine can see it.
    static func find(flag: String?, _ variables: [String: String]) throws(CLIError) -> ExternalBus? {
        if let flag {
            let bus = try ExternalBus(flag, origin: "--bus-url")
            guard bus.place == flag else {
                throw CLIError(
                    .usage, "a secret on the command line can be seen by everybody on this machine",
                    hints: ["keep it in a file: BUS_CREDENTIALS_FILE", "or set BUS_URL instead of --bus-url"])
            }
            return bus
        }
        guard let url = variables["BUS_URL"], !url.isEmpty else { return nil }
        return try ExternalBus(url, origin: "BUS_URL")
    }
}
