/// Checks R1, R3, R4: the transactions a restore brings back. R2 is checked against the ledger.
///
/// What a restore may have brought is in ``RestoredCopies``, with the interleavings. Each restored transaction has a
/// restore of its own, and each restore has a transaction of its own for what it certainly brings back. A line without
/// transactions, of an older run or after a read that failed, has neither a count nor a list that is held against it.
struct RestoreChecks: Checker {
    private typealias Copy = RestoredCopies.Copy
    private typealias KeyedRestore = RestoredCopies.KeyedRestore

    let history: RunHistory
    var findings = Findings()
    private let seen: RestoredCopies
    /// Restored transactions that a later answer of their restore lacks.
    private var lost: Set<String> = []

    init(history: RunHistory) {
        self.history = history
        seen = RestoredCopies(history)
    }

    mutating func run() {
        ends()
        let kept = originals()
        for queue in Set(seen.copies.keys).union(seen.restores.keys) {
            let restores = seen.restores[queue] ?? []
            let copies = seen.copies[queue] ?? []
            let makers = copies.map { copy in restores.indices.filter { seen.mayBring(restores[$0], copy) } }
            missing(restores, copies, makers, kept[queue.owner] ?? [])
            added(queue, restores, copies, makers)
            counted(restores, copies, makers)
        }
        extra()
        originalsStay()
    }

    private struct Original {
        var id: String
        var root: String
        /// The line of the acknowledged finish.
        var finished: Int
    }

    /// First purchases of kinds that are restored, which were acknowledged as finished and never possibly revoked.
    ///
    /// A refund of a renewal may end the whole subscription, which then does not come back.
    private func originals() -> [RunHistory.Owner: [Original]] {
        var revoked: Set<RunHistory.Number> = []
        for (id, sightings) in history.sightings {
            guard let bought = sightings.first(where: \.transaction.isPurchased),
                sightings.contains(where: { $0.transaction.revoked == true })
                    || !history.requests(about: id, .refund).isEmpty
            else { continue }
            revoked.insert(RunHistory.Number(app: bought.owner.app, transaction: bought.transaction.root))
        }
        var originals: [RunHistory.Owner: [Original]] = [:]
        for (id, sightings) in history.sightings {
            guard let bought = sightings.first(where: { $0.transaction.isPurchased && $0.transaction.original == nil }),
                ["nonConsumable", "autoRenewable"].contains(history.types[bought.transaction.product]),
                let number = bought.transaction.transactionIdentifier,
                !revoked.contains(RunHistory.Number(app: bought.owner.app, transaction: number)),
                let finished = history.requests(about: id, .finish).map(\.definiteEnd).min(), finished < .max
            else { continue }
            originals[bought.owner, default: []].append(Original(id: id, root: number, finished: finished))
        }
        return originals
    }

    /// R1. A restore brings back what was finished before its key was first sent.
    ///
    /// Two restores of one device bring back two transactions. Without a list, any later line of the device's queue may
    /// show it, and streams must have had calm time to. What is finished while the key is under way may come back or
    /// not.
    private mutating func missing(
        _ restores: [KeyedRestore], _ copies: [Copy], _ makers: [[Int]], _ kept: [Original]
    ) {
        for original in kept {
            let due = restores.indices.filter { original.finished < restores[$0].begin && isShown(restores[$0]) }
            findings.examine(.r1, due.count)
            let own = copies.indices.filter { copies[$0].root == original.root }
            for place in Pairing(due.map { restore in own.filter { makers[$0].contains(restore) } }).alone {
                let restore = restores[due[place]]
                guard let answer = restore.answers.first(where: { $0.transactions != nil }) ?? restore.answers.first
                else { continue }
                report(
                    .r1, "restore \(restore.name)", "\(original.root) is restored", "it is not",
                    history.life(of: original.id) + [answer.begin, answer.end], [original.id])
            }
        }
    }

    /// Whether lines show each transaction that a restore has brought.
    private func isShown(_ restore: KeyedRestore) -> Bool {
        guard restore.lists.isEmpty else { return true }
        guard let end = restore.answers.first?.end else { return false }
        return history.calm(QueueChecks.deadline, after: history.entries[end].time) != nil
    }

    /// R3. Each restored transaction has a restore that may have brought it.
    ///
    /// It shares the restore with no other transaction of its original. So a restore brings an original back once, and
    /// its key adds nothing when it is sent again.
    private mutating func added(
        _ queue: RestoredCopies.Queue, _ restores: [KeyedRestore], _ copies: [Copy], _ makers: [[Int]]
    ) {
        for root in Set(copies.map(\.root)) {
            let own = copies.indices.filter { copies[$0].root == root }
            findings.examine(.r3, own.count)
            let alone = Pairing(own.map { makers[$0] }).alone.map { own[$0] }
            guard let place = alone.first(where: { !lost.contains(copies[$0].id) }) else { continue }
            let copy = copies[place]
            let twins = own.filter { $0 != place && !Set(makers[$0]).isDisjoint(with: makers[place]) }
                .prefix(Self.shownMax).map { copies[$0] }
            let near = restores.filter { seen.isUnderWay($0, copy) }.suffix(Self.shownMax)
            let lines: [Int?] = near.flatMap(\.lines)
            let sightings: [Int?] = ([copy] + twins).flatMap { [$0.first.begin, $0.first.line] as [Int?] }
            report(
                .r3, "\(root) on \(queue.device)", "one transaction from each restore, and none from its repetition",
                "\(copy.id), which no restore can have brought" + (twins.isEmpty ? "" : " besides the others"),
                lines + sightings, Set(twins.map(\.id)).union([copy.id]))
        }
    }

    /// The most restores, and the most transactions, that a violation shows.
    private static let shownMax = 5

    /// R3. A restore has brought as many transactions as its end says.
    ///
    /// The queue has them, or they may be finished. No more are certainly its own.
    private mutating func counted(_ restores: [KeyedRestore], _ copies: [Copy], _ makers: [[Int]]) {
        for (number, restore) in restores.enumerated() {
            guard let count = restore.count, let answer = restore.answers.first(where: { $0.transactions != nil })
            else { continue }
            findings.examine(.r3)
            let possible = copies.indices.filter { makers[$0].contains(number) }
            // A restore brings each original back once.
            let most = Set(possible.map { copies[$0].root }).count
            let least = possible.count { makers[$0].count == 1 }
            guard most < count || least > count else { continue }
            report(
                .r3, "restore \(restore.name)", "\(count) transactions, as its end says",
                "\(most < count ? most : least)", [answer.begin, answer.end], Set(possible.map { copies[$0].id }))
        }
    }

    /// R1. No restored transaction has a kind that is used up or that the app restores itself, nor another customer's
    /// or product's original.
    private mutating func extra() {
        var finals: [RunHistory.Owner: [RunHistory.Attempt]] = [:]
        for read in history.attempts(.finalHistory) where read.isOK { finals[read.owner, default: []].append(read) }
        for (id, sightings) in history.sightings.sorted(by: { $0.key < $1.key }) {
            let restored = sightings.filter { $0.transaction.state == "restored" }
            guard let first = restored.first, history.types[first.transaction.product] != nil else { continue }
            findings.examine(.r1)
            var found: (sighting: RunHistory.Sighting, reason: String)?
            for sighting in restored {
                let type = history.types[sighting.transaction.product] ?? ""
                if ["consumable", "nonRenewable"].contains(type) {
                    found = (sighting, "a \(type) product is restored")
                } else if let reason = foreign(sighting, finals[sighting.owner] ?? []) {
                    found = (sighting, reason)
                }
                if found != nil { break }
            }
            guard let found else { continue }
            report(
                .r1, id, "a non-consumable or subscription with its original", found.reason,
                [found.sighting.begin, found.sighting.line], [id])
        }
    }

    /// Tells why a restored transaction is not of the customer's own purchase.
    ///
    /// A purchase that no line shows is foreign only if a final history begun later lacks it.
    private func foreign(_ sighting: RunHistory.Sighting, _ finals: [RunHistory.Attempt]) -> String? {
        guard let root = sighting.transaction.original else { return "it has no original" }
        guard let bought = seen.purchases[RunHistory.Number(app: sighting.owner.app, transaction: root)]?.first else {
            return finals.contains { $0.begin > sighting.line } ? "the final history has no original \(root)" : nil
        }
        if bought.owner != sighting.owner { return "\(bought.owner) has bought its original" }
        let product = bought.transaction.product
        return product == sighting.transaction.product ? nil : "its original is of \(product)"
    }

    /// R3. A restore has one end, and its key one restore. A list that is read later lacks only what may be finished.
    private mutating func ends() {
        var ends: [String: RunHistory.Attempt] = [:]
        var lists: [String: [RunHistory.Attempt]] = [:]
        var keys: [String: RunHistory.Attempt] = [:]
        for attempt in history.attempts(.restore) where attempt.kind != .info {
            guard let restore = attempt.detail["restore"] else { continue }
            findings.examine(.r3)
            if let state = attempt.detail["state"], state != "running" {
                if let other = ends[restore] { compare(other, attempt, restore) }
                ends[restore] = attempt
                list(attempt, restore, lists[restore] ?? [])
                if attempt.transactions != nil { lists[restore, default: []].append(attempt) }
            }
            guard let key = attempt.key else { continue }
            let scoped = "\(attempt.owner)\u{1F}\(attempt.device ?? "")\u{1F}\(key)"
            if let other = keys[scoped], other.detail["restore"] != restore {
                report(
                    .r3, "key \(key)", "restore \(other.detail["restore"] ?? "") again", "restore \(restore)",
                    [other.begin, other.end, attempt.begin, attempt.end])
            }
            keys[scoped] = attempt
        }
    }

    /// Compares two ends of one restore. Lines of older runs have no count.
    private mutating func compare(_ other: RunHistory.Attempt, _ attempt: RunHistory.Attempt, _ restore: String) {
        for name in ["state", "restored"] {
            guard let before = other.detail[name], let after = attempt.detail[name], before != after else { continue }
            report(
                .r3, "restore \(restore)", "it ends as \(before) once", after,
                [other.begin, other.end, attempt.begin, attempt.end])
        }
    }

    /// Compares an answer's list with those that were read before it began.
    private mutating func list(_ attempt: RunHistory.Attempt, _ restore: String, _ earlier: [RunHistory.Attempt]) {
        guard let shown = attempt.transactions, let end = attempt.end else { return }
        var ids: Set<String> = []
        for one in shown where !ids.insert(one.id).inserted {
            report(
                .r3, "restore \(restore)", "each transaction once", "\(one.id) twice", [attempt.begin, end], [one.id])
        }
        for other in earlier where other.definiteEnd < attempt.begin {
            for one in other.transactions ?? [] where !ids.contains(one.id) && seen.freed(one.id) > end {
                lost.insert(one.id)
                report(
                    .r3, "restore \(restore)", "\(one.id) in each answer until it is finished", "none in a later one",
                    [other.begin, other.end, attempt.begin, end], [one.id])
            }
        }
    }

    /// R4. After a restored transaction was finished, the final history still has its original.
    private mutating func originalsStay() {
        var finals: [RunHistory.Owner: [RunHistory.Attempt]] = [:]
        for read in history.attempts(.finalHistory) where read.isOK { finals[read.owner, default: []].append(read) }
        var roots: [RunHistory.Attempt] = []
        for finish in history.attempts(.finish) where finish.isOK { roots.append(finish) }
        let identifiers = finals.mapValues { reads in
            reads.map { read in
                Set((read.transactions ?? []).filter(\.isPurchased).compactMap(\.transactionIdentifier))
            }
        }
        for finish in roots {
            guard let id = finish.subject,
                let restored = history.sightings[id]?.first(where: { $0.transaction.state == "restored" }),
                let root = restored.transaction.original
            else { continue }
            for (number, read) in (finals[restored.owner] ?? []).enumerated() where read.begin > finish.definiteEnd {
                findings.examine(.r4)
                guard identifiers[restored.owner]?[number].contains(root) == false else { continue }
                report(
                    .r4, id, "the original \(root) in the final history", "gone after the finish",
                    [restored.line, finish.begin, finish.end, read.end], [id])
            }
        }
    }
}
