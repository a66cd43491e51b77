/// Checks P1, P3, P4, P7 and P9: the answers a customer gets about purchases.
struct PurchaseChecks: Checker {
    let history: RunHistory
    var findings = Findings()

    mutating func run() {
        lost()
        keys()
        edges()
        reads()
    }

    /// P1. A transaction that any line has shown as purchased was committed, so each final read of its customer has it,
    /// with the product, price and original it had. A request in flight at the end of the run is not yet a purchase.
    private mutating func lost() {
        var finals: [RunHistory.Owner: [(line: Int, shown: [String: ObservedTransaction])]] = [:]
        for read in history.attempts(.finalHistory) where read.isOK {
            let shown = Dictionary((read.transactions ?? []).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            finals[read.owner, default: []].append((read.end ?? read.begin, shown))
        }
        for (id, sightings) in history.sightings.sorted(by: { $0.key < $1.key }) {
            guard let first = sightings.first(where: { $0.transaction.isPurchased }) else { continue }
            for read in finals[first.owner] ?? [] where read.line > first.line {
                findings.examine(.p1)
                let found = read.shown[id]
                if let found, let difference = Self.difference(first.transaction, found) {
                    report(.p1, id, difference.expected, difference.found, [first.begin, first.line, read.line], [id])
                } else if found == nil {
                    report(
                        .p1, id, "the final history of \(first.owner) has it", "acknowledged as purchased, and lost",
                        history.life(of: id) + [first.line, read.line], [id])
                }
            }
        }
    }

    private static func difference(
        _ before: ObservedTransaction, _ after: ObservedTransaction
    ) -> (expected: String, found: String)? {
        let pairs = [
            ("product", before.product, after.product), ("state", before.state, after.state),
            ("transaction identifier", before.transactionIdentifier, after.transactionIdentifier),
            ("original", before.original, after.original),
            ("price", before.price.map { "\($0)" }, after.price.map { "\($0)" }),
            ("currency", before.currency, after.currency),
        ]
        for case (let name, let before?, let after?) in pairs where before != after {
            return ("\(name) \(before)", "\(name) \(after)")
        }
        return nil
    }

    /// P3 and P4. Violations for one key of a customer are replies with different transactions or different ends of
    /// one, two bodies that both succeeded, and a refusal as `keyReused` of the only body that was ever sent. A
    /// purchasing or deferred reply is not an end. After an unknown outcome these are violations of P4. A key that was
    /// sent again after everything was healed, and got no certain answer in any try, is unresolved.
    private mutating func keys() {
        var groups: [String: [RunHistory.Attempt]] = [:]
        for attempt in history.attempts(.purchase) {
            guard let key = attempt.key else { continue }
            groups["\(attempt.app ?? "")\u{1F}\(attempt.account ?? "")\u{1F}\(key)", default: []].append(attempt)
        }
        for (_, tries) in groups.sorted(by: { $0.value[0].begin < $1.value[0].begin }) {
            resolve(tries)
            answers(tries)
        }
    }

    private mutating func answers(_ tries: [RunHistory.Attempt]) {
        let key = tries[0].key ?? ""
        let invariant: Invariant = tries.contains { $0.kind == .info } ? .p4 : .p3
        findings.examine(.p3)
        func report(_ invariant: Invariant, _ pair: [RunHistory.Attempt], _ expected: String, _ found: String) {
            self.report(
                invariant, "key \(key)", expected, found, pair.flatMap { [$0.begin, $0.end] },
                Set(pair.flatMap { $0.transactions ?? [] }.map(\.id)))
        }
        let answered = tries.filter { $0.transactions?.isEmpty == false && $0.kind != .info }
            .sorted { ($0.end ?? .max) < ($1.end ?? .max) }
        for (before, after) in zip(answered, answered.dropFirst()) {
            guard let first = before.transactions?.first, let next = after.transactions?.first else { continue }
            if first.id != next.id {
                report(.p3, [before, after], "each answer has \(first.id)", "another transaction, \(next.id)")
            } else if before.body != after.body {
                report(.p3, [before, after], "another body under the key is refused", "two bodies have an answer")
            }
        }
        let terminal = answered.filter { $0.transactions?.first?.isTerminal == true }
        if let first = terminal.first,
            let other = terminal.first(where: {
                $0.transactions?.first?.id == first.transactions?.first?.id
                    && $0.transactions?.first?.state != first.transactions?.first?.state
            })
        {
            report(
                invariant, [first, other], "the final answer \(first.transactions?.first?.state ?? "") comes again",
                "it is \(other.transactions?.first?.state ?? "")")
        }
        if let refused = tries.first(where: { $0.code == "keyReused" }), tries.allSatisfy({ $0.body == refused.body }) {
            report(
                .p3, [tries[0], refused].filter { $0.begin <= refused.begin }, "the same request is answered again",
                "refused as keyReused, though the key had one body only")
        }
    }

    private mutating func resolve(_ tries: [RunHistory.Attempt]) {
        guard tries.contains(where: { $0.kind == .info }), let healed = history.phases["healed"] else { return }
        let late = tries.filter { $0.end != nil && history.entries[$0.begin].time >= healed }
        guard !late.isEmpty else { return }
        findings.examine(.p4)
        let isResolved = tries.contains { attempt in
            attempt.kind == .fail || attempt.isOK && attempt.transactions?.first.map(\.state) != "purchasing"
        }
        guard !isResolved else { return }
        let pair = [tries[0], late[late.count - 1]]
        report(
            .p4, "key \(tries[0].key ?? "")", "one final answer once all is healed",
            "still unknown after \(tries.count) tries", pair.flatMap { [$0.begin, $0.end] },
            Set(pair.flatMap { $0.transactions ?? [] }.map(\.id)))
    }

    private static let next: [String: Set<String>] = [
        "purchasing": ["purchased", "failed", "deferred"], "deferred": ["purchased", "failed"],
    ]

    /// P7. Ordered by revision, all sightings of a transaction are a path of the state machine, and one revision has
    /// one state. Skipped revisions are allowed, because a state may be reached over others. Reads of one worker, each
    /// begun after the one before ended, never go back. Stored answers of an idempotency key may go back, so they are
    /// left out.
    private mutating func edges() {
        for (id, sightings) in history.sightings.sorted(by: { $0.key < $1.key }) {
            let numbered = sightings.filter { $0.transaction.revision != nil }.sorted {
                ($0.transaction.revision ?? 0, $0.line) < ($1.transaction.revision ?? 0, $1.line)
            }
            findings.examine(.p7)
            for (before, after) in zip(numbered, numbered.dropFirst()) {
                let (from, to) = (before.transaction.state, after.transaction.state)
                let isSame = before.transaction.revision == after.transaction.revision
                if from == to || !isSame && Self.reaches(from, to) { continue }
                let expected =
                    isSame
                    ? "one state at revision \(after.transaction.revision ?? 0)"
                    : "an edge of the state machine from \(from)"
                report(
                    .p7, id, expected, isSame ? "\(from) and \(to)" : "\(from) → \(to)",
                    [before.begin, before.line, after.begin, after.line], [id])
                break
            }
            backwards(id, sightings)
        }
    }

    private static func reaches(_ from: String, _ to: String) -> Bool { next[from]?.contains(to) == true }

    private mutating func backwards(_ id: String, _ sightings: [RunHistory.Sighting]) {
        var last: [Int: RunHistory.Sighting] = [:]
        for sighting in sightings where sighting.operation == .readHistory || sighting.operation == .listUnfinished {
            let process = history.entries[sighting.line].process
            defer { last[process] = sighting }
            guard let before = last[process], before.line < sighting.begin,
                let old = before.transaction.revision, let new = sighting.transaction.revision, new < old
            else { continue }
            report(
                .p7, id, "revision \(old) or later", "revision \(new)",
                [before.begin, before.line, sighting.begin, sighting.line], [id])
            return
        }
    }

    /// P9. A read of a customer's history that began after a purchase was acknowledged to the customer has it, at every
    /// gateway. Pages are left out, which `detail.after` marks. The check reads the lists of unfinished transactions
    /// that ended before any finish of it began.
    private mutating func reads() {
        struct Known { var id: String; var line: Int; var begin: Int; var finish: Int }
        var known: [RunHistory.Owner: [Known]] = [:]
        for (id, sightings) in history.sightings {
            // An acknowledgement only: what a stream shows, a client has not been promised.
            guard let ok = sightings.first(where: { $0.operation == .purchase && $0.transaction.isPurchased }),
                history.entries[ok.line].kind == .ok
            else { continue }
            let finish = history.requests(about: id, .finish).filter(\.isPossible).map(\.begin).min() ?? .max
            let ended = history.requests(about: id, .refund).filter(\.isPossible).map(\.begin).min() ?? .max
            known[ok.owner, default: []].append(
                Known(id: id, line: ok.line, begin: ok.begin, finish: min(finish, ended)))
        }
        for owner in known.keys { known[owner]?.sort { $0.line < $1.line } }
        for read in history.attempts(.readHistory, .listUnfinished)
        where read.isOK && read.transactions != nil && read.detail["after"] == nil {
            let shown = Set((read.transactions ?? []).map(\.id))
            guard let end = read.end else { continue }
            for one in known[read.owner] ?? [] {
                if one.line >= read.begin { break }
                if read.operation == .listUnfinished, one.finish <= end { continue }
                findings.examine(.p9)
                guard !shown.contains(one.id) else { continue }
                report(
                    .p9, one.id, "the \(read.operation.rawValue) begun after the acknowledgement has it",
                    "\(shown.count) others without it", [one.begin, one.line, read.begin, end], [one.id])
            }
        }
    }
}
