/// The restored transactions of each device's queue, and the restores that may have brought them.
///
/// A restore's line has the restored transactions that were in the queue after its end: its own, those of earlier
/// restores, and some of one under way. None names its restore. A restore may have
/// brought a transaction unless a line excludes it:
///
/// - Its key was first sent after a line shows the transaction. With an unknown outcome, a restore may begin late, and
///   a key that is sent again has begun with its first sending.
/// - It had ended before the transaction came. The end is in the first answer to its key that says so, and never in one
///   of an unknown outcome. A list of the queue that lacks a transaction was begun before the transaction came, unless
///   a finish that takes it out was sent before the list's end.
/// - It had ended before a finish of the original was sent. A purchase that is finished meanwhile may come back or not.
/// - Its own list lacks the transaction, and no finish of it was sent before the list's end.
///
/// Renewals and refunds change no entry of the queue: a restored transaction stays until it is finished.
struct RestoredCopies {
    /// A device of a customer.
    struct Queue: Hashable {
        var owner: RunHistory.Owner
        var device: String
    }

    /// A restored transaction.
    struct Copy {
        var id: String
        /// The number of its original.
        var root: String
        /// The first line that shows it.
        var first: RunHistory.Sighting
        /// The last line that is certainly before it came. `Int.max` if its original was never finished.
        var after: Int
        /// The line that sends the first finish that may take it out of the queue.
        var freed: Int
    }

    /// The restore of one key, with all its answers.
    struct KeyedRestore {
        /// In the order of their beginnings.
        var attempts: [RunHistory.Attempt]
        /// The line of the first answer that says it has ended.
        var end: Int
        /// The answers that say it has finished.
        var answers: [RunHistory.Attempt]
        /// The queue as the answers have it, with the lines that do.
        var lists: [(ids: Set<String>, end: Int)]
        /// The number of transactions that the store says it has restored.
        var count: Int?

        var begin: Int { attempts[0].begin }
        var name: String { answers.first?.detail["restore"] ?? attempts[0].key ?? "of line \(begin + 1)" }
        /// Its lines, at most those of the first answers.
        var lines: [Int?] { attempts.prefix(3).flatMap { [$0.begin, $0.end] } }

        init(_ attempts: [RunHistory.Attempt]) {
            self.attempts = attempts
            answers = attempts.filter { $0.isOK && $0.detail["state"] == "finished" }
            end =
                attempts.filter { $0.isOK && $0.detail["state"].map { $0 != "running" } ?? false }
                .map(\.definiteEnd).min() ?? .max
            lists = answers.compactMap { answer in
                answer.transactions.map { (ids: Set($0.map(\.id)), end: answer.definiteEnd) }
            }
            count = answers.compactMap { $0.detail["restored"].flatMap { Int($0) } }.first
        }
    }

    /// A purchase by its number.
    struct Purchase {
        var id: String
        /// The first line that shows it purchased.
        var first: RunHistory.Sighting
    }

    /// By their first lines.
    private(set) var copies: [Queue: [Copy]] = [:]
    /// By the first sending of their keys. A restore that was refused for certain is none.
    private(set) var restores: [Queue: [KeyedRestore]] = [:]
    private(set) var purchases: [RunHistory.Number: Purchase] = [:]
    private let history: RunHistory
    /// Complete lists of a queue, by their ends.
    private var reads: [Queue: [(begin: Int, end: Int)]] = [:]

    /// The operations whose answers and events have the queue of one device.
    static let ofQueue: Set<HistoryEntry.Operation> = [.observe, .listUnfinished, .finalUnfinished, .restore]

    init(_ history: RunHistory) {
        self.history = history
        gatherRestores()
        gatherCopies()
    }

    /// Whether nothing excludes that a restore has brought a transaction of its device.
    func mayBring(_ restore: KeyedRestore, _ copy: Copy) -> Bool {
        isUnderWay(restore, copy)
            && restore.lists.allSatisfy { copy.freed < $0.end || $0.ids.contains(copy.id) }
    }

    /// Whether a restore may have been under way when a transaction came.
    func isUnderWay(_ restore: KeyedRestore, _ copy: Copy) -> Bool {
        restore.begin < copy.first.line && restore.end > copy.after
    }

    /// The line that sends the first finish that may take a transaction out of the queue.
    func freed(_ id: String) -> Int {
        history.requests(about: id, .finish).filter(\.isPossible).map(\.begin).min() ?? .max
    }

    private mutating func gatherRestores() {
        var keyed: [Queue: [String: [RunHistory.Attempt]]] = [:]
        for attempt in history.attempts(.restore) {
            let name = attempt.key ?? "line \(attempt.begin)"
            keyed[Queue(attempt), default: [:]][name, default: []].append(attempt)
        }
        for (queue, attempts) in keyed {
            restores[queue] = attempts.values.filter { $0.contains(where: \.isPossible) }.map { KeyedRestore($0) }
                .sorted { $0.begin < $1.begin }
        }
        for read in history.attempts(.restore, .listUnfinished, .finalUnfinished) {
            guard read.isOK, read.transactions != nil, read.detail["after"] == nil, let end = read.end else { continue }
            reads[Queue(read), default: []].append((read.begin, end))
        }
        for queue in reads.keys { reads[queue]?.sort { $0.end < $1.end } }
    }

    private mutating func gatherCopies() {
        for (id, sightings) in history.sightings {
            guard let first = sightings.first(where: \.transaction.isPurchased),
                let number = first.transaction.transactionIdentifier
            else { continue }
            purchases[RunHistory.Number(app: first.owner.app, transaction: number)] = Purchase(id: id, first: first)
        }
        for (id, sightings) in history.sightings {
            // A customer's history shows the transactions of all devices.
            let restored = sightings.filter { $0.transaction.state == "restored" }
            guard let first = restored.first, let own = restored.first(where: { Self.ofQueue.contains($0.operation) })
            else { continue }
            let queue = Queue(owner: own.owner, device: own.device ?? "")
            let root = first.transaction.root
            let (left, original) = (freed(id), purchases[RunHistory.Number(app: own.owner.app, transaction: root)])
            let listed = reads[queue]?.prefix { $0.end < min(first.line, left) }.map(\.begin).max() ?? -1
            let finished = original.map { freed($0.id) } ?? -1
            let copy = Copy(id: id, root: root, first: first, after: max(listed, finished), freed: left)
            copies[queue, default: []].append(copy)
        }
        for queue in copies.keys { copies[queue]?.sort { ($0.first.line, $0.id) < ($1.first.line, $1.id) } }
    }
}

extension RestoredCopies.Queue {
    init(_ attempt: RunHistory.Attempt) { self.init(owner: attempt.owner, device: attempt.device ?? "") }
}

/// The most pairs of two kinds of things, each thing in one pair at most.
struct Pairing {
    /// The things of the other kind that each thing of the first may be with.
    private let choices: [[Int]]
    private var partners: [Int: Int] = [:]
    /// Things of the first kind without a partner.
    private(set) var alone: [Int] = []

    init(_ choices: [[Int]]) {
        self.choices = choices
        for one in choices.indices {
            var seen: Set<Int> = []
            if !pair(one, &seen) { alone.append(one) }
        }
    }

    /// Finds a partner, for which others may change theirs.
    private mutating func pair(_ one: Int, _ seen: inout Set<Int>) -> Bool {
        for other in choices[one] where seen.insert(other).inserted {
            if let former = partners[other], !pair(former, &seen) { continue }
            partners[other] = one
            return true
        }
        return false
    }
}
