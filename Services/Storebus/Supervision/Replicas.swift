import StoreModels

/// `--replicas payment-queue=2,eligibility=3`: how many processes of a service there shall be.
struct Replicas: Hashable, Sendable {
    /// Of those that are not one.
    private(set) var counts: [String: Int] = [:]

    /// More on one machine only take each other's time.
    static let max = 16

    init() {}

    /// - Parameter words: `payment-queue=2`, or several with commas between.
    /// - Throws: `usage` with what was perhaps meant.
    init(_ words: [String]) throws(CLIError) {
        for word in words.flatMap({ $0.split(separator: ",") }) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                throw CLIError(
                    .usage, "--replicas takes SERVICE=N, not '\(word)'", hints: ["for example payment-queue=2"])
            }
            try add(parts[0], parts[1])
        }
    }

    private mutating func add(_ service: String, _ text: String) throws(CLIError) {
        guard service != ServiceRoster.broker else {
            throw CLIError(
                .usage, "the broker is one process: services meet on it",
                hints: ["any other service can have replicas, such as payment-queue=2"])
        }
        guard let known = ServiceName(rawValue: service) else {
            let names = ServiceName.allCases.map(\.rawValue)
            let near = Suggestion.nearest(to: service, among: names).map { "did you mean '\($0)'?" }
            throw CLIError(
                .usage, "there is no service '\(service)'", hints: [near ?? "they are \(names.joined(separator: ", "))"]
            )
        }
        guard let count = Int(text), (1...Self.max).contains(count) else {
            throw CLIError(.usage, "--replicas \(service)= is a number from 1 to \(Self.max), not '\(text)'")
        }
        counts[known.rawValue] = count == 1 ? nil : count
    }

    func count(_ service: String) -> Int { counts[service] ?? 1 }

    /// As they are written.
    var words: [String] { counts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }

    /// Services that keep a database of their own; only Eligibility has none.
    static let storing: Set<String> = [
        ServiceName.catalog.rawValue, ServiceName.paymentQueue.rawValue, ServiceName.promotionController.rawValue,
        ServiceName.paymentProcessor.rawValue, ServiceName.gateway.rawValue,
    ]

    /// One process at a time holds a SQLite file.
    /// - Throws: `replicasNeedDatabase` for a service that stores and has no other database.
    func check(database: DatabaseAddress?) throws(CLIError) {
        let held = counts.keys.filter { Self.storing.contains($0) }.sorted()
        guard database == nil, let service = held.first else { return }
        throw CLIError(
            .replicasNeedDatabase,
            "\(count(service)) of \(service) cannot share its SQLite file, which one process at a time holds",
            hints: [
                "name a PostgreSQL: --database-url postgres://user@host/db, or DATABASE_URL",
                "or start one: without --replicas \(service)",
            ], details: ["services": .array(held.map { .string($0) })])
    }
}
