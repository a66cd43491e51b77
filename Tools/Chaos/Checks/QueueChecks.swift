/// Checks Q1–Q6 and D4: the transactions that observers receive.
///
/// Nothing is derived from the order of two requests that overlap. A transaction is *known* from the first line that
/// shows it purchased. It is *free to go* from the moment a finish or refund of it is about to be sent. A stream's
/// snapshot is taken after its request, and the request follows the observer's stream before it. Deadlines begin anew
/// with every fault and outage, so that only calm time counts, and observers that paused have no deadline.
package struct QueueChecks: Checker {
    /// Calm time after which a delivery is missing, in microseconds. A read that a fault has swallowed is repeated when its
    /// timeout of five seconds is over.
    package static let deadline: Int64 = 7_000_000

    private struct Item {
        var id: String
        /// The line from which it is known.
        var known: Int
        /// The line from which it is free to go.
        var free: Int
        /// The device it is visible to, or nil for all devices of the customer.
        var device: String?
        /// The device of its purchase.
        var origin: String?
    }

    let history: RunHistory
    var findings = Findings()
    private var items: [RunHistory.Owner: [Item]] = [:]
    private var sessions: [RunHistory.Owner: [Int]] = [:]
    /// Transactions delivered in each session, with the line of the first delivery.
    private var delivered: [[String: Int]] = []
    /// The same in a final state: a transaction that was delivered as purchasing only is not delivered yet.
    private var deliveredFinally: [[String: Int]] = []
    private var sessionOfDelivery: [Int: Int] = [:]

    mutating func run() {
        snapshots()
        updates()
        finished()
        finishes()
        survivors()
        order()
    }

    init(history: RunHistory) {
        self.history = history
        for (number, session) in history.sessions.enumerated() {
            var first: [String: Int] = [:]
            var firstFinal: [String: Int] = [:]
            for line in session.deliveries {
                sessionOfDelivery[line] = number
                for transaction in history.entries[line].transactions ?? [] {
                    if first[transaction.id] == nil { first[transaction.id] = line }
                    if transaction.isTerminal, firstFinal[transaction.id] == nil { firstFinal[transaction.id] = line }
                }
            }
            delivered.append(first)
            deliveredFinally.append(firstFinal)
            sessions[session.owner, default: []].append(number)
        }
        for (id, sightings) in history.sightings {
            guard let item = item(id, sightings), let owner = sightings.first?.owner else { continue }
            items[owner, default: []].append(item)
        }
        for owner in items.keys { items[owner]?.sort { ($0.known, $0.id) < ($1.known, $1.id) } }
    }

    /// Makes the item of a transaction that ends up in the queue. A restored or failed one is visible to one device,
    /// which its streams and lists show, because several devices may have sent its key.
    private func item(_ id: String, _ sightings: [RunHistory.Sighting]) -> Item? {
        guard let first = sightings.first(where: { $0.transaction.isTerminal }) else { return nil }
        let free = history.requests(about: id, .finish, .refund).filter(\.isPossible).map(\.begin).min() ?? .max
        let revoked = sightings.first { $0.transaction.revoked == true }?.line ?? .max
        let origin = sightings.first { $0.operation == .purchase }?.device
        let isForAll = first.transaction.isPurchased
        let device =
            isForAll
            ? nil
            : sightings.first { sighting in
                RestoredCopies.ofQueue.contains(sighting.operation)
                    && sighting.transaction.state == first.transaction.state
            }?.device
        if !isForAll, device == nil { return nil }
        return Item(id: id, known: first.line, free: min(free, revoked), device: device, origin: origin)
    }

    private mutating func report(
        _ invariant: Invariant, _ id: String, _ expected: String, _ found: String, _ lines: [Int?]
    ) {
        report(invariant, id, expected, found, lines, [id])
    }

    private func isForOther(_ item: Item, _ device: String) -> Bool { item.origin.map { $0 != device } ?? false }

    /// Q1, Q6 and D4. A synchronized stream had each transaction that was known before its request and not free to go
    /// when it was synchronized. A deferred transaction that a later read still shows as deferred was so all the time.
    /// A stream that is never synchronized in calm time delivers nothing.
    private mutating func snapshots() {
        for (owner, numbers) in sessions {
            var active: [Item] = []
            var next = 0
            let known = items[owner] ?? []
            for number in numbers.sorted(by: {
                history.sessions[$0].requestedAfter < history.sessions[$1].requestedAfter
            }) {
                let session = history.sessions[number]
                while next < known.count, known[next].known <= session.requestedAfter {
                    active.append(known[next])
                    next += 1
                }
                active.removeAll { $0.free <= session.requestedAfter }
                guard let end = session.synchronized else {
                    unsynchronized(session)
                    continue
                }
                findings.examine(.q1)
                for item in active
                where item.free > end && item.device.map({ $0 == session.device }) ?? true {
                    findings.examine(isForOther(item, session.device) ? .q6 : .q1)
                    if let line = deliveredFinally[number][item.id], line <= end { continue }
                    report(
                        isForOther(item, session.device) ? .q6 : .q1, item.id,
                        "delivered to \(session.device) before synchronized", "not delivered",
                        history.life(of: item.id) + [item.known, session.opened, end])
                }
            }
        }
        deferred()
    }

    private mutating func unsynchronized(_ session: RunHistory.Session) {
        let opened = history.entries[session.opened].time
        findings.examine(.q1)
        guard !session.isPaused, let due = history.calm(Self.deadline, after: opened) else { return }
        guard session.ended.map({ history.entries[$0].time > due }) ?? true else { return }
        report(
            .q1, "stream of \(session.device)", "synchronized in \(Self.deadline / 1_000_000) s of calm time", "never",
            [session.opened, session.ended])
    }

    private mutating func deferred() {
        for (id, sightings) in history.sightings {
            let waiting = sightings.filter { $0.transaction.state == "deferred" }
            guard let first = waiting.first else { continue }
            for number in sessions[first.owner] ?? [] {
                let session = history.sessions[number]
                guard let end = session.synchronized, first.line <= session.requestedAfter,
                    let later = waiting.last(where: {
                        $0.begin > end && ($0.operation == .listUnfinished || $0.operation == .finalUnfinished)
                    })
                else { continue }
                findings.examine(.d4)
                if let line = delivered[number][id], line <= end { continue }
                report(
                    .d4, id, "delivered as deferred to \(session.device)", "not delivered",
                    [first.begin, first.line, session.opened, end, later.line])
            }
        }
    }

    /// Q2 and Q6. A transaction that becomes known while a stream is synchronized is delivered in it, if it stays open
    /// and the transaction is not free to go for seven seconds of calm time.
    private mutating func updates() {
        for (owner, known) in items {
            let numbers = (sessions[owner] ?? []).filter { history.sessions[$0].synchronized != nil }
                .sorted { history.sessions[$0].opened < history.sessions[$1].opened }
            var live: [Int] = []
            var next = 0
            for item in known {
                while next < numbers.count, history.sessions[numbers[next]].opened < item.known {
                    live.append(numbers[next])
                    next += 1
                }
                live.removeAll { history.sessions[$0].ended.map { $0 < item.known } ?? false }
                guard let due = history.calm(Self.deadline, after: history.entries[item.known].time) else { continue }
                guard item.free == .max || history.entries[item.free].time > due else { continue }
                for number in live {
                    let session = history.sessions[number]
                    guard let start = session.synchronized, start < item.known, !session.isPaused,
                        item.device.map({ $0 == session.device }) ?? true,
                        session.ended.map({ history.entries[$0].time > due }) ?? true
                    else { continue }
                    let invariant: Invariant = isForOther(item, session.device) ? .q6 : .q2
                    findings.examine(invariant)
                    guard deliveredFinally[number][item.id] == nil else { continue }
                    report(
                        invariant, item.id, "delivered to \(session.device), which is connected", "not delivered",
                        history.life(of: item.id) + [item.known, session.opened, start, session.ended])
                }
            }
        }
    }

    /// Q3. After an acknowledged finish the transaction is in no list begun later and in no stream requested later. A
    /// stream that was open may have it in its snapshot, and in flight until seven seconds of calm time after both the
    /// finish and the snapshot. Refunded ones come once more.
    private mutating func finished() {
        let acknowledged = Dictionary(
            history.attempts(.finish).filter(\.isOK).compactMap { attempt in
                attempt.subject.map { ($0, attempt) }
            }, uniquingKeysWith: { $0.definiteEnd < $1.definiteEnd ? $0 : $1 })
        for (id, finish) in acknowledged.sorted(by: { $0.key < $1.key }) {
            guard let line = finish.end, history.requests(about: id, .refund).isEmpty else { continue }
            findings.examine(.q3)
            for sighting in history.sightings[id] ?? []
            where sighting.line > line && sighting.transaction.revoked != true {
                var isLate = false
                switch sighting.operation {
                case .listUnfinished, .finalUnfinished: isLate = sighting.begin > line
                case .observe:
                    guard let number = sessionOfDelivery[sighting.line] else { continue }
                    let session = history.sessions[number]
                    let deliverable = session.synchronized.map { max($0, line) }
                    isLate =
                        session.requestedAfter >= line
                        || !session.isPaused && isOverdue(sighting.line, since: deliverable)
                default: break
                }
                guard isLate else { continue }
                let opened = sessionOfDelivery[sighting.line].map { history.sessions[$0].opened }
                report(
                    .q3, id, "not delivered after its finish", "shown in line \(sighting.line + 1)",
                    [finish.begin, line, opened, sighting.begin, sighting.line])
                break
            }
        }
    }

    /// Whether a line comes after the deadline that another one begins. Without that one there is no deadline yet.
    private func isOverdue(_ line: Int, since begin: Int?) -> Bool {
        guard let begin, let due = history.calm(Self.deadline, after: history.entries[begin].time) else { return false }
        return history.entries[line].time > due
    }

    /// Q4 and D4. A finish begun after the transaction was known to be final is not refused as not finishable. One that
    /// succeeded was of a final transaction: no read begun later shows it purchasing or deferred.
    private mutating func finishes() {
        for finish in history.attempts(.finish) {
            guard let id = finish.subject, let end = finish.end else { continue }
            let sightings = history.sightings[id] ?? []
            findings.examine(sightings.contains { $0.transaction.state == "deferred" } ? .d4 : .q4)
            if finish.kind == .fail, finish.code == "transactionNotFinishable",
                let final = sightings.first(where: { $0.transaction.isTerminal }), final.line < finish.begin
            {
                report(
                    .q4, id, "a finish of a \(final.transaction.state) transaction succeeds", "refused",
                    [final.begin, final.line, finish.begin, end])
            }
            guard finish.isOK else { continue }
            let open = sightings.first {
                !$0.transaction.isTerminal && ($0.line == end || $0.begin > end && $0.operation != .purchase)
                    && $0.operation != .observe
            }
            guard let open else { continue }
            report(
                open.transaction.state == "deferred" ? .d4 : .q4, id,
                "a finish while \(open.transaction.state) is refused", "it succeeded",
                [finish.begin, end, open.begin, open.line])
        }
    }

    /// Q5. A known transaction that was never free to go is in each final list of unfinished transactions of its
    /// customer's devices.
    private mutating func survivors() {
        for read in history.attempts(.finalUnfinished) where read.isOK {
            guard let line = read.end else { continue }
            let shown = Set((read.transactions ?? []).map(\.id))
            for item in items[read.owner] ?? []
            where item.free == .max && item.known < read.begin && item.device.map({ $0 == read.device }) ?? true {
                findings.examine(.q5)
                guard !shown.contains(item.id) else { continue }
                report(
                    .q5, item.id, "unfinished, and in the final list of \(read.device ?? "")", "lost from the queue",
                    history.life(of: item.id) + [item.known, line])
            }
        }
    }

    /// Q5. In one stream the revisions of a transaction never go back.
    private mutating func order() {
        for session in history.sessions {
            var last: [String: (revision: Int64, line: Int)] = [:]
            for line in session.deliveries {
                for transaction in history.entries[line].transactions ?? [] {
                    guard let revision = transaction.revision else { continue }
                    findings.examine(.q5)
                    if let before = last[transaction.id], revision < before.revision {
                        report(
                            .q5, transaction.id, "revision \(before.revision) or later", "revision \(revision)",
                            [session.opened, before.line, line])
                    }
                    last[transaction.id] = (revision, line)
                }
            }
        }
    }
}
