import StoreHTTP

/// Checks N1: each event gives each of its notifications exactly once, in its customer's order.
///
/// The requests to the run's receiving server are compared with the lines of customers and the operator, and never with
/// the store's own list. A transaction that was sold or renewed for a price, or with a period, gives one notification
/// of it, a refund one more, the end of a subscription one, and turning a renewal off one. Missing notifications are
/// decided once the run has waited for them, which its phase `settled` says.
struct NotificationChecks: Checker {
    /// An event that gives at most one notification a transaction.
    private enum Event: String {
        case sale, period, refund, end

        /// - Returns: Nil for an event that a transaction may give several times.
        init?(_ notification: ObservedNotification) {
            switch (notification.type, notification.subtype) {
            case ("ONE_TIME_CHARGE", _): self = .sale
            case ("SUBSCRIBED", _), ("DID_RENEW", _), ("OFFER_REDEEMED", _), ("DID_CHANGE_RENEWAL_PREF", "UPGRADE"):
                self = .period
            case ("REFUND", _): self = .refund
            case ("EXPIRED", _): self = .end
            default: return nil
            }
        }
    }

    /// A purchased transaction, as customers saw it.
    private struct Bought {
        var id: String
        var owner: RunHistory.Owner
        var value: ObservedTransaction
        var isRevoked: Bool
        /// Whether a customer has bought it. If not, it is a renewal.
        var isMade = false
        /// The line before which it was not bought, or -1 if that is unknown.
        var begin = -1
        /// The line at which it was certainly bought.
        var known: Int
        /// The same of its refund.
        var refundBegin = Int.max
        var refundKnown = Int.max
    }

    /// A notification with all its deliveries.
    private struct Sent {
        var notification: ObservedNotification
        var lines: [Int]
        var first: Int { lines[0] }
    }

    /// The outcomes of a run's notifications.
    struct Tally: Equatable, Sendable {
        /// Events that customers and the operator saw, and that give a notification each.
        var caused = 0
        /// Different notifications that came.
        var received = 0
        var deliveries = 0
        /// Deliveries that were answered 500, not at all, or late.
        var refused = 0, hungUp = 0, late = 0
        /// Deliveries to servers that were hostile.
        var hostile = 0
        var lost = 0
        /// Events with a second notification under another UUID, and deliveries that should not have been.
        var repeated = 0
        var outOfOrder = 0

        /// Each number with its name.
        var numbers: [ChaosRun.Number] {
            [
                ("caused", caused), ("received", received), ("deliveries", deliveries), ("answered 500", refused),
                ("hung up", hungUp), ("answered late", late), ("hostile", hostile), ("lost", lost),
                ("repeated", repeated), ("out of order", outOfOrder),
            ].map { ChaosRun.Number(name: $0.0, count: $0.1) }
        }
    }

    private typealias Number = RunHistory.Number

    let history: RunHistory
    var findings = Findings()
    private var tally = Tally()
    private var bought: [Number: Bought] = [:]
    /// In the order of first deliveries.
    private var sent: [Sent] = []
    /// Lines in ``sent``.
    private var given: [Number: [Event: [Int]]] = [:]
    /// Whether the run has waited for all notifications.
    private let isSettled: Bool
    /// Isolated stores with a purchase of an unknown outcome.
    private var unclear: Set<String> = []
    /// The lines at which the run had waited for the notifications of isolated stores.
    private var waited: [String: (line: Int, isSettled: Bool)] = [:]

    /// Counts a run's notifications. Nil if the history has none.
    static func tally(_ history: RunHistory) -> Tally? {
        var checks = NotificationChecks(history: history)
        checks.run()
        return checks.hasNotifications ? checks.tally : nil
    }

    private var hasNotifications: Bool { !history.arrivals.isEmpty || isSettled }

    mutating func run() {
        guard hasNotifications else { return }
        deliveries()
        events()
        order()
    }

    init(history: RunHistory) {
        self.history = history
        isSettled = history.phases["settled"] != nil
        guard hasNotifications else { return }
        gatherPurchases()
        gatherNotifications()
        tally.received = sent.count
        tally.deliveries = history.arrivals.count
        for arrival in history.arrivals {
            switch arrival.notification.answer {
            case .taken: break
            case .late: tally.late += 1
            case .refused: tally.refused += 1
            case .hungUp: tally.hungUp += 1
            case .hostile: tally.hostile += 1
            }
        }
    }

    // MARK: What customers saw

    private mutating func gatherPurchases() {
        var numbers: [String: Number] = [:]
        for (id, sightings) in history.sightings {
            guard let first = sightings.first(where: { $0.transaction.isPurchased }),
                let number = first.transaction.transactionIdentifier
            else { continue }
            let key = Number(app: first.owner.app, transaction: number)
            numbers[id] = key
            bought[key] = Bought(
                id: id, owner: first.owner, value: first.transaction,
                isRevoked: sightings.contains { $0.transaction.revoked == true }, known: first.line)
            if let revoked = sightings.first(where: { $0.transaction.revoked == true }) {
                bought[key]?.refundKnown = revoked.line
            }
        }
        // The first request under a key may be the one that had the effect.
        var begins: [String: Int] = [:]
        let made = history.attempts(.purchase, .decideIntent, .approve)
        for attempt in made {
            guard let scope = scope(attempt) else { continue }
            begins[scope] = min(begins[scope] ?? .max, attempt.begin)
        }
        for attempt in made {
            guard let scope = scope(attempt), let begin = begins[scope] else { continue }
            for one in attempt.transactions ?? [] {
                guard let key = numbers[one.id], let before = bought[key] else { continue }
                bought[key]?.begin = before.isMade ? min(before.begin, begin) : begin
                bought[key]?.isMade = true
            }
        }
        gatherIsolated()
        for refund in history.attempts(.refund) where refund.isPossible {
            guard let key = refund.subject.flatMap({ numbers[$0] }) else { continue }
            let before = bought[key]?.refundBegin ?? .max
            bought[key]?.refundBegin = min(before, refund.begin)
        }
    }

    /// Collects the purchases of customers in isolated stores. One that a setting should stop may be bought, because
    /// the setting was not stored.
    private mutating func gatherIsolated() {
        for attempt in history.attempts(.isolated) where attempt.isPossible {
            guard let app = attempt.app, ["bought", "stopped"].contains(attempt.detail["what"]),
                attempt.detail["state"] != "deferred"
            else { continue }
            guard attempt.isOK, attempt.detail["state"] == "purchased", let id = attempt.detail["id"],
                let number = attempt.detail["number"], let end = attempt.end
            else {
                unclear.insert(app)
                continue
            }
            let value = ObservedTransaction(
                id: id, transactionIdentifier: number, state: "purchased", product: attempt.product ?? "",
                price: attempt.detail["price"].flatMap { Int64($0) },
                expires: attempt.detail["expires"].flatMap { Int64($0) })
            let key = Number(app: app, transaction: number)
            let begin = min(bought[key]?.begin ?? .max, attempt.begin)
            bought[key] = Bought(
                id: id, owner: attempt.owner, value: value, isRevoked: false, isMade: true, begin: begin, known: end)
        }
        for arrived in history.attempts(.isolated) where arrived.detail["what"] == "waited" {
            guard let app = arrived.app, let end = arrived.end else { continue }
            waited[app] = (end, arrived.detail["settled"] == "true")
        }
    }

    /// Whether a purchase's missing notifications are decided. The run has waited for them, and for a store that was
    /// removed before the end, no fault came in between.
    private func isDecided(_ one: Bought) -> Bool {
        guard isIsolated(one.owner.app) else { return isSettled }
        guard let (line, isSettled) = waited[one.owner.app], line > one.known else { return false }
        return isSettled || !history.isFaulty(from: time(one.known) - Self.margin, to: time(line))
    }

    /// Whether lines belong to an isolated store, whose name follows the bundle identifier.
    private func isIsolated(_ app: String) -> Bool { app.utf8.contains(UInt8(ascii: "/")) }

    private func scope(_ attempt: RunHistory.Attempt) -> String? {
        let name = attempt.key ?? attempt.detail["intent"] ?? attempt.detail["transaction"]
        return name.map { "\(attempt.owner) \($0)" }
    }

    private mutating func gatherNotifications() {
        var numbers: [String: Int] = [:]
        for arrival in history.arrivals {
            let one = arrival.notification
            let scoped = "\(one.app) \(one.uuid)"
            if let number = numbers[scoped] {
                sent[number].lines.append(arrival.line)
                continue
            }
            numbers[scoped] = sent.count
            if let event = Event(one), let transaction = one.transaction {
                given[Number(app: one.app, transaction: transaction), default: [:]][event, default: []].append(
                    sent.count)
            }
            sent.append(Sent(notification: one, lines: [arrival.line]))
        }
    }

    // MARK: Deliveries

    /// One UUID has the same bytes each time. It comes again only if its answer was no success, or may not have
    /// arrived.
    private mutating func deliveries() {
        for one in sent {
            findings.examine(.n1)
            guard !one.notification.uuid.isEmpty else {
                report(one.notification.app, "a notification", "bytes that are none", one.lines)
                continue
            }
            for (earlier, later) in zip(one.lines, one.lines.dropFirst()) {
                let (before, after) = (observed(earlier), observed(later))
                if before.fingerprint != after.fingerprint {
                    report(one.notification.uuid, "the same bytes each time", "other bytes", [earlier, later])
                } else if before.answer == .taken, !isDisturbed(from: time(earlier), to: time(later)) {
                    tally.repeated += 1
                    report(
                        one.notification.uuid, "no delivery after one that was answered 200", "another delivery",
                        [earlier, later])
                }
            }
        }
    }

    /// Whether an attempt may have ended without its outcome being kept.
    private func isDisturbed(from begin: Int64, to end: Int64) -> Bool {
        history.isFaulty(from: begin - Self.margin, to: end)
    }

    /// The longest time from an attempt's beginning to its delivery, and from there to the store's note of the outcome.
    private static let margin: Int64 = 2_000_000

    // MARK: Events

    private mutating func events() {
        for (key, one) in bought.sorted(by: { $0.value.known < $1.value.known }) {
            let events = given[key] ?? [:]
            let isPeriod = one.value.expires != nil
            expect(.sale, of: one, events, isCaused: !isPeriod && (one.value.price ?? 0) > 0)
            expect(.period, of: one, events, isCaused: isPeriod)
            // A copy of an owned product goes with its original, whose refund is announced, or is refunded itself.
            let isCopy = !isPeriod && one.value.root != key.transaction
            if !isCopy { expect(.refund, of: one, events, isCaused: one.isRevoked) }
            for number in events[.period] ?? [] {
                let found = sent[number]
                let isRenewal = found.notification.type == "DID_RENEW"
                guard isPeriod, isRenewal == one.isMade, isSettled || isRenewal else { continue }
                report(
                    found.notification.uuid, one.isMade ? "a notification of a purchase" : "DID_RENEW",
                    found.notification.name, [found.first], about: one)
            }
        }
        for (key, events) in given.sorted(by: { ($0.key.app, $0.key.transaction) < ($1.key.app, $1.key.transaction) }) {
            for (event, numbers) in events { repeated(event, numbers, bought[key]) }
            guard bought[key] == nil, let first = events.values.joined().min() else { continue }
            unknown(sent[first])
        }
        ends()
        renewalsOff()
    }

    /// Two notifications of one event, under two UUIDs.
    private mutating func repeated(_ event: Event, _ numbers: [Int], _ about: Bought?) {
        guard numbers.count > 1 else { return }
        tally.repeated += numbers.count - 1
        let names = numbers.map { sent[$0].notification.name }
        report(
            sent[numbers[1]].notification.uuid, "one notification of the \(event.rawValue)",
            "\(numbers.count) of different UUIDs: \(names.prefix(3).joined(separator: ", "))",
            numbers.prefix(3).map { sent[$0].first }, about: about)
    }

    /// Compares a transaction that gives an event, or does not, with the notifications that came.
    private mutating func expect(_ event: Event, of one: Bought, _ events: [Event: [Int]], isCaused: Bool) {
        let found = events[event] ?? []
        if isCaused {
            findings.examine(.n1)
            tally.caused += 1
        }
        guard isDecided(one), found.isEmpty == isCaused else { return }
        if isCaused {
            tally.lost += 1
            report(
                "\(event.rawValue) of \(one.value.transactionIdentifier ?? one.id)", "one notification", "none", [],
                about: one)
        } else if let number = found.first {
            report(
                sent[number].notification.uuid, "no \(event.rawValue) of this transaction",
                sent[number].notification.name, [sent[number].first], about: one)
        }
    }

    /// A notification of a transaction that no customer has. Events after the final reads are missing from all of them.
    private mutating func unknown(_ one: Sent) {
        if isIsolated(one.notification.app) {
            guard !unclear.contains(one.notification.app) else { return }
            return report(
                one.notification.uuid, "a purchase that was made in \(one.notification.app)",
                "\(one.notification.transaction ?? "none")", [one.first])
        }
        let reads = history.attempts(.finalHistory)
        guard isSettled, let last = reads.map(\.begin).min(), one.first < last else { return }
        report(
            one.notification.uuid, "a transaction that a customer has", "\(one.notification.transaction ?? "none")",
            [one.first])
    }

    /// The end of a subscription that is over at the final read, and of one that was bought again.
    private mutating func ends() {
        guard isSettled else { return }
        var nows: [RunHistory.Owner: Int64] = [:]
        for read in history.attempts(.finalHistory) where read.isOK {
            nows[read.owner] = read.detail["now"].flatMap { Int64($0) }
        }
        var periods: [Number: [Number]] = [:]
        for (key, one) in bought where one.value.expires != nil {
            periods[Number(app: key.app, transaction: one.value.root), default: []].append(key)
        }
        for (_, keys) in periods.sorted(by: { $0.key.transaction < $1.key.transaction }) {
            // By number: an upgrade ends a long period, so expiries do not grow.
            let all = keys.compactMap { key in bought[key].map { (key, $0) } }.sorted {
                RunHistory.isBefore($0.0.transaction, $1.0.transaction)
            }
            guard let last = all.last, let now = nows[last.1.owner] else { continue }
            var over = (last.1.value.expires ?? 0) < now - Self.minute ? [last] : []
            for (earlier, later) in zip(all, all.dropFirst()) {
                let begun = (given[later.0]?[.period] ?? []).contains {
                    sent[$0].notification.subtype == "RESUBSCRIBE"
                }
                if begun { over.append(earlier) }
            }
            for (key, one) in over where !one.isRevoked {
                expect(.end, of: one, given[key] ?? [:], isCaused: true)
            }
        }
    }

    private static let minute: Int64 = 60_000

    /// Renewals that were turned off, by cancellations and refunds only.
    private mutating func renewalsOff() {
        guard isSettled else { return }
        var found: [Number: [Sent]] = [:]
        for one in sent where one.notification.subtype == "AUTO_RENEW_DISABLED" {
            guard let original = one.notification.original else { continue }
            found[Number(app: one.notification.app, transaction: original), default: []].append(one)
        }
        var (most, certain): ([Number: Int], [Number: Int]) = ([:], [:])
        for attempt in history.attempts(.cancelSubscription) where attempt.isPossible {
            guard
                let sighting = attempt.subject.flatMap({
                    history.sightings[$0]?.first(where: \.transaction.isPurchased)
                })
            else { continue }
            let root = Number(app: sighting.owner.app, transaction: sighting.transaction.root)
            most[root, default: 0] += 1
            if attempt.isOK, let end = attempt.end { certain[root] = min(certain[root] ?? .max, end) }
        }
        for (key, one) in bought where one.isRevoked || one.refundBegin < .max {
            most[Number(app: key.app, transaction: one.value.root), default: 0] += 1
        }
        for (root, end) in certain.sorted(by: { $0.value < $1.value }) {
            findings.examine(.n1)
            tally.caused += 1
            guard found[root] == nil else { continue }
            tally.lost += 1
            report(
                "renewal of \(root.transaction)", "one DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED at least", "none",
                [end])
        }
        for (root, all) in found.sorted(by: { $0.value[0].first < $1.value[0].first })
        where all.count > most[root, default: 0] {
            report(
                all[all.count - 1].notification.uuid, "\(most[root, default: 0]) times AUTO_RENEW_DISABLED at most",
                "\(all.count) times", all.suffix(3).map(\.first))
        }
    }

    // MARK: Order

    /// First deliveries come in the order in which their customer saw the events, and their dates grow.
    ///
    /// An attempt that a fault of AppStoreServer ended before it reached the server comes later, behind others. Dates
    /// come from the payment queue's clock, so after a jump of that clock they prove nothing.
    private mutating func order() {
        struct Step {
            var number: Int
            var begin: Int
            var known: Int
        }
        var steps: [RunHistory.Owner: [Step]] = [:]
        for (number, one) in sent.enumerated() {
            guard let event = Event(one.notification), let transaction = one.notification.transaction,
                let about = bought[Number(app: one.notification.app, transaction: transaction)]
            else { continue }
            let step: Step =
                switch event {
                case .sale, .period: Step(number: number, begin: about.begin, known: about.known)
                case .refund:
                    Step(
                        number: number, begin: about.refundBegin == .max ? -1 : about.refundBegin,
                        known: about.refundKnown)
                // No customer sees the moment of an end.
                case .end: Step(number: number, begin: -1, known: .max)
                }
            steps[about.owner, default: []].append(step)
        }
        let jumped = history.faults.filter { $0.name == "clock-jump" && $0.target != "app-store-server" }.map(\.begin)
            .min()
        for (_, all) in steps.sorted(by: { $0.value[0].number < $1.value[0].number }) {
            // The event that was seen first among those that come later.
            var least: Step?
            for step in all.reversed() {
                if let other = least, other.known < step.begin { swapped(sent[step.number], sent[other.number]) }
                if step.known < least?.known ?? .max { least = step }
            }
            var last: Sent?
            for step in all {
                let one = sent[step.number]
                if let jumped, time(one.first) >= jumped { break }
                findings.examine(.n1)
                if let before = last, let signed = one.notification.signed, let other = before.notification.signed,
                    signed <= other
                {
                    swapped(before, one)
                } else {
                    last = one
                }
            }
        }
    }

    /// The longest time until a failed attempt comes again: its timeout, and the waits of the schedule. Such an attempt
    /// failed before it reached the server.
    private static let comesAgain: Int64 = 45_000_000

    private mutating func swapped(_ earlier: Sent, _ later: Sent) {
        let (from, to) = (time(earlier.first) - Self.comesAgain, time(later.first))
        guard !history.isFaulty("app-store-server", from: from, to: to) else { return }
        tally.outOfOrder += 1
        report(
            later.notification.uuid, "delivered before \(earlier.notification.name), as its customer saw them",
            "delivered after it", [earlier.first, later.first],
            about: later.notification.transaction.flatMap {
                bought[Number(app: later.notification.app, transaction: $0)]
            })
    }

    // MARK: Helpers

    private func time(_ line: Int) -> Int64 { history.entries[line].time }

    private func observed(_ line: Int) -> ObservedNotification { ObservedNotification(history.entries[line]) }

    private mutating func report(
        _ subject: String, _ expected: String, _ found: String, _ lines: [Int], about: Bought? = nil
    ) {
        let life = about.map { history.life(of: $0.id) + [$0.known] } ?? []
        report(.n1, subject, expected, found, life + lines, Set(about.map { [$0.id] } ?? []))
    }
}
