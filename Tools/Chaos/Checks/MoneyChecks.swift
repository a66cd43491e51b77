/// Checks P2, P5, P6, P8, P10, R2, D1 and S1: the processor's ledger against the transactions.
///
/// Every rule looks at the last read of the ledger, which the run makes once nothing is in flight. The ledger has the
/// charges of the run's own customers only.
struct MoneyChecks: Checker {
    let history: RunHistory
    var findings = Findings()
    /// The last state of each transaction, by its revision. If two are equal, the later line counts.
    private var latest: [String: RunHistory.Sighting] = [:]
    /// The `id` of each purchased transaction, by its app and number.
    private var ids: [RunHistory.Number: String] = [:]
    private var charges: [String: ObservedCharge] = [:]
    private var chargeLine: [String: Int] = [:]
    private var ledger: Int?

    init(history: RunHistory) {
        self.history = history
        for (id, sightings) in history.sightings {
            latest[id] = sightings.max {
                ($0.transaction.revision ?? 0, $0.line) < ($1.transaction.revision ?? 0, $1.line)
            }
            guard let last = latest[id], let number = last.transaction.transactionIdentifier else { continue }
            ids[RunHistory.Number(app: last.owner.app, transaction: number)] = id
        }
    }

    mutating func run() {
        for read in history.attempts(.finalCharges) where read.isOK {
            let line = read.end ?? read.begin
            ledger = line
            var seen: Set<String> = []
            for charge in history.entries[line].charges ?? [] {
                findings.examine(.p3)
                if !seen.insert(charge.key).inserted, charge.outcome == "approved" {
                    report(.p3, charge.key, "one row of the ledger", "two rows with the key", [line], [], [charge.key])
                }
                charges[charge.key] = charge
                chargeLine[charge.key] = line
            }
        }
        guard ledger != nil else { return }
        for charge in charges.values.sorted(by: { $0.key < $1.key }) { check(charge) }
        for (id, sighting) in latest.sorted(by: { $0.key < $1.key }) { check(id, sighting) }
        repeated()
        renewals()
        nonConsumables()
    }

    /// The transaction of a purchase's charge. It is the key without its prefix and any suffix of a second try.
    private static func id(ofCharge key: String) -> String {
        guard key.hasPrefix(purchase) else { return key }
        let rest = key.dropFirst(purchase.count)
        return String(rest.prefix { $0 != ":" })
    }

    /// P3 and D3. All keys of one purchase together have one approved charge that is not refunded.
    private mutating func repeated() {
        var approved: [String: [String]] = [:]
        for charge in charges.values
        where charge.outcome == "approved" && charge.refunded < charge.amount && charge.key.hasPrefix(Self.purchase) {
            approved[Self.id(ofCharge: charge.key), default: []].append(charge.key)
        }
        for (id, keys) in approved.sorted(by: { $0.key < $1.key }) where keys.count > 1 {
            let wasDeferred = history.sightings[id]?.contains { $0.transaction.state == "deferred" } == true
            report(
                wasDeferred ? .d3 : .p3, id, "one charge", "\(keys.count) charges", history.life(of: id) + [ledger],
                [id], Set(keys))
        }
    }

    private static let purchase = "purchase:", renewal = "renew:"

    /// P10, P4 and P2 of one charge. A pending charge after the quiet phase is an outcome that was not resolved. An
    /// approved one, not wholly refunded, belongs to a purchased transaction of its key. `renew:` keys are counted in
    /// ``renewals()``.
    private mutating func check(_ charge: ObservedCharge) {
        let line = chargeLine[charge.key]
        findings.examine(.p10)
        if charge.refunded > charge.amount || charge.refunded < 0 {
            report(
                .p10, charge.key, "at most \(charge.amount) refunded", "\(charge.refunded) refunded", [line], [],
                [charge.key])
        }
        if charge.outcome == "pending" {
            report(.p4, charge.key, "a final outcome", "pending in the final ledger", [line], [], [charge.key])
        }
        guard charge.outcome == "approved", charge.refunded < charge.amount, !charge.key.hasPrefix(Self.renewal) else {
            return
        }
        findings.examine(.p2)
        let id = Self.id(ofCharge: charge.key)
        // The other states are compared with the charge from the transaction's side.
        guard !["purchased", "failed", "restored", "deferred"].contains(latest[id]?.transaction.state) else { return }
        report(
            .p2, charge.key, "a purchased transaction for the charge", "charged, and nothing given",
            history.life(of: id) + [line], [id], [charge.key])
    }

    /// P2, P5, P6, D1 and R2 of one transaction. A purchased transaction with a price above zero has one approved
    /// charge of that price. One that failed, waits or was restored has only refunded charges. A transaction whose
    /// `original` is set may be a renewal with another key.
    private mutating func check(_ id: String, _ sighting: RunHistory.Sighting) {
        let transaction = sighting.transaction
        let key = Self.purchase + id
        let charge = charges[key].flatMap { $0.outcome == "approved" ? $0 : nil }
        let lines = history.life(of: id) + [ledger]
        let net = charge.map { $0.amount - $0.refunded } ?? 0
        let wasDeferred = history.sightings[id]?.contains { $0.transaction.state == "deferred" } == true
        switch transaction.state {
        case "purchased":
            let isRenewal = transaction.original != nil && charges[key] == nil
            if let price = transaction.price, price > 0, !isRenewal {
                findings.examine(.p2)
                findings.examine(.p6)
                if let charge, charge.amount != price || transaction.currency.map({ $0 != charge.currency }) == true {
                    report(
                        .p6, id, "a charge of \(price) \(transaction.currency ?? "")",
                        "\(charge.amount) \(charge.currency)", lines, [id], [key])
                } else if charge == nil {
                    report(
                        .p2, id, "a charge of \(price) \(transaction.currency ?? "")", "given, and not charged",
                        lines + [sighting.line], [id], [key])
                }
            }
            refunded(id, charge, lines)
            approved(id, wasDeferred, lines, key)
        case "failed":
            findings.examine(.p5)
            guard net != 0 else { return }
            let declined = history.requests(about: id, .decline).contains(where: \.isOK)
            report(
                declined ? .d2 : .p5, id, "nothing charged", "\(net) charged for a failed purchase", lines, [id], [key])
        case "restored":
            findings.examine(.r2)
            guard charge != nil else { return }
            report(.r2, id, "no charge of a restored transaction", "\(net) charged", lines, [id], [key])
        case "deferred":
            findings.examine(.d1)
            guard net != 0 else { return }
            report(.d1, id, "no charge while it is deferred", "\(net) charged", lines, [id], [key])
        default: break
        }
    }

    /// P2. A refund that was acknowledged is in the ledger, unless the customer paid nothing.
    private mutating func refunded(_ id: String, _ charge: ObservedCharge?, _ lines: [Int?]) {
        guard let charge, charge.amount > 0,
            history.requests(about: id, .refund).contains(where: \.isOK)
        else { return }
        findings.examine(.p10)
        guard charge.refunded == 0 else { return }
        report(.p2, id, "a refund in the ledger", "acknowledged, and not refunded", lines, [id], [charge.key])
    }

    /// D1. A transaction that was deferred becomes purchased after an approval only.
    private mutating func approved(_ id: String, _ wasDeferred: Bool, _ lines: [Int?], _ key: String) {
        guard wasDeferred else { return }
        findings.examine(.d1)
        guard !history.requests(about: id, .approve).contains(where: \.isPossible) else { return }
        report(.d1, id, "purchased after an approval", "purchased, and none was sent", lines, [id], [key])
    }

    /// S1 and P2. Each period of a subscription has one approved charge, from any of its tries. A subscription has as
    /// many renewals with a price as approved charges of renewals, for the same sum. Refunds change neither.
    private mutating func renewals() {
        var approved: [String: [String: [ObservedCharge]]] = [:]
        for charge in charges.values where charge.key.hasPrefix(Self.renewal) && charge.outcome == "approved" {
            let parts = charge.key.split(separator: ":").map(String.init)
            guard parts.count >= 3 else { continue }
            approved[parts[1], default: [:]][parts[2], default: []].append(charge)
        }
        for (original, periods) in approved.sorted(by: { $0.key < $1.key }) {
            for (period, charges) in periods.sorted(by: { $0.key < $1.key }) {
                findings.examine(.s1)
                guard charges.count > 1 else { continue }
                report(
                    .s1, "subscription \(original), period \(period)", "one charge", "\(charges.count) charges",
                    charges.map { chargeLine[$0.key] }, [], Set(charges.map(\.key)))
            }
        }
        var given: [String: [(id: String, price: Int64, line: Int)]] = [:]
        for (id, sighting) in latest {
            let transaction = sighting.transaction
            guard transaction.isPurchased, let original = transaction.original, let price = transaction.price,
                price > 0, charges[Self.purchase + id] == nil
            else { continue }
            // The charges name a subscription by its first transaction's `id`.
            let first = ids[RunHistory.Number(app: sighting.owner.app, transaction: original)] ?? original
            given[first, default: []].append((id, price, sighting.line))
        }
        for original in Set(approved.keys).union(given.keys).sorted() {
            let charged = (approved[original] ?? [:]).values.flatMap(\.self).filter { $0.refunded < $0.amount }
            let all = (approved[original] ?? [:]).values.flatMap(\.self)
            let renewals = given[original] ?? []
            findings.examine(.p2)
            let sum = renewals.map(\.price).reduce(0, +)
            guard
                renewals.count < charged.count || renewals.count > all.count
                    || renewals.count == all.count && sum != all.map(\.amount).reduce(0, +)
            else { continue }
            report(
                .p2, "subscription \(original)", "\(all.count) renewals for \(all.map(\.amount).reduce(0, +)) charged",
                "\(renewals.count) renewals for \(sum)", renewals.map(\.line) + [ledger], Set(renewals.map(\.id)),
                Set(all.map(\.key)))
        }
    }

    /// P8. Of the purchases of one non-consumable by one customer one at most has a charge that is not refunded.
    private mutating func nonConsumables() {
        struct Bought: Hashable { var owner: RunHistory.Owner; var product: String }
        var bought: [Bought: [String]] = [:]
        for (id, sighting) in latest
        where history.types[sighting.transaction.product] == "nonConsumable" && sighting.transaction.isPurchased {
            bought[Bought(owner: sighting.owner, product: sighting.transaction.product), default: []].append(id)
        }
        for (what, ids) in bought.sorted(by: { $0.value.min() ?? "" < $1.value.min() ?? "" }) {
            findings.examine(.p8)
            let charged = ids.filter { id in
                charges[Self.purchase + id].map { $0.outcome == "approved" && $0.refunded < $0.amount } ?? false
            }.sorted()
            guard charged.count > 1 else { continue }
            report(
                .p8, "\(what.product) of \(what.owner)", "one charge", "\(charged.count) charges",
                charged.flatMap { history.life(of: $0) } + [ledger], Set(charged),
                Set(charged.map { Self.purchase + $0 }))
        }
    }
}
