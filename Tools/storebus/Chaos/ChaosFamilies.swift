import Chaos
import EventLoop
import StoreHTTP
import StoreModels

/// Has the persons of a family buy, join, leave and lose purchases, in an app that nothing else uses.
///
/// A request with an unknown outcome is sent again before the next one of its kind. In the end all of them have an
/// outcome, and each person's transactions are read.
struct ChaosFamilies: ChaosPart {
    /// State of a person's purchase of a product, as far as the run knows it.
    private enum Holding {
        case none
        /// It is bought under this key, or was not.
        case buying(key: String)
        case bought(id: String)
        /// It is taken back, or was not.
        case refunding(id: String)

        var isCertain: Bool {
            switch self {
            case .none, .bought: true
            case .buying, .refunding: false
            }
        }
    }

    private struct Wanted: Hashable {
        var person: Int
        var product: String
    }

    private let client: ChaosClient
    private let seed: UInt64
    /// Reads an app's ledger.
    private let charges: @Sendable (_ bundleId: String) async throws(CLIError) -> [ObservedCharge]
    private let holdings = Locked<[Wanted: Holding]>([:])

    private static let family = "chaos"
    private static let persons = 0..<4
    /// A member in the end, with both products.
    private static let buyer = 2
    /// A person outside the family in the end.
    private static let outsider = 1
    private static let products = ["chaos.map", "chaos.pro.monthly"]
    /// Milliseconds between two requests.
    private static let pauses = 200...800
    /// Time for the last requests to get an outcome, and for what is shared to arrive.
    private static let settleTimeout = Duration.seconds(30)

    var bundleId: String { "\(client.world.bundleId).families" }
    /// As lines have it.
    private var scope: String { "\(client.world.bundleId)/families" }
    var accounts: [String] { Self.persons.map(account) }
    var devices: [String] { accounts.map { "\($0)-1" } }

    private func account(_ person: Int) -> String { "\(client.world.accounts[0])-family-\(person + 1)" }

    init(
        _ client: ChaosClient, seed: UInt64,
        _ charges: @escaping @Sendable (_ bundleId: String) async throws(CLIError) -> [ObservedCharge]
    ) {
        self.client = client
        self.seed = seed
        self.charges = charges
    }

    /// Makes the app, its customers, and a family of the first.
    func setUp() async throws(CLIError) {
        let shareable = ChaosCatalog.storekit.split(separator: #""familyShareable":false"#)
            .joined(separator: #""familyShareable":true"#)
        try await client.api.importCatalog(Array(shareable.utf8), fileName: "Families.storekit", bundleId: bundleId)
        for person in Self.persons { _ = try await session(person) }
        _ = try await client.api.call(FamilyRoutes.put, values, body: NewFamily(organiser: account(0)))
    }

    /// Sends requests until the task is cancelled.
    func run() async {
        var random = SeededGenerator(seed: seed, stream: 40_000)
        while !Task.isCancelled {
            let person = Int.random(in: Self.persons, using: &random)
            let product = Self.products[Int.random(in: Self.products.indices, using: &random)]
            let pick = Int.random(in: 0..<10, using: &random)
            let pause = Int.random(in: Self.pauses, using: &random)
            // In a task of its own, so that each request that was begun gets its line.
            await Task {
                switch pick {
                case 0...5: await shop(Wanted(person: person, product: product))
                case 6...7: await setMember(person, true)
                default: await setMember(person, false)
                }
            }.value
            try? await ContinuousClock().sleep(for: .milliseconds(pause))
        }
    }

    /// Gives every request an outcome, and writes what each person has once it stays the same.
    func finish() async {
        let deadline = ContinuousClock.now + Self.settleTimeout
        guard await settle(by: deadline), await setMembers(by: deadline), let all = await readAll(by: deadline),
            let ledger = try? await charges(bundleId)
        else { return }
        for (person, transactions) in all.enumerated() {
            let held = transactions.filter { $0.transactionState == .purchased }
            var line = line("held", person)
            line.kind = .ok
            line.detail?["member"] = "\(person != Self.outsider)"
            line.detail?["own"] = text(held.filter { $0.isFamilyShared != true })
            line.detail?["shared"] = text(held.filter { $0.isFamilyShared == true })
            client.history.append(line)
        }
        var line = line("charged", nil)
        line.kind = .ok
        line.charges = ledger
        client.history.append(line)
        client.world.count(.family, .ok)
    }

    /// - Returns: Whether each purchase and refund has an outcome.
    private func settle(by deadline: ContinuousClock.Instant) async -> Bool {
        while ContinuousClock.now < deadline {
            let holdings = holdings.withLock(\.self)
            var open = holdings.filter { !$0.value.isCertain }.map(\.key)
            // One member has both products to share in the end.
            for product in Self.products {
                let wanted = Wanted(person: Self.buyer, product: product)
                if case .none = holdings[wanted] ?? .none { open.append(wanted) }
            }
            if open.isEmpty { return true }
            for wanted in open { await shop(wanted) }
            try? await ContinuousClock().sleep(for: .milliseconds(200))
        }
        return false
    }

    /// Sets who is in the family. An answer of success means that its purchases are shared.
    /// - Returns: Whether each person's membership is known.
    private func setMembers(by deadline: ContinuousClock.Instant) async -> Bool {
        for person in Self.persons.dropFirst() {
            while true {
                let kind = await setMember(person, person != Self.outsider)
                // A person who is in no family cannot leave it.
                if kind == .ok || kind == .fail && person == Self.outsider { break }
                guard ContinuousClock.now < deadline else { return false }
                try? await ContinuousClock().sleep(for: .milliseconds(200))
            }
        }
        return true
    }

    /// Reads every person's transactions until two reads, a second apart, are equal.
    private func readAll(by deadline: ContinuousClock.Instant) async -> [[PaymentTransaction]]? {
        var before: [[PaymentTransaction]]?
        while ContinuousClock.now < deadline {
            let now = try? await readAll()
            if now != nil, now == before { return now }
            before = now
            try? await ContinuousClock().sleep(for: .seconds(1))
        }
        return nil
    }

    // MARK: Requests

    /// Buys what the person does not have, takes back what they have, or repeats the last of these.
    private func shop(_ wanted: Wanted) async {
        switch holdings.withLock({ $0[wanted] }) ?? .none {
        case .none: await buy(wanted, client.world.newKey())
        case .buying(let key): await buy(wanted, key)
        case .bought(let id), .refunding(let id): await refund(wanted, id)
        }
    }

    private func buy(_ wanted: Wanted, _ key: String) async {
        guard let token = try? await session(wanted.person) else { return }
        var line = line("bought", wanted.person)
        (line.product, line.key) = (wanted.product, key)
        let outcome = await client.perform(
            line, PaymentRoutes.add, token: token, key: key,
            body: PaymentRequest(productIdentifier: wanted.product)
        ) { made, _, end in
            end.detail?.merge(ChaosIsolatedStores.detail(of: made)) { $1 }
            if made.transactionState == .failed { end.kind = .fail }
            if made.transactionState == .purchasing { end.kind = .info }
        }
        switch outcome.kind {
        case .ok: hold(wanted, outcome.value.map { .bought(id: $0.id) } ?? .none)
        case .fail: hold(wanted, .none)
        default: hold(wanted, .buying(key: key))
        }
    }

    private func refund(_ wanted: Wanted, _ id: String) async {
        var line = line("refunded", wanted.person)
        line.detail?["id"] = id
        let outcome = await client.perform(line, TransactionRoutes.refund, [.id: id], token: nil) { _, _, _ in }
        hold(wanted, outcome.kind == .info ? .refunding(id: id) : .none)
    }

    private func hold(_ wanted: Wanted, _ holding: Holding) { holdings.withLock { $0[wanted] = holding } }

    /// Adds a person to the family, or takes them out. The organiser stays.
    @discardableResult
    private func setMember(_ person: Int, _ isMember: Bool) async -> HistoryEntry.Kind {
        guard person > 0 else { return .ok }
        let values = values.merging([.account: account(person)]) { $1 }
        if isMember {
            return await client.perform(
                line("joined", person), FamilyRoutes.putMember, values, token: nil, body: FamilySharing()
            ) { _, _, _ in }.kind
        }
        return await client.perform(line("left", person), FamilyRoutes.removeMember, values, token: nil) { _, _, _ in }
            .kind
    }

    private var values: [PathParameter: String] { [.bundleId: bundleId, .family: Self.family] }

    private func session(_ person: Int) async throws(CLIError) -> String {
        let account = account(person)
        let installation = Installation(bundleId: bundleId, account: account, deviceId: "\(account)-1")
        return try await client.api.call(SessionRoutes.open, body: installation.sessionRequest()).token
    }

    // MARK: Reads

    private func readAll() async throws(CLIError) -> [[PaymentTransaction]] {
        var all: [[PaymentTransaction]] = []
        for person in Self.persons {
            all.append(try await client.api.all(TransactionRoutes.history, token: try await session(person)))
        }
        return all
    }

    private func text(_ transactions: [PaymentTransaction]) -> String {
        transactions.map { one in
            HeldTransaction(
                id: one.id, product: one.payment.productIdentifier, bought: one.transactionDate?.milliseconds ?? 0,
                isActive: one.revocationDate == nil
            ).text
        }.joined(separator: " ")
    }

    private func line(_ what: String, _ person: Int?) -> HistoryEntry {
        HistoryEntry(
            time: 0, process: client.world.newProcess(), kind: .invoke, operation: .family, app: scope,
            account: person.map(account), detail: ["what": what])
    }
}
