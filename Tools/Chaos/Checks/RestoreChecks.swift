/// Checks R1, R3, R4: the transactions a restore brings back. R2 is checked against the ledger.
struct RestoreChecks: Checker {
    let history: RunHistory
    var findings = Findings()

    mutating func run() {
        var kept = originals()
        for owner in kept.keys { kept[owner]?.sort { $0.finished < $1.finished } }
        let restored = restored()
        var begins: [String: Int] = [:]
        for attempt in history.attempts(.restore) {
            let begin = attempt.key.map { key in
                let scoped = "\(attempt.owner)\u{1F}\(attempt.device ?? "")\u{1F}\(key)"
                begins[scoped] = min(begins[scoped] ?? .max, attempt.begin)
                return begins[scoped] ?? attempt.begin
            }
            guard attempt.isOK, attempt.detail["state"] == "finished" else { continue }
            missing(attempt, since: begin ?? attempt.begin, kept[attempt.owner] ?? [], restored)
        }
        extra()
        ends()
        originalsStay()
    }

    private struct Original {
        var id: String
        var root: String
        /// The key of the acknowledged finish.
        var finished: Int
    }

    /// First purchases of kinds that are restored, which were acknowledged as finished and never possibly revoked.
    private func originals() -> [RunHistory.Owner: [Original]] {
        var originals: [RunHistory.Owner: [Original]] = [:]
        for (id, sightings) in history.sightings {
            guard let bought = sightings.first(where: { $0.transaction.isPurchased && $0.transaction.original == nil }),
                ["nonConsumable", "autoRenewable"].contains(history.types[bought.transaction.product]),
                bought.transaction.transactionIdentifier != nil,
                !sightings.contains(where: { $0.transaction.revoked == true }),
                history.requests(about: id, .refund).isEmpty,
                let finished = history.requests(about: id, .finish).map(\.definiteEnd).min(), finished < .max
            else { continue }
            originals[bought.owner, default: []].append(
                Original(id: id, root: bought.transaction.root, finished: finished))
        }
        return originals
    }

    private struct Key: Hashable { var owner: RunHistory.Owner; var device: String; var root: String }

    /// The last line that shows a restored transaction, by its original, on each device.
    private func restored() -> [Key: Int] {
        var last: [Key: Int] = [:]
        for sightings in history.sightings.values {
            for sighting in sightings where sighting.transaction.state == "restored" {
                let key = Key(
                    owner: sighting.owner, device: sighting.device ?? "", root: sighting.transaction.root)
                last[key] = max(last[key] ?? -1, sighting.line)
            }
        }
        return last
    }

    /// R1. A transaction that was finished before the restore's key was first sent comes back. If the answer has
    /// transactions, they decide. If not, any later line that shows such a transaction on the device decides, including
    /// final reads. Purchases that overlap the restore may come back or not.
    private mutating func missing(
        _ attempt: RunHistory.Attempt, since begin: Int, _ kept: [Original], _ restored: [Key: Int]
    ) {
        let answer = attempt.transactions.map { Set($0.map(\.root)) }
        // Without a list in the answer, streams must have had calm time to deliver.
        if answer == nil, let end = attempt.end,
            history.calm(QueueChecks.deadline, after: history.entries[end].time) == nil
        {
            return
        }
        for original in kept {
            if original.finished >= begin { break }
            findings.examine(.r1)
            let key = Key(owner: attempt.owner, device: attempt.device ?? "", root: original.root)
            if answer?.contains(original.root) ?? ((restored[key] ?? -1) > begin) { continue }
            report(
                .r1, "restore \(attempt.detail["restore"] ?? attempt.key ?? "")", "\(original.root) is restored",
                "it is not", history.life(of: original.id) + [attempt.begin, attempt.end], [original.id])
        }
    }

    /// R1. No restored transaction has a kind that is used up or that the app restores itself.
    private mutating func extra() {
        for (id, sightings) in history.sightings.sorted(by: { $0.key < $1.key }) {
            let restored = sightings.filter { $0.transaction.state == "restored" }
            guard let first = restored.first, history.types[first.transaction.product] != nil else { continue }
            findings.examine(.r1)
            var found: (sighting: RunHistory.Sighting, reason: String)?
            for sighting in restored {
                let type = history.types[sighting.transaction.product] ?? ""
                if ["consumable", "nonRenewable"].contains(type) {
                    found = (sighting, "a \(type) product is restored")
                } else if sighting.transaction.original == nil {
                    found = (sighting, "it has no original")
                }
                if found != nil { break }
            }
            guard let found else { continue }
            report(
                .r1, id, "a non-consumable or subscription with its original", found.reason,
                [found.sighting.begin, found.sighting.line], [id])
        }
    }

    /// R3. A restore has one end with one list, and its key one restore.
    private mutating func ends() {
        var ends: [String: RunHistory.Attempt] = [:]
        var keys: [String: RunHistory.Attempt] = [:]
        for attempt in history.attempts(.restore) where attempt.kind != .info {
            guard let restore = attempt.detail["restore"] else { continue }
            findings.examine(.r3)
            if let state = attempt.detail["state"], state != "running" {
                if let other = ends[restore] {
                    let lines: [Int?] = [other.begin, other.end, attempt.begin, attempt.end]
                    if other.detail["state"] != state {
                        report(
                            .r3, "restore \(restore)", "it ends as \(other.detail["state"] ?? "") once", "\(state)",
                            lines)
                    } else if let before = other.transactions, let after = attempt.transactions,
                        Set(before.map(\.id)) != Set(after.map(\.id))
                    {
                        report(
                            .r3, "restore \(restore)", "the \(before.count) transactions it ended with",
                            "another list, of \(after.count)", lines, Set((before + after).map(\.id)))
                    }
                }
                ends[restore] = attempt
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
