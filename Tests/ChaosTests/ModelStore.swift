import StorebusTesting

@testable import Chaos

/// A store that keeps every rule, and the run against it: workers, observers, unknown outcomes, faults and final reads.
///
/// Each request takes effect at one moment between its `invoke` and its end, or, when its end is unknown, at any later
/// moment or never. Times are of a clock that only this model moves.
struct ModelStore {
    static let products: [String: RunOptions.Product] = [
        "coins": .init(type: "consumable"), "gems": .init(type: "consumable"), "pro": .init(type: "nonConsumable"),
        "map": .init(type: "nonConsumable"), "monthly": .init(type: "autoRenewable", group: "g"),
        "yearly": .init(type: "autoRenewable", group: "g"),
    ]
    private static let prices: [String: Int64] = [
        "coins": 99, "gems": 499, "pro": 999, "map": 199, "monthly": 399, "yearly": 3999,
    ]

    private struct Stored {
        var value: ObservedTransaction
        var account: String
        var device: String
        var isFinished = false
        var decision: HistoryEntry.Operation?
    }

    private struct Observer {
        var process: Int
        var account: String
        var device: String
        /// Whether changes reach it.
        var isLive = false
        /// The last time anything was sent to it.
        var last: Int64 = 0
    }

    private struct Intent {
        var product: String
        var account: String
        var device: String
        var state = "pending"
        var transaction: String?
    }

    private struct Moment {
        var time: Int64
        var number: Int
        var act: (inout ModelStore) -> Void
    }

    private(set) var entries: [HistoryEntry] = []
    private var random: SplitMix64
    private var now: Int64 = 0
    private var moments: [Moment] = []
    private var scheduled = 0
    private var processes = 0

    private var stored: [String: Stored] = [:]
    private var order: [String] = []
    private var keys: [String: (id: String, body: String?)] = [:]
    private var answers: [String: ObservedTransaction] = [:]
    private var ledger: [String: ObservedCharge] = [:]
    private var claimed: Set<String> = []
    private var cancelled: Set<String> = []
    private var restores: [String: (id: String, count: Int)] = [:]
    /// Transactions that a line about one device has shown. Only these can be finished.
    private var shown: Set<String> = []
    private var orders: [String: (version: String, order: String)] = [:]
    private var intents: [String: Intent] = [:]
    private var observers: [Int: Observer] = [:]
    private var notified = 0
    /// The events of purchases, in order.
    private var events: [(id: String, transaction: String)] = []
    /// The last moment at which a first delivery of an account's notification arrived.
    private var delivered: [String: Int64] = [:]
    /// Keys with an unknown outcome, to be sent again.
    private var unresolved: [HistoryEntry] = []

    private static let second: Int64 = 1_000_000
    private static let end = 30 * second

    /// Writes the history of one run.
    static func history(seed: UInt64) -> [HistoryEntry] {
        var store = ModelStore(random: SplitMix64(seed: seed))
        store.play()
        return store.entries
    }

    private init(random: SplitMix64) { self.random = random }

    // MARK: Time

    private mutating func at(_ time: Int64, _ act: @escaping (inout ModelStore) -> Void) {
        scheduled += 1
        // The next moment is the last; of equal times the one that was scheduled first.
        var (low, high) = (0, moments.count)
        while low < high {
            let middle = (low + high) / 2
            if moments[middle].time > time { low = middle + 1 } else { high = middle }
        }
        moments.insert(Moment(time: time, number: scheduled, act: act), at: low)
    }

    private mutating func after(_ range: ClosedRange<Int64>, _ act: @escaping (inout ModelStore) -> Void) {
        at(now + Int64.random(in: range, using: &random) * 1000, act)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func play() {
        phase("warmUp")
        for account in ["a", "b", "c"] {
            for device in 1...2 {
                let process = 1000 + observers.count
                let observer = Observer(process: process, account: account, device: "\(account)-\(device)")
                observers[process] = observer
                after(0...900) { $0.open(process) }
            }
        }
        for _ in 1...5 {
            processes += 1
            let process = processes
            after(1...500) { $0.work(process) }
        }
        at(4 * Self.second) { $0.phase("faults") }
        for number in 1...3 {
            at(Int64(number) * 6 * Self.second) { $0.fault(number) }
        }
        for step in 1...4 { at(Int64(step) * 7 * Self.second) { $0.renew() } }
        at(Self.end) { $0.heal() }
        while let moment = moments.popLast() {
            now = max(now, moment.time)
            moment.act(&self)
        }
    }

    @discardableResult
    private mutating func write(
        _ kind: HistoryEntry.Kind, _ operation: HistoryEntry.Operation, process: Int = 0, of: Int? = nil,
        like request: HistoryEntry? = nil, code: String? = nil, _ transactions: [ObservedTransaction]? = nil,
        charges: [ObservedCharge]? = nil, detail: [String: String]? = nil
    ) -> HistoryEntry {
        var entry = request ?? HistoryEntry(time: now, process: process, kind: kind, operation: operation)
        (entry.index, entry.time, entry.kind, entry.of) = (entries.count + 1, now, kind, of)
        if let code { (entry.status, entry.code) = (409, code) }
        entry.transactions = transactions ?? entry.transactions
        entry.charges = charges
        if let detail { entry.detail = (entry.detail ?? [:]).merging(detail) { $1 } }
        if operation != .readHistory { for one in transactions ?? [] { shown.insert(one.id) } }
        entries.append(entry)
        return entry
    }

    private mutating func phase(_ name: String) {
        write(.event, .service, detail: ["what": "phase", "phase": name])
    }

    private mutating func fault(_ number: Int) {
        let detail = ["name": ["kill", "pause", "drop"][number - 1], "target": "payment-queue", "number": "\(number)"]
        write(.event, .fault, detail: detail.merging(["what": "begin"]) { $1 })
        after(500...2500) { $0.write(.event, .fault, detail: detail.merging(["what": "end"]) { $1 }) }
        after(2600...4000) { store in
            let up = ["service": "payment-queue", "what": "up", "recoveredMilliseconds": "1400"]
            store.write(.event, .service, detail: up)
        }
        write(.event, .service, detail: ["service": "payment-queue", "what": "down"])
    }

    // MARK: Workers

    /// One request of a worker, and the next one after it.
    private mutating func work(_ process: Int) {
        guard now < Self.end - 3 * Self.second else { return }
        var request = request()
        request.process = process
        send(request, isCertain: false) { store, isUnknown in
            var next = process
            if isUnknown {
                store.processes += 1
                next = store.processes
            }
            store.after(5...400) { $0.work(next) }
        }
    }

    private mutating func send(
        _ request: HistoryEntry, isCertain: Bool, then: @escaping (inout ModelStore, Bool) -> Void
    ) {
        var request = request
        request = write(.invoke, request.operation, like: request)
        let isUnknown = !isCertain && chance(12)
        let isLate = isUnknown && chance(40)
        if isUnknown {
            if request.operation == .purchase { unresolved.append(request) }
            if chance(60) { after(isLate ? 200...2500 : 1...80) { _ = $0.effect(of: request) } }
            after(90...150) { store in
                store.write(.info, request.operation, of: request.index, like: request)
                then(&store, true)
            }
            return
        }
        after(1...60) { store in
            let answer = store.effect(of: request)
            guard request.operation == .restore else { return store.conclude(request, answer, then) }
            // As the run's client, it reads the device's queue once. Some of these reads fail.
            store.after(0...60) { store in
                var whole = answer
                if !store.chance(10) { whole.transactions = store.restoredQueue(request) }
                store.conclude(request, whole, then)
            }
        }
    }

    private mutating func conclude(
        _ request: HistoryEntry, _ answer: Answer, _ then: @escaping (inout ModelStore, Bool) -> Void
    ) {
        after(0...60) { store in
            store.write(
                answer.kind, request.operation, of: request.index, like: request, code: answer.code,
                answer.transactions, detail: answer.detail)
            then(&store, false)
        }
    }

    private func restoredQueue(_ request: HistoryEntry) -> [ObservedTransaction] {
        unfinished(request.account, request.device).filter { $0.state == "restored" }
    }

    private mutating func request() -> HistoryEntry {
        let account = ["a", "b", "c"].randomElement(using: &random) ?? "a"
        let device = "\(account)-\(Int.random(in: 1...2, using: &random))"
        func make(_ operation: HistoryEntry.Operation) -> HistoryEntry {
            HistoryEntry(
                time: now, process: 0, kind: .invoke, operation: operation, app: "app", account: account,
                device: device)
        }
        func about(_ operation: HistoryEntry.Operation, _ id: String) -> HistoryEntry {
            var entry = make(operation)
            entry.detail = ["transaction": id]
            return entry
        }
        let own = order.filter { stored[$0]?.account == account }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30:
            var entry = make(.purchase)
            entry.product = Self.products.keys.sorted().randomElement(using: &random)
            entry.key = "k\(entries.count)"
            return entry
        case 30..<38:
            let sent = entries.filter { $0.operation == .purchase && $0.kind == .invoke && $0.account == account }
            guard var entry = sent.randomElement(using: &random) else { return make(.readHistory) }
            (entry.device, entry.transactions, entry.of) = (device, nil, nil)
            if chance(25) { (entry.body, entry.product) = ("changed", "coins") }
            return entry
        case 38..<56:
            let known = own.filter { shown.contains($0) }
            guard let id = known.randomElement(using: &random) else { return make(.listUnfinished) }
            return about(.finish, id)
        case 56..<62:
            var entry = make(.restore)
            entry.key = chance(20) ? "r\(account)" : "r\(entries.count)"
            if entry.key == "r\(account)" { entry.device = "\(account)-1" }
            return entry
        case 62..<68:
            let waiting = own.filter { stored[$0]?.value.state == "deferred" || stored[$0]?.decision != nil }
            guard let id = waiting.randomElement(using: &random) else { return make(.listUnfinished) }
            return about(chance(60) ? .approve : .decline, id)
        case 68..<70:
            let paid = own.filter { stored[$0]?.value.product == "coins" && stored[$0]?.value.state == "purchased" }
            guard let id = paid.randomElement(using: &random) else { return make(.readHistory) }
            return about(.refund, id)
        case 70..<72:
            let subscribed = own.filter {
                stored[$0]?.value.expires != nil && stored[$0]?.value.state == "purchased"
            }
            guard let id = subscribed.last else { return make(.readHistory) }
            return about(.cancelSubscription, id)
        case 72..<77: return make(.listUnfinished)
        case 77..<82: return make(.readHistory)
        case 82..<86:
            var entry = make(.eligibility)
            (entry.product, entry.detail) = ("monthly", ["group": "g"])
            return entry
        case 86..<90:
            var entry = make(.overrideWrite)
            let order = ["coins", "pro", "map"].shuffled(using: &random).prefix(2).joined(separator: " ")
            entry.detail = ["version": "\(entries.count)", "order": order]
            return entry
        case 90..<93: return make(.overrideRead)
        case 93..<95: return make(.storePage)
        case 95..<97:
            var entry = make(.createIntent)
            entry.product = ["coins", "gems"].randomElement(using: &random)
            return entry
        default:
            let known = intents.filter { $0.value.account == account }.keys.sorted()
            guard let id = known.randomElement(using: &random) else { return make(.createIntent) }
            var entry = make(.decideIntent)
            entry.device = intents[id]?.device
            let decision = ["continue", "defer", "cancel"].randomElement(using: &random) ?? "continue"
            entry.detail = ["intent": id, "decision": decision]
            return entry
        }
    }

    // MARK: The store

    private struct Answer {
        var kind = HistoryEntry.Kind.ok
        var code: String?
        var transactions: [ObservedTransaction]?
        var detail: [String: String]?
    }

    private mutating func effect(of request: HistoryEntry) -> Answer {
        switch request.operation {
        case .purchase: purchase(request, key: request.key ?? "")
        case .finish: finish(request)
        case .restore: restore(request)
        case .approve, .decline: decide(request)
        case .refund: refund(request)
        case .cancelSubscription: cancel(request)
        case .listUnfinished: Answer(transactions: unfinished(request.account, request.device))
        case .readHistory: Answer(transactions: history(request.account))
        case .eligibility: Answer(detail: ["answer": eligibility(request.account ?? "")])
        case .overrideWrite: overrideWrite(request)
        case .overrideRead: Answer(detail: override(request.device))
        case .storePage: page(request)
        case .createIntent: createIntent(request)
        case .decideIntent: decideIntent(request)
        default: Answer(kind: .fail, code: "notFound")
        }
    }

    private mutating func change(_ id: String, _ act: (inout ObservedTransaction) -> Void) {
        guard var one = stored[id] else { return }
        let wasPurchased = one.value.isPurchased
        act(&one.value)
        if one.value.isPurchased, !wasPurchased { publish(id) }
        one.value.revision = (one.value.revision ?? 0) + 1
        stored[id] = one
        tell(one)
    }

    private mutating func purchase(_ request: HistoryEntry, key: String) -> Answer {
        let (account, product) = (request.account ?? "", request.product ?? "coins")
        let scoped = "\(account) \(key)"
        if let known = keys[scoped] {
            guard known.body == request.body else { return Answer(kind: .fail, code: "keyReused") }
            let value = answers[known.id] ?? stored[known.id]?.value
            return Answer(kind: value?.state == "failed" ? .fail : .ok, transactions: value.map { [$0] })
        }
        let id = "t\(order.count)"
        keys[scoped] = (id, request.body)
        order.append(id)
        stored[id] = Stored(
            value: ObservedTransaction(id: id, state: "purchasing", product: product, revision: 1), account: account,
            device: request.device ?? "")
        if let one = stored[id] { tell(one) }
        let fate = Int.random(in: 0..<100, using: &random)
        if fate < 8 || isSubscribed(account) && Self.products[product]?.group != nil {
            if fate < 8 { charge("purchase:\(id)", "declined", Self.prices[product] ?? 0) }
            change(id) { $0.state = "failed" }
        } else if fate < 16, Self.products[product]?.type == "consumable" {
            change(id) { $0.state = "deferred" }
        } else {
            give(id)
        }
        let value = stored[id]?.value
        if value?.state != "deferred" { answers[id] = value }
        return Answer(kind: value?.state == "failed" ? .fail : .ok, transactions: value.map { [$0] })
    }

    private mutating func charge(_ key: String, _ outcome: String, _ amount: Int64) {
        ledger[key] = ObservedCharge(key: key, outcome: outcome, amount: amount, currency: "USD")
    }

    private func isSubscribed(_ account: String) -> Bool {
        order.contains { stored[$0]?.account == account && stored[$0]?.value.expires != nil }
    }

    /// Sells: for nothing what is owned and the introductory offer of a group, else at the price.
    private mutating func give(_ id: String) {
        guard let one = stored[id] else { return }
        let (account, product) = (one.account, one.value.product)
        let owned = order.first { other in
            other != id && Self.products[product]?.type == "nonConsumable" && stored[other]?.value.product == product
                && stored[other]?.account == account && stored[other]?.value.state == "purchased"
        }
        let isNew = Self.products[product]?.group != nil && claimed.insert(account).inserted
        let price: Int64 = owned != nil || isNew ? 0 : Self.prices[product] ?? 0
        if price > 0 { charge("purchase:\(id)", "approved", price) }
        let original = owned.flatMap { stored[$0]?.value.transactionIdentifier }
        let number = order.count
        change(id) { value in
            value.state = "purchased"
            value.transactionIdentifier = "n\(number)-\(id)"
            (value.price, value.currency, value.original) = (price, "USD", original)
            if Self.products[product]?.group != nil { value.expires = 1000 }
            if isNew { value.offer = "introductory" }
        }
        if Self.products[product]?.group != nil {
            notify("SUBSCRIBED", "INITIAL_BUY", about: id)
        } else if price > 0 {
            notify("ONE_TIME_CHARGE", about: id)
        }
    }

    // MARK: Events and notifications

    /// Gives a purchase its event, which the reader gets soon.
    private mutating func publish(_ id: String) {
        let event = (id: "e\(100_000 + events.count)", transaction: id)
        events.append(event)
        at(now + 500) { $0.show([event], .event, .events) }
    }

    private mutating func show(
        _ events: [(id: String, transaction: String)], _ kind: HistoryEntry.Kind, _ operation: HistoryEntry.Operation
    ) {
        write(
            kind, operation,
            detail: [
                "id": events.map(\.id).joined(separator: " "),
                "transaction": events.map(\.transaction).joined(separator: " "),
            ])
    }

    /// Sends a notification of a transaction to the receiving server, behind those of its customer before it.
    private mutating func notify(_ type: String, _ subtype: String? = nil, about id: String) {
        guard let one = stored[id] else { return }
        notified += 1
        let value = ObservedNotification(
            app: "app", uuid: "uuid-\(notified)", fingerprint: "\(notified)", type: type, subtype: subtype,
            transaction: one.value.transactionIdentifier, original: one.value.root,
            signed: now / 1000 + Int64(notified), answer: .taken)
        let time = max(now, delivered[one.account] ?? 0) + Int64.random(in: 1...90, using: &random) * 1000
        delivered[one.account] = time
        at(time) { $0.deliver(value) }
    }

    /// Delivers it until it is taken.
    private mutating func deliver(_ value: ObservedNotification) {
        var value = value
        value.answer = chance(15) ? [.refused, .hungUp].randomElement(using: &random) ?? .refused : .taken
        if value.answer == .taken, chance(10) { value.answer = .late }
        write(.event, .notification, like: value.entry)
        if value.answer != .taken, value.answer != .late { after(1000...1100) { $0.deliver(value) } }
    }

    private mutating func finish(_ request: HistoryEntry) -> Answer {
        guard let id = request.detail?["transaction"], let one = stored[id] else {
            return Answer(kind: .fail, code: "notFound")
        }
        guard one.value.isTerminal else { return Answer(kind: .fail, code: "transactionNotFinishable") }
        stored[id]?.isFinished = true
        return Answer()
    }

    private mutating func restore(_ request: HistoryEntry) -> Answer {
        let scoped = "\(request.device ?? "") \(request.key ?? "")"
        if restores[scoped] == nil {
            var count = 0
            for id in order {
                guard let one = stored[id], one.account == request.account, one.isFinished,
                    one.value.state == "purchased", one.value.original == nil,
                    ["nonConsumable", "autoRenewable"].contains(Self.products[one.value.product]?.type)
                else { continue }
                let new = "t\(order.count)"
                let value = ObservedTransaction(
                    id: new, transactionIdentifier: "n-\(new)", original: one.value.transactionIdentifier,
                    state: "restored", product: one.value.product, revision: 1)
                order.append(new)
                let restored = Stored(value: value, account: one.account, device: request.device ?? "")
                stored[new] = restored
                tell(restored)
                count += 1
            }
            restores[scoped] = ("r_\(restores.count)", count)
        }
        let restore = restores[scoped]
        return Answer(
            detail: ["restore": restore?.id ?? "", "state": "finished", "restored": "\(restore?.count ?? 0)"])
    }

    private mutating func decide(_ request: HistoryEntry) -> Answer {
        guard let id = request.detail?["transaction"], let one = stored[id] else {
            return Answer(kind: .fail, code: "notFound")
        }
        if let decision = one.decision {
            return decision == request.operation
                ? Answer(transactions: [one.value]) : Answer(kind: .fail, code: "transactionStateInvalid")
        }
        guard one.value.state == "deferred" else { return Answer(kind: .fail, code: "transactionStateInvalid") }
        stored[id]?.decision = request.operation
        if request.operation == .approve { give(id) } else { change(id) { $0.state = "failed" } }
        answers[id] = stored[id]?.value
        return Answer(transactions: stored[id].map { [$0.value] })
    }

    private mutating func refund(_ request: HistoryEntry) -> Answer {
        guard let id = request.detail?["transaction"], let one = stored[id], one.value.state == "purchased" else {
            return Answer(kind: .fail, code: "transactionStateInvalid")
        }
        if one.value.revoked != true {
            change(id) { $0.revoked = true }
            notify("REFUND", about: id)
            if let charge = ledger["purchase:\(id)"] { ledger["purchase:\(id)"]?.refunded = charge.amount }
        }
        return Answer(transactions: stored[id].map { [$0.value] })
    }

    private mutating func cancel(_ request: HistoryEntry) -> Answer {
        guard let id = request.detail?["transaction"], let one = stored[id] else {
            return Answer(kind: .fail, code: "notFound")
        }
        let last = order.last { stored[$0]?.account == one.account && stored[$0]?.value.expires != nil }
        if cancelled.insert(one.account).inserted, let last {
            notify("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", about: last)
        }
        return Answer(transactions: last.flatMap { stored[$0] }.map { [$0.value] })
    }

    /// Renews each subscription that is not cancelled by a period.
    private mutating func renew() {
        for account in ["a", "b", "c"] where !cancelled.contains(account) {
            let periods = order.filter { stored[$0]?.account == account && stored[$0]?.value.expires != nil }
            guard let first = periods.first, let one = stored[first] else { continue }
            let id = "t\(order.count)"
            let root = one.value.root
            let price = Self.prices[one.value.product] ?? 0
            let begun = order.first { stored[$0]?.value.transactionIdentifier == root } ?? root
            charge("renew:\(begun):\(periods.count)", "approved", price)
            order.append(id)
            let value = ObservedTransaction(
                id: id, transactionIdentifier: "n-\(id)", original: root, state: "purchased",
                product: one.value.product, price: price, currency: "USD", revision: 1,
                expires: 1000 * Int64(periods.count + 1))
            stored[id] = Stored(value: value, account: account, device: one.device)
            if let one = stored[id] { tell(one) }
            publish(id)
            notify("DID_RENEW", about: id)
        }
    }

    private func isVisible(_ one: Stored, to device: String?) -> Bool {
        ["purchased", "deferred"].contains(one.value.state) || one.device == device
    }

    private func unfinished(_ account: String?, _ device: String?) -> [ObservedTransaction] {
        order.compactMap { stored[$0] }.filter {
            $0.account == account && !$0.isFinished && isVisible($0, to: device)
        }.map(\.value)
    }

    private func history(_ account: String?) -> [ObservedTransaction] {
        order.compactMap { stored[$0] }.filter {
            $0.account == account && ["purchased", "restored"].contains($0.value.state)
        }.map(\.value)
    }

    private func eligibility(_ account: String) -> String { claimed.contains(account) ? "ineligible" : "eligible" }

    private mutating func overrideWrite(_ request: HistoryEntry) -> Answer {
        orders[request.device ?? ""] = (request.detail?["version"] ?? "", request.detail?["order"] ?? "")
        return Answer()
    }

    private func override(_ device: String?) -> [String: String] {
        let order = orders[device ?? ""]
        return ["version": order?.version ?? "0", "order": order?.order ?? ""]
    }

    private func page(_ request: HistoryEntry) -> Answer {
        let first = (override(request.device)["order"] ?? "").split(separator: " ").map(String.init)
        let rest = ["coins", "gems", "map", "pro"].filter { !first.contains($0) }
        return Answer(detail: ["order": (first + rest).joined(separator: " ")])
    }

    private mutating func createIntent(_ request: HistoryEntry) -> Answer {
        let id = "i\(intents.count)"
        let device = request.device ?? ""
        intents[id] = Intent(product: request.product ?? "coins", account: request.account ?? "", device: device)
        for observer in observers.values.sorted(by: { $0.process < $1.process })
        where observer.device == device && observer.isLive {
            deliver(to: observer.process, detail: ["what": "intent", "intent": id])
        }
        return Answer(detail: ["intent": id])
    }

    private mutating func decideIntent(_ request: HistoryEntry) -> Answer {
        guard let id = request.detail?["intent"], let intent = intents[id], let decision = request.detail?["decision"]
        else { return Answer(kind: .fail, code: "notFound") }
        let target = ["continue": "continued", "cancel": "cancelled"][decision] ?? "deferred"
        if intent.state == target {
            return Answer(transactions: intent.transaction.flatMap { answers[$0] ?? stored[$0]?.value }.map { [$0] })
        }
        guard ["pending", "deferred"].contains(intent.state) else { return Answer(kind: .fail, code: "intentDecided") }
        intents[id]?.state = target
        guard target == "continued" else { return Answer() }
        var payment = request
        payment.product = intent.product
        var answer = purchase(payment, key: "intent:\(id)")
        // The decision itself succeeds, whatever becomes of its payment.
        answer.kind = .ok
        intents[id]?.transaction = answer.transactions?.first?.id
        return answer
    }

    // MARK: Observers

    /// Requests a stream; its snapshot is taken before or after its opening is seen.
    private mutating func open(_ process: Int) {
        guard now < Self.end + 10 * Self.second, let observer = observers[process] else { return }
        after(5...40) { store in
            store.observers[process]?.isLive = true
            store.observers[process]?.last = store.now + 60_000
            let shown = store.unfinished(observer.account, observer.device)
            store.deliver(to: process, shown, detail: ["what": "transactions"])
            for (id, intent) in store.intents.sorted(by: { $0.key < $1.key })
            where intent.device == observer.device && intent.state == "pending" {
                store.deliver(to: process, detail: ["what": "intent", "intent": id])
            }
            store.deliver(to: process, detail: ["what": "synchronized"])
        }
        at(now + 50_000) { $0.observed(process, detail: ["what": "opened"]) }
        after(2000...9000) { store in
            store.observers[process]?.isLive = false
            let last = max(store.now, store.observers[process]?.last ?? 0)
            store.at(last + 1000) { store in
                store.observed(process, detail: ["what": "ended"])
                store.after(10...3000) { $0.open(process) }
            }
        }
    }

    /// Sends a change to the streams that may have it, behind what they were sent before.
    private mutating func tell(_ one: Stored) {
        for observer in observers.values.sorted(by: { $0.process < $1.process })
        where observer.isLive && observer.account == one.account && isVisible(one, to: observer.device) {
            deliver(to: observer.process, [one.value], detail: ["what": "transactions"])
        }
    }

    private mutating func deliver(
        to process: Int, _ transactions: [ObservedTransaction]? = nil, detail: [String: String]
    ) {
        let delay = Int64.random(in: 1...80, using: &random) * 1000
        let time = max(now, observers[process]?.last ?? 0) + delay
        observers[process]?.last = time
        at(time) { $0.observed(process, transactions, detail: detail) }
    }

    private mutating func observed(
        _ process: Int, _ transactions: [ObservedTransaction]? = nil, detail: [String: String]
    ) {
        guard let observer = observers[process] else { return }
        let line = HistoryEntry(
            time: now, process: process, kind: .event, operation: .observe, app: "app", account: observer.account,
            device: observer.device)
        write(.event, .observe, like: line, transactions, detail: detail)
    }

    // MARK: The end

    private mutating func heal() {
        phase("healed")
        for (number, request) in unresolved.enumerated() {
            at(now + Int64(number) * 1000 + 1000) { store in
                var again = request
                store.processes += 1
                again.process = store.processes
                store.send(again, isCertain: true) { _, _ in }
            }
        }
        at(Self.end + 5 * Self.second) { $0.phase("quiet") }
        at(Self.end + 24 * Self.second) { $0.readAll() }
        at(Self.end + 26 * Self.second) { $0.phase("settled") }
    }

    private mutating func readAll() {
        phase("final")
        show(events, .ok, .finalEvents)
        write(.ok, .finalCharges, charges: ledger.sorted { $0.key < $1.key }.map(\.value))
        for account in ["a", "b", "c"] {
            func line(_ operation: HistoryEntry.Operation, _ device: String? = nil) -> HistoryEntry {
                HistoryEntry(
                    time: now, process: 1, kind: .ok, operation: operation, app: "app", account: account,
                    device: device)
            }
            write(.ok, .finalHistory, like: line(.finalHistory), history(account), detail: ["now": "500"])
            write(
                .ok, .finalEligibility, like: line(.finalEligibility),
                detail: ["group": "g", "answer": eligibility(account)])
            for device in ["\(account)-1", "\(account)-2"] {
                write(.ok, .finalUnfinished, like: line(.finalUnfinished, device), unfinished(account, device))
                write(.ok, .finalOverride, like: line(.finalOverride, device), detail: override(device))
                let open = intents.filter {
                    $0.value.device == device && ["pending", "deferred"].contains($0.value.state)
                }
                write(
                    .ok, .finalIntents, like: line(.finalIntents, device),
                    detail: ["intent": open.keys.sorted().joined(separator: " ")])
            }
        }
    }
}
