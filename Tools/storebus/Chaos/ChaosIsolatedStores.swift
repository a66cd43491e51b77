import Chaos
import EventLoop
import StoreHTTP
import StoreModels

/// Makes isolated stores while a run goes on, uses each beside the run's app, and lets it go.
///
/// Customers of a store have the names and devices of the run's own, so that mix-ups are seen. Some of them have
/// settings there that stop each of their purchases.
struct ChaosIsolatedStores: ChaosPart {
    /// How a store ends.
    enum End: CaseIterable {
        /// Removed right behind its last purchase.
        case removedAtOnce
        /// Removed when its notifications have come.
        case removed
        /// Left to a time to live of seconds.
        case expired
        /// Kept until the end of the run.
        case kept
    }

    /// A store under the run's control.
    private struct Made: Sendable {
        var name: String
        /// As lines and endpoints have it: `chaos.1f/t-7`.
        var scope: String
        var api: StoreAPI
        /// The instant that its clock is set to.
        var clock: Timestamp
        var ttl: Duration?
        /// The time at which the client got the answer to its creation.
        var made: ContinuousClock.Instant
        /// Purchases that were acknowledged as bought.
        var bought = 0
    }

    let client: ChaosClient
    let notifications: ChaosNotifications?
    let seed: UInt64
    private let kept = Locked<[Made]>([])

    /// Stores in work at the same time.
    private static let concurrency = 2
    private static let keptMax = 3
    private static let purchases = 1...5
    /// Milliseconds between two stores of one worker.
    private static let pauses = 200...1_500
    /// Seconds that a store lasts which is left to its end.
    private static let lifetimes = 3...6
    /// Time to wait for a store's notifications. The schedule of `fast` may need it for a notification that was refused
    /// twice.
    private static let waitMax = Duration.seconds(10)
    /// Time after its end at which a store may still be found open.
    private static let margin = Duration.seconds(3)

    /// Makes stores until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for number in 1...Self.concurrency {
                group.addTask {
                    // Streams below 20 000 are those of workers and overloads.
                    var random = SeededGenerator(seed: seed, stream: 20_000 + UInt64(number))
                    while !Task.isCancelled {
                        let (end, pick) = (End.allCases.randomElement(using: &random) ?? .removed, random.next())
                        let pause = Int.random(in: Self.pauses, using: &random)
                        // In a task of its own: a store that was made is removed, too.
                        _ = await Task { await live(end, pick) }.value
                        try? await ContinuousClock().sleep(for: .milliseconds(pause))
                    }
                }
            }
        }
    }

    /// Makes, uses and removes stores. It stops once a store has lived to its end, and another was removed at once.
    ///
    /// The app's next sale comes behind the last line of the removed store.
    func tour() async {
        for end in [End.removed, .removedAtOnce] {
            for _ in 0..<10 where !Task.isCancelled {
                if await live(end, 0) { break }
                try? await ContinuousClock().sleep(for: .milliseconds(250))
            }
        }
        _ = await client.poll { () -> Bool? in
            guard let stores = try? await client.api.all(IsolatedStoreRoutes.list) else { return nil }
            return stores.allSatisfy { $0.state == .open } ? true : nil
        }
    }

    /// Reads and removes the stores that were kept, behind the last notification.
    func finish() async {
        let stores = kept.withLock { stores in
            defer { stores = [] }
            return stores
        }
        for store in stores {
            await waitForNotifications(of: store, isSettled: true)
            await look(at: store, process: client.world.newProcess())
            await remove(store, process: client.world.newProcess())
        }
    }

    // MARK: The life of a store

    /// - Returns: Whether it was made, used and let go.
    @discardableResult
    private func live(_ end: End, _ pick: UInt64) async -> Bool {
        var random = SeededGenerator(seed: pick)
        let process = client.world.newProcess()
        let end = end == .kept && kept.withLock({ $0.count }) >= Self.keptMax ? .removed : end
        let lifetime = end == .expired ? Duration.seconds(Int.random(in: Self.lifetimes, using: &random)) : nil
        guard var store = await make(ttl: lifetime, isByHeader: random.next() % 2 == 0, process: process) else {
            return false
        }
        // Without an endpoint its notifications are made and not sent, so it buys nothing.
        guard await isListening(to: store) else { return await remove(store, process: process) }
        let accounts = (0..<client.world.shoppers).shuffled(using: &random)
        func phone(_ account: Int) -> ChaosWorld.Phone {
            client.world.phone(account, Int(random.next() % 2) % client.world.devicesEach)
        }
        // At least one account has no settings.
        let stopped = zip(accounts.dropLast(), StoppingSetting.allCases)
        for (account, setting) in stopped {
            let phone = phone(account)
            await set(setting, phone, in: store, process: process)
            // A setting that was not stored stops nothing.
            if await buy(ChaosCatalog.items[0].identifier, phone, in: store, stoppedBy: setting, process: process) {
                store.bought += 1
            }
        }
        let free = accounts.dropFirst(StoppingSetting.allCases.count)
        let count = Int.random(in: Self.purchases, using: &random)
        for number in 1...count {
            let phone = phone(free.randomElement(using: &random) ?? accounts[accounts.count - 1])
            let item = ChaosCatalog.items[number == 1 ? 2 : 0]
            if await buy(item.identifier, phone, in: store, process: process) { store.bought += 1 }
        }
        switch end {
        case .removedAtOnce: return await remove(store, process: process)
        case .removed:
            await waitForNotifications(of: store, isSettled: false)
            await look(at: store, process: process)
            return await remove(store, process: process)
        case .expired:
            await look(at: store, process: process)
            if let ttl = store.ttl { try? await ContinuousClock().sleep(until: store.made + ttl + Self.margin) }
            await knock(at: store, process: process, "expired")
            notifications?.forget(store.scope)
            return true
        case .kept:
            let made = store
            kept.withLock { $0.append(made) }
            return true
        }
    }

    /// Sets the receiving server as the store's endpoint.
    private func isListening(to store: Made) async -> Bool {
        guard let notifications else { return true }
        let set = try? await Retry.run(until: .now + .seconds(5)) { () throws(CLIError) in
            try await store.api.call(
                NotificationRoutes.putEndpoint, [.bundleId: client.world.bundleId],
                body: notifications.endpoint(of: store.scope))
        }
        return set != nil
    }

    private func make(ttl: Duration?, isByHeader: Bool, process: Int) async -> Made? {
        let clock = Timestamp(milliseconds: 1_767_225_600_000 + Int64(process) * 1_000)
        var body = NewIsolatedStore(from: .init(bundleId: client.world.bundleId), clock: clock)
        body.ttl = ttl.map { "\($0.components.seconds)s" } ?? "7d"
        var line = line(process, client.world.bundleId, "made")
        line.detail?["ttl"] = body.ttl ?? ""
        let world = client.world
        let outcome = await client.perform(line, IsolatedStoreRoutes.create, token: nil, body: body) { made, _, end in
            end.app = Self.scope(made.store, world)
        }
        guard let made = outcome.value else { return nil }
        var api = client.api
        api.transport = IsolatedTransport(base: client.api.transport, store: made.store, isByHeader: isByHeader)
        return Made(
            name: made.store, scope: Self.scope(made.store, client.world), api: api, clock: clock, ttl: ttl,
            made: .now)
    }

    private static func scope(_ store: String, _ world: ChaosWorld) -> String { "\(world.bundleId)/\(store)" }

    /// Sets a customer up in one store, so that each purchase there stops.
    private func set(_ setting: StoppingSetting, _ phone: ChaosWorld.Phone, in store: Made, process: Int) async {
        var settings = TesterSettings()
        switch setting {
        case .processor: settings.processor = .decline
        case .askToBuy: settings.askToBuy = true
        case .interruptPurchases: settings.interruptPurchases = true
        }
        var line = line(process, store.scope, "set")
        line.account = phone.account
        line.detail?["setting"] = setting.rawValue
        await client.perform(
            line, AccountRoutes.put, [.account: phone.account], token: nil, body: settings, api: store.api
        ) { _, _, _ in }
    }

    /// Buys under one key until the outcome is known, three times at most.
    /// - Parameter setting: The setting that stops it, or nil for a customer without settings.
    /// - Returns: Whether it was bought.
    private func buy(
        _ product: String, _ phone: ChaosWorld.Phone, in store: Made, stoppedBy setting: StoppingSetting? = nil,
        process: Int
    ) async -> Bool {
        guard let token = await token(phone, in: store) else { return false }
        let key = client.world.newKey()
        var line = line(process, store.scope, setting == nil ? "bought" : "stopped")
        line.detail?["setting"] = setting?.rawValue
        (line.account, line.device, line.product, line.key) = (phone.account, phone.device, product, key)
        for _ in 1...3 {
            let outcome = await client.perform(
                line, PaymentRoutes.add, token: token, key: key, body: PaymentRequest(productIdentifier: product),
                api: store.api
            ) { made, _, end in
                end.detail?.merge(Self.detail(of: made)) { $1 }
                if made.transactionState == .failed { end.kind = .fail }
            }
            if outcome.kind != .info { return outcome.value?.transactionState == .purchased }
        }
        return false
    }

    /// The fields of a line about a purchase outside the run's own app.
    static func detail(of made: PaymentTransaction) -> [String: String] {
        var detail = ["id": made.id, "state": made.transactionState.rawValue]
        detail["number"] = made.transactionIdentifier
        detail["price"] = made.price.map { "\($0.minorUnits)" }
        detail["expires"] = made.expiresDate.map { "\($0.milliseconds)" }
        detail["error"] = made.error?.setting
        return detail
    }

    private func token(_ phone: ChaosWorld.Phone, in store: Made) async -> String? {
        let installation = Installation(
            bundleId: client.world.bundleId, account: phone.account, deviceId: phone.device)
        return try? await store.api.call(SessionRoutes.open, body: installation.sessionRequest()).token
    }

    /// Reads the store's purchases, of every customer.
    private func look(at store: Made, process: Int) async {
        let world = client.world
        for account in 0..<world.shoppers {
            let phone = world.phone(account, 0)
            guard let token = await token(phone, in: store) else { continue }
            var line = line(process, store.scope, "history")
            (line.account, line.device) = (phone.account, phone.device)
            await client.perform(
                line, TransactionRoutes.history, query: ["limit": "100"], token: token, api: store.api
            ) { page, _, end in
                end.detail?["ids"] = page.transactions.map(\.id).joined(separator: " ")
            }
        }
        var line = line(process, store.scope, "events")
        await client.perform(
            line, EventRoutes.last, query: ["limit": "100"], token: nil, api: store.api
        ) { page, _, end in
            end.detail?["ids"] = page.events.map(\.transaction.id).joined(separator: " ")
        }
        // An operator's identifier of the app's purchase names nothing in the store, and the other way round.
        if let one = world.purchased(UInt64(process)) {
            line.detail = ["what": "reach", "id": one.id]
            await client.perform(
                line, TransactionRoutes.find, [.id: one.id], token: nil, api: store.api
            ) { _, status, end in end.detail?["answered"] = "\(status)" }
        }
        line.detail = ["what": "clock", "set": "\(store.clock.milliseconds)"]
        await client.perform(
            line, ClockRoutes.get, [.bundleId: world.bundleId], token: nil, api: store.api
        ) { clock, _, end in end.detail?["now"] = "\(clock.now.milliseconds)" }
    }

    /// Waits until a notification of each purchase has come.
    private func waitForNotifications(of store: Made, isSettled: Bool) async {
        guard let notifications else { return }
        let deadline = ContinuousClock.now + Self.waitMax
        while ContinuousClock.now < deadline, !notifications.isTaken(store.bought, of: store.scope) {
            try? await ContinuousClock().sleep(for: .milliseconds(100))
        }
        client.history.note(.isolated, app: store.scope, ["what": "waited", "settled": "\(isSettled)"])
    }

    @discardableResult
    private func remove(_ store: Made, process: Int) async -> Bool {
        let line = line(process, store.scope, "removed")
        var isRemoved = false
        for _ in 1...5 where !isRemoved {
            let outcome = await client.perform(line, IsolatedStoreRoutes.delete, [.store: store.name])
            isRemoved = outcome.kind == .ok || outcome.status == 404
            if !isRemoved { try? await ContinuousClock().sleep(for: .milliseconds(200)) }
        }
        if isRemoved { await knock(at: store, process: process, "closed") }
        notifications?.forget(store.scope)
        return isRemoved
    }

    /// Asks a store that is over for its clock.
    private func knock(at store: Made, process: Int, _ what: String) async {
        await client.perform(
            line(process, store.scope, what), ClockRoutes.get, [.bundleId: client.world.bundleId], token: nil,
            api: store.api
        ) { _, status, end in end.detail?["answered"] = "\(status)" }
    }

    private func line(_ process: Int, _ app: String, _ what: String) -> HistoryEntry {
        HistoryEntry(
            time: 0, process: process, kind: .invoke, operation: .isolated, app: app, detail: ["what": what])
    }
}

/// Sends requests to an isolated store, named by the path or by a header.
private struct IsolatedTransport: StoreTransport {
    let base: any StoreTransport
    /// `t-7`
    let store: String
    let isByHeader: Bool

    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse { try await base.send(scoped(request)) }

    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream { try await base.open(scoped(request)) }

    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse {
        try await base.upload(scoped(request), file)
    }

    private func scoped(_ request: StoreRequest) -> StoreRequest {
        var request = request
        if isByHeader {
            request.headers["X-Storebus-Store"] = store
        } else {
            request.path = "/s/\(store)\(request.path)"
        }
        return request
    }
}
