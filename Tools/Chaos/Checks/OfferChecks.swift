/// Checks O1, O2 and O4 of introductory offers, and S2, S3 and S6 of subscriptions.
struct OfferChecks: Checker {
    private struct Group: Hashable { var owner: RunHistory.Owner; var group: String }

    let history: RunHistory
    var findings = Findings()
    /// Transactions of each customer's group, by the first line that shows them purchased.
    private var purchased: [Group: [RunHistory.Sighting]] = [:]

    mutating func run() {
        once()
        eligibility()
        released()
        periods()
        cancelled()
        active()
    }

    init(history: RunHistory) {
        self.history = history
        for sightings in history.sightings.values {
            guard let first = sightings.first(where: { $0.transaction.isPurchased }) else { continue }
            purchased[Group(owner: first.owner, group: group(first.transaction.product)), default: []].append(first)
        }
        for group in purchased.keys { purchased[group]?.sort { $0.line < $1.line } }
    }

    /// The group of a product. A product whose group is in no line has a group of its own.
    private func group(_ product: String) -> String { history.groups[product] ?? "product \(product)" }

    private func isAnswer(_ id: String) -> Bool {
        history.sightings[id]?.contains { $0.operation == .purchase || $0.operation == .decideIntent } == true
    }

    /// O1. Of a customer's group one purchase has an introductory offer. Renewals within the offer continue that
    /// purchase: they answer no request, and have its original.
    private mutating func once() {
        for (key, sightings) in purchased.sorted(by: { $0.value[0].line < $1.value[0].line }) {
            let used = sightings.filter { $0.transaction.isIntroductory }
            guard let first = used.first else { continue }
            findings.examine(.o1)
            let answers = used.filter { isAnswer($0.transaction.id) }
            let other =
                used.first { $0.transaction.root != first.transaction.root } ?? answers.dropFirst().first
            guard let other else { continue }
            let one = other.transaction.id == first.transaction.id ? answers[0] : first
            report(
                .o1, "\(key.group) for \(key.owner)", "one introductory offer",
                "\(one.transaction.id) and \(other.transaction.id)",
                history.life(of: one.transaction.id) + history.life(of: other.transaction.id) + [one.line, other.line],
                [one.transaction.id, other.transaction.id])
        }
    }

    /// O2. An answer that was asked for after any line has shown an introductory purchase of the group does not say
    /// eligible: the offer stays used.
    private mutating func eligibility() {
        let used = purchased.compactMapValues { sightings in sightings.first { $0.transaction.isIntroductory } }
        for attempt in history.attempts(.eligibility, .finalEligibility) where attempt.isOK {
            let name = attempt.detail["group"] ?? attempt.product.map(group) ?? ""
            guard let sighting = used[Group(owner: attempt.owner, group: name)], sighting.line < attempt.begin else {
                continue
            }
            findings.examine(.o2)
            guard attempt.detail["answer"] == "eligible" else { continue }
            report(
                .o2, "\(name) for \(attempt.owner)", "ineligible after \(sighting.transaction.id)", "eligible",
                [sighting.begin, sighting.line, attempt.begin, attempt.end], [sighting.transaction.id])
        }
    }

    /// Whether a transaction failed in the end. A deferred one may fail after its request was answered.
    private func hasFailed(_ transaction: ObservedTransaction) -> Bool {
        transaction.state == "failed"
            || history.sightings[transaction.id]?.contains { $0.transaction.state == "failed" } == true
    }

    /// O4. A customer all of whose purchases in a group failed for certain is not ineligible in the end.
    private mutating func released() {
        var tries: [Group: [RunHistory.Attempt]] = [:]
        for attempt in history.attempts(.purchase, .decideIntent) {
            guard let product = attempt.product ?? attempt.transactions?.first?.product else { continue }
            tries[Group(owner: attempt.owner, group: group(product)), default: []].append(attempt)
        }
        for read in history.attempts(.finalEligibility) where read.isOK {
            let name = read.detail["group"] ?? read.product.map(group) ?? ""
            let key = Group(owner: read.owner, group: name)
            guard let attempts = tries[key], purchased[key] == nil,
                attempts.allSatisfy({ attempt in
                    attempt.kind != .info && (attempt.transactions ?? []).allSatisfy(hasFailed)
                        && (attempt.kind == .fail || attempt.transactions?.isEmpty == false)
                })
            else { continue }
            findings.examine(.o4)
            guard read.detail["answer"] == "ineligible" else { continue }
            report(
                .o4, "\(name) for \(read.owner)", "eligible: each purchase failed", "ineligible",
                attempts.flatMap { [$0.begin, $0.end] } + [read.end],
                Set(attempts.flatMap { $0.transactions ?? [] }.map(\.id)))
        }
    }

    private struct Line: Hashable { var owner: RunHistory.Owner; var root: String; var product: String }

    /// S2. Two renewals of a subscription have different ends. The beginning of each period is in no line.
    private mutating func periods() {
        var ends: [Line: [Int64: RunHistory.Sighting]] = [:]
        for sightings in purchased.values {
            for sighting in sightings {
                let transaction = sighting.transaction
                guard let original = transaction.original, let end = transaction.expires, !isAnswer(transaction.id)
                else { continue }
                let line = Line(owner: sighting.owner, root: original, product: transaction.product)
                findings.examine(.s2)
                if let other = ends[line]?[end] {
                    report(
                        .s2, "subscription \(original)", "periods with ends of their own",
                        "\(other.transaction.id) and \(transaction.id) end at \(end)", [other.line, sighting.line],
                        [other.transaction.id, transaction.id])
                }
                ends[line, default: [:]][end] = sighting
            }
        }
    }

    /// S3. After a cancellation that succeeded, whose answer shows the end of the period that is paid, no renewal ends
    /// later unless the customer may have bought in the group again.
    private mutating func cancelled() {
        for cancel in history.attempts(.cancelSubscription) where cancel.isOK {
            guard let end = cancel.end,
                let paid = cancel.detail["expires"].flatMap({ Int64($0) })
                    ?? cancel.transactions?.compactMap(\.expires).max(),
                let transaction = cancel.transactions?.first
                    ?? cancel.subject.flatMap({
                        history.sightings[$0]?.first?.transaction
                    })
            else { continue }
            let name = group(transaction.product)
            let own = history.attempts(.purchase, .decideIntent).filter { attempt in
                let product = attempt.product ?? attempt.transactions?.first?.product
                return attempt.isPossible && attempt.owner == cancel.owner && product.map { group($0) == name } ?? true
            }
            // What had its end before, and is answered again under its key, buys nothing; a deferred one may later.
            func hadEnded(_ attempt: RunHistory.Attempt) -> Bool {
                attempt.definiteEnd < cancel.begin && attempt.transactions?.first?.isTerminal == true
            }
            let ended = Set(own.filter(hadEnded).compactMap(\.key))
            let again = own.contains { attempt in
                !hadEnded(attempt) && attempt.key.map { !ended.contains($0) } ?? true
            }
            guard !again else { continue }
            findings.examine(.s3)
            let late = purchased.filter { $0.key.group == name && $0.key.owner == cancel.owner }.values.joined().first {
                $0.line > end && $0.transaction.root == transaction.root && ($0.transaction.expires ?? 0) > paid
            }
            guard let late else { continue }
            report(
                .s3, "subscription \(transaction.root)", "no renewal after the period that ends at \(paid)",
                "\(late.transaction.id), which ends at \(late.transaction.expires ?? 0)",
                [cancel.begin, end, late.line], [late.transaction.id, transaction.id])
        }
    }

    /// S6. In a final history with the time (`detail.now`), one subscription of a group has a period that has not
    /// ended.
    private mutating func active() {
        for read in history.attempts(.finalHistory) where read.isOK {
            guard let now = read.detail["now"].flatMap({ Int64($0) }) else { continue }
            var roots: [String: Set<String>] = [:]
            for transaction in read.transactions ?? []
            where transaction.isPurchased && transaction.revoked != true && (transaction.expires ?? 0) > now
                && history.types[transaction.product] == "autoRenewable"
            {
                roots[group(transaction.product), default: []].insert(transaction.root)
            }
            for (name, found) in roots.sorted(by: { $0.key < $1.key }) {
                findings.examine(.s6)
                guard found.count > 1 else { continue }
                let ids = Set((read.transactions ?? []).filter { found.contains($0.root) }.map(\.id))
                report(.s6, "\(name) for \(read.owner)", "one active", "\(found.count) active", [read.end], ids)
            }
        }
    }
}
