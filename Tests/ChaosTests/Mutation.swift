import StorebusTesting
import Testing

@testable import Chaos

/// A change of a valid history that breaks an invariant.
struct Mutation: Sendable, CustomTestStringConvertible {
    let name: String
    /// Those of which one must be reported.
    let invariants: Set<Invariant>
    /// Changes the history; false where it does not fit.
    let plant: @Sendable (inout [HistoryEntry], inout SplitMix64) -> Bool

    init(
        _ name: String, _ invariants: Invariant...,
        plant: @escaping @Sendable (inout [HistoryEntry], inout SplitMix64) -> Bool
    ) {
        self.name = name
        self.invariants = Set(invariants)
        self.plant = plant
    }

    var testDescription: String { name }

    /// A change of one line of a class, chosen at random among those it fits.
    private static func line(
        _ name: String, _ operation: HistoryEntry.Operation, _ invariants: Invariant...,
        change: @escaping @Sendable (inout HistoryEntry, [HistoryEntry]) -> Bool
    ) -> Mutation {
        Mutation(name: name, invariants: Set(invariants)) { entries, random in
            for place in entries.indices.shuffled(using: &random) where entries[place].operation == operation {
                var entry = entries[place]
                guard change(&entry, entries) else { continue }
                entries[place] = entry
                return true
            }
            return false
        }
    }

    private init(
        name: String, invariants: Set<Invariant>,
        plant: @escaping @Sendable (inout [HistoryEntry], inout SplitMix64) -> Bool
    ) {
        self.name = name
        self.invariants = invariants
        self.plant = plant
    }

    private static func isTouched(_ id: String, _ entries: [HistoryEntry]) -> Bool {
        entries.contains { ["finish", "refund"].contains($0.operation.rawValue) && $0.detail?["transaction"] == id }
    }

    /// Whether a line shows a transaction in a state. Nobody can miss one that was never shown.
    private static func isShown(_ id: String, _ state: String, _ entries: some Sequence<HistoryEntry>) -> Bool {
        entries.contains { $0.transactions?.contains { $0.id == id && $0.state == state } == true }
    }

    static let all: [Mutation] = money + customers + queue + restores + others + notifications

    private static let money: [Mutation] = [
        line("drop a transaction from the final history", .finalHistory, .p1) { entry, entries in
            let before = entries.prefix { $0.index < entry.index }
            let place = entry.transactions?.firstIndex {
                $0.state == "purchased" && isShown($0.id, "purchased", before)
            }
            guard let place else { return false }
            entry.transactions?.remove(at: place)
            return true
        },
        line("drop a charge", .finalCharges, .p2) { entry, _ in
            guard let place = entry.charges?.firstIndex(where: { $0.outcome == "approved" }) else { return false }
            entry.charges?.remove(at: place)
            return true
        },
        line("charge a transaction that is not there", .finalCharges, .p2) { entry, _ in
            entry.charges?.append(.of("purchase:lost"))
            return true
        },
        line("double a charge under a new key", .finalCharges, .p3, .d3) { entry, _ in
            guard
                var charge = entry.charges?.first(where: {
                    $0.outcome == "approved" && $0.key.hasPrefix("purchase:") && $0.refunded == 0
                })
            else { return false }
            charge.key += ":2"
            entry.charges?.append(charge)
            return true
        },
        line("double a row of the ledger", .finalCharges, .p3) { entry, _ in
            guard let charge = entry.charges?.first(where: { $0.outcome == "approved" }) else { return false }
            entry.charges?.append(charge)
            return true
        },
        line("charge a failed purchase", .finalCharges, .p5, .d2) { entry, entries in
            // A charge of a purchase that was never shown belongs to nothing, which is P2's.
            let place = entry.charges?.firstIndex {
                $0.outcome == "declined" && isShown(String($0.key.dropFirst("purchase:".count)), "failed", entries)
            }
            guard let place else { return false }
            entry.charges?[place].outcome = "approved"
            return true
        },
        line("charge another amount", .finalCharges, .p6) { entry, _ in
            guard
                let place = entry.charges?.firstIndex(where: {
                    $0.outcome == "approved" && $0.key.hasPrefix("purchase:")
                })
            else { return false }
            entry.charges?[place].amount += 1
            return true
        },
        line("refund more than was charged", .finalCharges, .p10) { entry, _ in
            guard let place = entry.charges?.firstIndex(where: { $0.outcome == "approved" }) else { return false }
            let amount = entry.charges?[place].amount ?? 0
            entry.charges?[place].refunded = amount + 1
            return true
        },
        line("charge a period twice", .finalCharges, .s1) { entry, _ in
            guard var charge = entry.charges?.first(where: { $0.key.hasPrefix("renew:") }) else { return false }
            charge.key += ":2"
            entry.charges?.append(charge)
            return true
        },
        line("charge a copy of a non-consumable", .finalCharges, .p8) { entry, entries in
            let copies = entries.flatMap { $0.transactions ?? [] }.filter {
                ["pro", "map"].contains($0.product) && $0.state == "purchased" && $0.original != nil
            }
            guard let copy = copies.first else { return false }
            entry.charges?.append(.of("purchase:\(copy.id)", amount: 1))
            return true
        },
        line("charge a restored transaction", .finalCharges, .r2) { entry, entries in
            let restored = entries.flatMap { $0.transactions ?? [] }.first { $0.state == "restored" }
            guard let restored else { return false }
            entry.charges?.append(.of("purchase:\(restored.id)"))
            return true
        },
        line("charge what still waits", .finalCharges, .d1) { entry, entries in
            let waiting = entries.last {
                $0.operation == .finalUnfinished
                    && $0.transactions?.contains {
                        $0.state == "deferred"
                    } == true
            }
            guard let id = waiting?.transactions?.first(where: { $0.state == "deferred" })?.id else { return false }
            entry.charges?.append(.of("purchase:\(id)"))
            return true
        },
        line("answer a key with another transaction", .purchase, .p3) { entry, entries in
            guard entry.kind == .ok, let key = entry.key,
                entries.contains(where: {
                    $0.key == key && $0.account == entry.account && $0.index < entry.index && $0.transactions != nil
                        && $0.kind == .ok
                })
            else { return false }
            entry.transactions?[0].id = "another"
            return true
        },
        Mutation("leave a key unknown", .p4) { entries, random in
            let last = Dictionary(
                entries.indices.filter { entries[$0].operation == .purchase && entries[$0].kind != .invoke }
                    .map { ("\(entries[$0].account ?? "") \(entries[$0].key ?? "")", [$0]) }, uniquingKeysWith: +)
            let open = last.values.filter { places in
                places.count > 1 && places.dropLast().allSatisfy { entries[$0].kind == .info }
            }.sorted { $0[0] < $1[0] }
            guard let place = open.randomElement(using: &random)?.last else { return false }
            (entries[place].kind, entries[place].transactions, entries[place].code) = (.info, nil, nil)
            return true
        },
    ]

    private static let customers: [Mutation] = [
        line("show another customer's transaction", .listUnfinished, .p11) { entry, entries in
            guard entry.kind == .ok,
                let other = entries.first(where: {
                    $0.operation == .purchase && $0.kind == .ok && $0.account != entry.account
                })?.transactions?.first
            else { return false }
            entry.transactions?.append(other)
            return true
        },
        line("hide a purchase from the next read", .readHistory, .p9) { entry, entries in
            guard entry.kind == .ok, let of = entry.of,
                let bought = entries.first(where: {
                    $0.operation == .purchase && $0.kind == .ok && $0.account == entry.account && $0.index < of
                        && $0.transactions?.first?.state == "purchased"
                })?.transactions?.first,
                entry.transactions?.contains(where: { $0.id == bought.id }) == true
            else { return false }
            entry.transactions?.removeAll { $0.id == bought.id }
            return true
        },
        line("turn a purchased transaction into a failed one", .listUnfinished, .p7) { entry, _ in
            guard entry.kind == .ok, let place = entry.transactions?.firstIndex(where: { $0.state == "purchased" })
            else { return false }
            entry.transactions?[place].state = "failed"
            return true
        },
        line("answer eligible after use", .finalEligibility, .o2) { entry, _ in
            guard entry.detail?["answer"] == "ineligible" else { return false }
            entry.detail?["answer"] = "eligible"
            return true
        },
    ]

    private static let queue: [Mutation] = [
        Mutation("skip a transaction of a snapshot", .q1, .q6, .d4) { entries, random in
            for place in entries.indices.shuffled(using: &random) {
                let entry = entries[place]
                guard entry.detail?["what"] == "opened",
                    entries[..<place].contains(where: {
                        $0.process == entry.process && $0.detail?["what"] == "ended"
                    })
                else { continue }
                let session = entries.indices[place...].prefix { one in
                    !(entries[one].process == entry.process && entries[one].detail?["what"] == "ended")
                }.filter { entries[$0].process == entry.process }
                guard let snapshot = session.dropFirst().first else { continue }
                let ended =
                    entries[..<place].lastIndex {
                        $0.process == entry.process && $0.detail?["what"] == "ended"
                    } ?? 0
                let known = entries[..<ended].filter { $0.account == entry.account }.flatMap { $0.transactions ?? [] }
                let missed = (entries[snapshot].transactions ?? []).first { one in
                    one.state == "purchased" && !isTouched(one.id, entries)
                        && known.contains { $0.id == one.id && $0.state == "purchased" }
                }
                guard let missed else { continue }
                for one in session { entries[one].transactions?.removeAll { $0.id == missed.id } }
                return true
            }
            return false
        },
        Mutation("deliver revisions out of order", .q5) { entries, random in
            for place in entries.indices.shuffled(using: &random)
            where entries[place].operation == .observe && entries[place].transactions?.count == 1 {
                guard let one = entries[place].transactions?.first, one.state == "purchasing" else { continue }
                let next = entries.indices[(place + 1)...].first {
                    entries[$0].process == entries[place].process && entries[$0].transactions?.first?.id == one.id
                        && entries[$0].transactions?.count == 1
                }
                guard let next else { continue }
                let later = entries[next].transactions
                (entries[next].transactions, entries[place].transactions) = (entries[place].transactions, later)
                return true
            }
            return false
        },
        line("list a finished transaction", .finalUnfinished, .q3) { entry, entries in
            let finished = entries.first {
                $0.operation == .finish && $0.kind == .ok && $0.account == entry.account
            }?.detail?["transaction"]
            guard let finished,
                let shown = entries.last(where: { $0.transactions?.contains { $0.id == finished } == true })?
                    .transactions?.first(where: { $0.id == finished }), shown.revoked != true,
                !entries.contains(where: { $0.operation == .refund && $0.detail?["transaction"] == finished })
            else { return false }
            entry.transactions?.append(shown)
            return true
        },
        line("refuse a finish", .finish, .q4) { entry, entries in
            guard entry.kind == .ok, let id = entry.detail?["transaction"], let of = entry.of,
                entries[..<(of - 1)].contains(where: {
                    $0.transactions?.contains { $0.id == id && $0.isTerminal } == true
                })
            else { return false }
            (entry.kind, entry.code) = (.fail, "transactionNotFinishable")
            return true
        },
        line("finish what waits", .finish, .d4) { entry, entries in
            guard entry.code == "transactionNotFinishable", let id = entry.detail?["transaction"],
                entries.contains(where: { later in
                    ["listUnfinished", "finalUnfinished"].contains(later.operation.rawValue) && later.kind == .ok
                        && later.of ?? later.index > entry.index
                        && later.transactions?.contains { $0.id == id && $0.state == "deferred" } == true
                })
            else { return false }
            (entry.kind, entry.code) = (.ok, nil)
            return true
        },
        line("lose an unfinished transaction", .finalUnfinished, .q5) { entry, entries in
            let place = entry.transactions?.firstIndex { $0.state == "purchased" && !isTouched($0.id, entries) }
            guard let place else { return false }
            entry.transactions?.remove(at: place)
            return true
        },
    ]

    /// Whether a delivery is its notification's first, by which a checker goes.
    private static func isFirst(_ entry: HistoryEntry, _ entries: [HistoryEntry]) -> Bool {
        !entries.contains { $0.operation == .notification && $0.key == entry.key && $0.index < entry.index }
    }

    private static let notifications: [Mutation] = [
        line("give an event's identifier twice", .events, .n2) { entry, entries in
            let other = entries.first { $0.operation == .events && $0.index < entry.index }
            guard let other, other.detail?["id"]?.isEmpty == false else { return false }
            entry.detail?["id"] = other.detail?["id"]
            return true
        },
        line("miss an event", .events, .n2) { entry, entries in
            let before = entries.prefix { $0.operation != .finalEvents }
            guard let id = entry.detail?["transaction"], isShown(id, "purchased", before) else { return false }
            entry.detail = ["id": "", "transaction": ""]
            return true
        },
        Mutation("lose a notification", .n1) { entries, random in
            // Of a cancellation with an unknown outcome nobody knows whether it tells.
            let sent = entries.filter {
                $0.operation == .notification && $0.detail?["subtype"] != "AUTO_RENEW_DISABLED"
            }
            guard let one = sent.randomElement(using: &random) else { return false }
            // Lines keep their numbers: the place of the notification is one that says nothing.
            for place in entries.indices
            where entries[place].operation == .notification && entries[place].key == one.key {
                entries[place] = HistoryEntry(
                    index: entries[place].index, time: entries[place].time, process: 0, kind: .event,
                    operation: .service, detail: [:])
            }
            return true
        },
        Mutation("give an event a second UUID", .n1) { entries, random in
            let places = entries.indices.filter {
                entries[$0].operation == .notification && entries[$0].detail?["answer"] == "refused"
            }
            guard let place = places.randomElement(using: &random),
                let again = entries.indices.first(where: {
                    $0 > place && entries[$0].operation == .notification && entries[$0].key == entries[place].key
                }), entries[place].detail?["subtype"] != "AUTO_RENEW_DISABLED"
            else { return false }
            entries[again].key = "another"
            return true
        },
        line("deliver other bytes", .notification, .n1) { entry, entries in
            guard entries.contains(where: { $0.key == entry.key && $0.index != entry.index && $0.body != nil }) else {
                return false
            }
            entry.body = "other"
            return true
        },
        line("tell a renewal as a purchase", .notification, .n1) { entry, entries in
            guard entry.detail?["type"] == "DID_RENEW", isFirst(entry, entries) else { return false }
            entry.detail?["type"] = "SUBSCRIBED"
            return true
        },
        line("tell of a stranger's transaction", .notification, .n1) { entry, entries in
            guard isFirst(entry, entries) else { return false }
            entry.detail?["transaction"] = "n-nobody"
            entry.detail?["original"] = "n-nobody"
            return true
        },
        line("tell of a refund that was none", .notification, .n1) { entry, entries in
            guard entry.detail?["type"] == "ONE_TIME_CHARGE", isFirst(entry, entries) else { return false }
            entry.detail?["type"] = "REFUND"
            return true
        },
    ]

    // MARK: Restores

    /// The other lines of a restore's key.
    private static func sameKey(_ entry: HistoryEntry, _ entries: [HistoryEntry]) -> [HistoryEntry] {
        entries.filter {
            $0.operation == .restore && $0.index != entry.index && $0.key == entry.key && $0.device == entry.device
        }
    }

    /// The earlier answers to a restore's key that have lists, complete before the line's request.
    private static func earlierLists(_ entry: HistoryEntry, _ entries: [HistoryEntry]) -> [HistoryEntry] {
        sameKey(entry, entries).filter { $0.kind == .ok && $0.transactions != nil && $0.index < entry.of ?? 0 }
    }

    /// The restored transactions of a customer that no line shows before a restore's key is first sent.
    ///
    /// - Returns: Nil if one of them may be finished before the line, whose list may lack it for that reason.
    private static func fresh(_ entry: HistoryEntry, _ entries: [HistoryEntry]) -> [ObservedTransaction]? {
        guard entry.kind == .ok, let list = entry.transactions,
            let begin = sameKey(entry, entries).first(where: { $0.kind == .invoke })?.index
        else { return nil }
        func restored(_ entries: some Sequence<HistoryEntry>) -> Set<String> {
            Set(
                entries.filter { $0.account == entry.account }.flatMap { $0.transactions ?? [] }
                    .filter { $0.state == "restored" }.map(\.id))
        }
        let older = restored(entries.prefix { $0.index < begin })
        let finished = Set(
            entries.filter { $0.operation == .finish && $0.index < entry.index }
                .compactMap { $0.detail?["transaction"] })
        guard restored(entries).subtracting(older).isDisjoint(with: finished) else { return nil }
        return list.filter { !older.contains($0.id) }
    }

    /// Whether no restore under another key can have brought what a line of a restore is the first to show.
    ///
    /// The others begin behind the line, or had ended before a list of the device began that was read before `bound`.
    private static func isAlone(_ entry: HistoryEntry, _ entries: [HistoryEntry], before bound: Int) -> Bool {
        let own = entries.filter { $0.device == entry.device }
        let lists = own.filter {
            [.restore, .listUnfinished].contains($0.operation) && $0.kind == .ok && $0.transactions != nil
                && $0.index < bound
        }
        let begin = lists.compactMap(\.of).max() ?? 0
        let others = Dictionary(
            grouping: own.filter { $0.operation == .restore && $0.key != entry.key }, by: { $0.key ?? "" })
        return others.values.allSatisfy { lines in
            lines.allSatisfy { $0.index > entry.index } || lines.contains { $0.kind == .ok && $0.index < begin }
        }
    }

    /// A second transaction of a restored one's original.
    private static func twin(_ restored: ObservedTransaction) -> ObservedTransaction {
        var twin = restored
        (twin.id, twin.transactionIdentifier) = ("\(restored.id)-twin", "n-\(restored.id)-twin")
        return twin
    }

    private static let restores: [Mutation] = [
        line("restore one less", .restore, .r1) { entry, entries in
            // A key has one restore, which may have begun when the key was first sent. It may leave out a purchase that
            // was finished later, even before the answer's own request.
            guard let restored = fresh(entry, entries)?.last,
                let begin = sameKey(entry, entries).first(where: { $0.kind == .invoke })?.index
            else { return false }
            let original = entries.flatMap { $0.transactions ?? [] }.first {
                $0.transactionIdentifier == restored.original && $0.original == nil && $0.state == "purchased"
            }
            let finish = entries.first {
                $0.operation == .finish && $0.kind == .ok && $0.detail?["transaction"] == original?.id
            }
            guard let finish, finish.index < begin else { return false }
            entry.transactions?.removeAll { $0.original == restored.original }
            return true
        },
        line("restore fewer than the end says", .restore, .r3) { entry, entries in
            guard let fresh = fresh(entry, entries), let last = fresh.last,
                entry.detail?["restored"] == "\(Set(fresh.map(\.original)).count)"
            else { return false }
            entry.transactions?.removeAll { $0.original == last.original }
            return true
        },
        line("restore one twice", .restore, .r3) { entry, entries in
            guard let restored = fresh(entry, entries)?.last,
                let begin = sameKey(entry, entries).first(where: { $0.kind == .invoke })?.index,
                isAlone(entry, entries, before: begin)
            else { return false }
            entry.transactions?.append(twin(restored))
            return true
        },
        line("list a restored transaction twice", .restore, .r3) { entry, _ in
            guard entry.kind == .ok, let restored = entry.transactions?.first else { return false }
            entry.transactions?.append(restored)
            return true
        },
        line("restore a stranger's purchase", .restore, .r1) { entry, entries in
            let bought = entries.first { other in
                other.account != nil && other.account != entry.account
                    && other.transactions?.first.map { $0.product == "pro" && $0.isPurchased } == true
            }
            guard entry.kind == .ok, entry.transactions != nil, let bought = bought?.transactions?.first else {
                return false
            }
            entry.transactions?.append(
                .of("t-stranger", "restored", product: "pro", original: bought.transactionIdentifier))
            return true
        },
        line("restore a purchase that is not there", .restore, .r1) { entry, _ in
            guard entry.kind == .ok, entry.transactions != nil else { return false }
            entry.transactions?.append(.of("t-stranger", "restored", product: "pro", original: "n-lost"))
            return true
        },
        line("restore a consumable", .restore, .r1) { entry, _ in
            guard entry.kind == .ok, entry.transactions?.isEmpty == false else { return false }
            entry.transactions?[0].product = "coins"
            return true
        },
        line("begin another restore under its key", .restore, .r3) { entry, entries in
            guard entry.kind == .ok, sameKey(entry, entries).contains(where: { $0.kind == .ok }) else { return false }
            entry.detail?["restore"] = "r_other"
            return true
        },
        line("lose one from a later answer to a restore's key", .restore, .r3) { entry, entries in
            let before = Set(earlierLists(entry, entries).flatMap { $0.transactions ?? [] }.map(\.id))
            let place = entry.transactions?.firstIndex { before.contains($0.id) && !isTouched($0.id, entries) }
            guard entry.kind == .ok, let place else { return false }
            entry.transactions?.remove(at: place)
            return true
        },
        line("add one to a later answer to a restore's key", .restore, .r3) { entry, entries in
            guard entry.kind == .ok, let of = entry.of, let restored = entry.transactions?.last,
                !earlierLists(entry, entries).isEmpty, isAlone(entry, entries, before: of)
            else { return false }
            entry.transactions?.append(twin(restored))
            return true
        },
    ]

    private static let others: [Mutation] = [
        line("let both decisions win", .decline, .d2) { entry, entries in
            guard entry.kind == .fail, let id = entry.detail?["transaction"],
                let approved = entries.first(where: {
                    $0.operation == .approve && $0.kind == .ok && $0.detail?["transaction"] == id
                })?.transactions?.first
            else { return false }
            entry.kind = .ok
            entry.transactions = [approved]
            entry.transactions?[0].state = "failed"
            return true
        },
        line("leave an approved purchase deferred", .finalUnfinished, .d3) { entry, entries in
            let approved = entries.first {
                $0.operation == .approve && $0.kind == .ok && $0.account == entry.account
            }?.transactions?.first
            guard var approved else { return false }
            (approved.state, approved.revision) = ("deferred", 2)
            entry.transactions?.removeAll { $0.id == approved.id }
            entry.transactions?.append(approved)
            return true
        },
        line("lose an intent", .finalIntents, .i1) { entry, entries in
            let open = (entry.detail?["intent"] ?? "").split(separator: " ").map(String.init).filter { id in
                !entries.contains { $0.operation == .decideIntent && $0.detail?["intent"] == id }
                    && entries.contains {
                        $0.operation == .createIntent && $0.kind == .ok && $0.detail?["intent"] == id
                    }
            }
            guard !open.isEmpty else { return false }
            entry.detail?["intent"] = ""
            return true
        },
        line("decide an intent twice", .decideIntent, .i2) { entry, entries in
            guard entry.kind == .fail, entry.code == "intentDecided", entry.detail?["decision"] != "defer",
                entries.contains(where: {
                    $0.operation == .decideIntent && $0.kind == .ok && $0.detail?["intent"] == entry.detail?["intent"]
                        && $0.detail?["decision"] != "defer" && $0.detail?["decision"] != entry.detail?["decision"]
                })
            else { return false }
            (entry.kind, entry.code) = (.ok, nil)
            return true
        },
        line("pay an intent twice", .decideIntent, .i3) { entry, entries in
            guard entry.kind == .ok, entry.transactions?.isEmpty == false,
                entries.contains(where: {
                    $0.operation == .decideIntent && $0.kind == .ok && $0.index != entry.index
                        && $0.detail?["intent"] == entry.detail?["intent"] && $0.transactions?.isEmpty == false
                })
            else { return false }
            entry.transactions?[0].id = "another"
            return true
        },
        line("read an order from nowhere", .overrideRead, .m1) { entry, entries in
            guard entry.kind == .ok,
                entries.contains(where: {
                    $0.index != entry.index && $0.operation == .overrideRead && $0.kind == .ok
                        && $0.device == entry.device
                        && $0.detail?["version"] == "0"
                })
            else { return false }
            entry.detail?["version"] = "nowhere"
            return true
        },
        line("read another device's order", .finalOverride, .m3) { entry, entries in
            let other = entries.first {
                $0.operation == .overrideWrite && $0.kind == .ok && $0.device != entry.device
            }
            guard let other else { return false }
            entry.detail = other.detail
            return true
        },
        line("read an older order", .finalOverride, .m1) { entry, entries in
            let writes = entries.filter {
                $0.operation == .overrideWrite && $0.kind == .ok && $0.device == entry.device
            }
            guard let last = writes.last, let of = last.of,
                let old = writes.first(where: { $0.index < of })
            else { return false }
            entry.detail = old.detail
            return true
        },
        line("list a product twice", .storePage, .m2) { entry, _ in
            guard entry.kind == .ok, let order = entry.detail?["order"] else { return false }
            entry.detail?["order"] = order + " coins"
            return true
        },
        Mutation("give an introductory offer twice", .o1) { entries, random in
            let renewals = entries.flatMap { $0.transactions ?? [] }.filter {
                $0.expires != nil && $0.original != nil
            }
            guard let id = renewals.map(\.id).min() else { return false }
            for place in entries.indices {
                for number in (entries[place].transactions ?? []).indices
                where entries[place].transactions?[number].id == id {
                    entries[place].transactions?[number].offer = "introductory"
                    entries[place].transactions?[number].original = "n-another"
                }
            }
            return true
        },
        Mutation("let two periods overlap", .s2) { entries, random in
            let renewals = entries.flatMap { $0.transactions ?? [] }.filter { $0.expires != nil && $0.original != nil }
            guard let first = renewals.first,
                let other = renewals.first(where: { $0.id != first.id && $0.original == first.original })
            else { return false }
            for place in entries.indices {
                for number in (entries[place].transactions ?? []).indices
                where entries[place].transactions?[number].id == other.id {
                    entries[place].transactions?[number].expires = first.expires
                }
            }
            return true
        },
    ]
}
