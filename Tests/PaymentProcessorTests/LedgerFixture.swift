import EventLoop
import Logging
import PaymentProcessor
import Persistence
import StoreModels
import StorebusTesting
import Testing

/// A ledger file of a test's own, with the processor's clock in the test's hand: waits are written down and over at
/// once.
final class LedgerFixture: Sendable {
    private let files: TestDatabase
    private let time = Locked(Timestamp(milliseconds: 1_795_000_000_000))
    private let uptime = Locked(Duration.zero)
    private let waits = Locked<[Duration]>([])

    init(_ engine: Engine = .sqlite) throws { files = try TestDatabase(engine, isHandedOn: true) }

    /// Time goes by.
    func advance(by duration: Duration) {
        set(by: duration)
        uptime.withLock { $0 += duration }
    }

    /// The machine's wall clock is set, and no time goes by.
    func set(by duration: Duration) { time.withLock { $0 = $0 + duration } }

    /// How long was waited so far, wait by wait.
    var waited: [Duration] { waits.withLock { $0 } }

    /// One life of the processor on the ledger file.
    ///
    /// - Parameter whileWaiting: what happens during each wait.
    func withLedger<Output>(
        _ behavior: any ProcessorBehavior = SandboxBehavior(mode: .approve),
        whileWaiting: @escaping @Sendable (ChargeLedger) async throws -> Void = { _ in },
        _ body: (ChargeLedger) async throws -> Output
    ) async throws -> Output {
        try await withDatabase { database in
            let wall: @Sendable () -> Timestamp = { self.time.withLock { $0 } }
            let start = self.uptime.withLock(\.self)
            let uptime: @Sendable () -> Duration = { self.uptime.withLock { $0 - start } }
            let other = ChargeLedger(database: database, behavior: behavior, wall: wall, uptime: uptime)
            let ledger = ChargeLedger(
                database: database, behavior: behavior, wall: wall, uptime: uptime,
                sleep: { duration in
                    self.waits.withLock { $0.append(duration) }
                    try await whileWaiting(other)
                })
            return try await body(ledger)
        }
    }

    /// Two processors at a time on one ledger: on PostgreSQL each with connections of its own.
    func withTwoLedgers<Output>(
        _ behavior: any ProcessorBehavior, _ body: ([ChargeLedger]) async throws -> Output
    ) async throws -> Output {
        try await withLedger(behavior) { first in
            guard files.engine == .postgres else { return try await body([first, first]) }
            return try await withLedger(behavior) { try await body([first, $0]) }
        }
    }

    /// The file itself, opened and closed again.
    func withDatabase<Output>(
        migrations: [Migration] = PaymentProcessorSchema.migrations, _ body: (any SQLDatabase) async throws -> Output
    ) async throws -> Output {
        try await files.with(migrations: migrations, body)
    }

    static func request(
        _ key: String, _ amount: String = "1.99", currency: String = "USD", simulate: ProcessorMode? = nil
    ) throws -> CreateChargeRequest {
        let currency = try #require(Currency(code: currency))
        return CreateChargeRequest(
            chargeKey: key, amount: try #require(Money(amount: amount, currency: currency)),
            bundleId: "com.example.app", customerIdentifier: "c_1", productIdentifier: "coins", simulate: simulate)
    }
}

/// Callbacks in the order they were sent.
final class Callbacks: Sendable {
    private let keys = Locked<[String]>([])

    var sent: [String] { keys.withLock { $0 } }

    func hear(_ change: ChargeChanged) { keys.withLock { $0.append(change.chargeKey) } }

    func settler(of ledger: ChargeLedger) -> ChargeSettler {
        ChargeSettler(ledger: ledger) { self.hear($0) }
    }
}

extension ChargeLedger {
    func charge(_ key: String) async throws -> Charge? {
        try await list(ChargeListRequest(limit: 500)).charges.first { $0.chargeKey == key }
    }
}
