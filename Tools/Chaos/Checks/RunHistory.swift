/// A history with the lookups that checkers share, made in one pass.
///
/// A run makes the names of its accounts, devices and keys itself, in ASCII, so `String` compares them exactly.
package struct RunHistory: Sendable {
    /// The outcome of a request. The last two are failures.
    enum Outcome { case succeeded, declined, refused, unknown }

    /// A request with its end.
    struct Attempt: Sendable {
        /// Places in ``entries``. A read without an `invoke` line, such as a final one, begins where it ends.
        var begin: Int
        var end: Int?
        var operation: HistoryEntry.Operation
        var kind: HistoryEntry.Kind
        var app: String?
        var account: String?
        var device: String?
        var product: String?
        var key: String?
        var body: String?
        var status: Int?
        var code: String?
        var transactions: [ObservedTransaction]?
        var detail: [String: String]

        var isOK: Bool { kind == .ok }
        /// The outcome as reports tell it.
        var outcome: Outcome {
            switch kind {
            case .ok, .event: .succeeded
            case .fail: isDeclined ? .declined : .refused
            case .info, .invoke: (status ?? 0) >= 400 ? .refused : .unknown
            }
        }
        /// Statuses of requests that the store should not have refused: the workload asks for none of them.
        private static let unasked: Set = [400, 401, 408, 413, 429]
        /// Whether an operation that failed was declined on purpose.
        ///
        /// The workload asks for what the store's rules forbid, such as a second decision or another body under a key.
        /// A payment that failed was declined by a parent, a customer or the processor.
        private var isDeclined: Bool { status.map { !Self.unasked.contains($0) } ?? (transactions != nil) }
        /// Whether it may have had its effect: all but `fail`.
        var isPossible: Bool { kind != .fail }
        /// The line of its end. After the whole history if it has no certain end.
        var definiteEnd: Int { isOK ? end ?? .max : .max }
        var owner: Owner { Owner(app: app ?? "", account: account ?? "") }
        /// The transaction that a finish, decision, refund or cancellation is about.
        var subject: String? {
            if let named = detail["transaction"] { return named }
            if let first = transactions?.first?.id { return first }
            return operation == .purchase || operation == .restore ? nil : key
        }
    }

    /// A customer of an app.
    struct Owner: Hashable, Sendable, CustomStringConvertible {
        var app: String
        var account: String
        var description: String { "\(account) of \(app)" }
    }

    /// A transaction as an app's server names it.
    struct Number: Hashable, Sendable {
        var app: String
        var transaction: String
    }

    /// A line that shows a transaction.
    struct Sighting: Sendable {
        /// Line in ``entries``.
        var line: Int
        var transaction: ObservedTransaction
        var owner: Owner
        var device: String?
        var operation: HistoryEntry.Operation
        /// The place at which the request of this response began. For events, the line itself.
        var begin: Int
    }

    /// A stream from its opening to its end.
    struct Session: Sendable {
        var process: Int
        var owner: Owner
        var device: String
        var opened: Int
        /// A line certainly before the stream was requested.
        var requestedAfter: Int
        var synchronized: Int?
        var ended: Int?
        /// Times at which the observer did not read.
        var isPaused = false
        var deliveries: [Int] = []
        var intents: [Int] = []
    }

    /// A fault of the run, or a service being down, in microseconds.
    package struct Window: Sendable, Equatable {
        package var name: String
        package var target: String
        package var begin: Int64
        package var end: Int64
        /// The number of the process that a fault hit, from 1. Nil for a service with one process.
        package var process: Int?
        /// The reason why a fault was not injected, or nil if it was.
        package var refusal: String?
        /// Whether it lasts until the end of the history.
        package var isOpen: Bool = false
    }

    /// A notification as it arrived at the run's receiving server.
    struct Arrival: Sendable {
        /// Line in ``entries``.
        var line: Int
        var notification: ObservedNotification
    }

    package let entries: [HistoryEntry]
    /// The requests to the receiving server, in order.
    private(set) var arrivals: [Arrival] = []
    /// Lines of pages that the operator's live reader of events got, in order.
    private(set) var eventPages: [Int] = []
    private(set) var attempts: [Attempt] = []
    /// Every line that shows a transaction, in order, by its `id`.
    private(set) var sightings: [String: [Sighting]] = [:]
    private(set) var sessions: [Session] = []
    /// Begins of the phases, by name.
    private(set) package var phases: [String: Int64] = [:]
    private(set) package var faults: [Window] = []
    private(set) package var outages: [Window] = []
    /// The number of processes of each service that were started anew.
    private(set) var restarts: [String: Int] = [:]
    /// Kinds and groups of products that lines name, `detail.type` and `detail.group`.
    private(set) var types: [String: String] = [:]
    private(set) var groups: [String: String] = [:]
    /// Faults and outages, by their beginning.
    private var disturbances: [Window] = []
    /// Lines of attempts in ``attempts`` by the transaction they are about.
    private var requests: [String: [Int]] = [:]
    private var openFaults: [String: Int] = [:]
    private var openOutages: [String: Int] = [:]

    /// - Parameters:
    ///   - entries: In order, as ``HistoryReader`` gives them.
    ///   - products: Kinds and groups of the run's products. Lines may name more.
    package init(_ entries: [HistoryEntry], products: [String: RunOptions.Product] = [:]) {
        self.entries = entries
        for (id, product) in products {
            types[id] = product.type
            groups[id] = product.group
        }
        var open: [Int: Int] = [:]
        var sessionOf: [Int: Int] = [:]
        var lastEnd: [Int: Int] = [:]
        var requested: [Int: Int] = [:]
        for (line, entry) in entries.enumerated() {
            learnProduct(entry)
            switch entry.operation {
            case .fault: noteFault(entry)
            case .service: noteService(entry)
            case .events: eventPages.append(line)
            case .notification:
                arrivals.append(Arrival(line: line, notification: ObservedNotification(entry)))
            case .observe:
                if entry.kind == .invoke { requested[entry.process] = line }
                let last = requested[entry.process] ?? lastEnd[entry.process]
                noteStream(entry, line, &sessionOf, requestedAfter: last)
                if entry.detail?["what"] == "ended" { lastEnd[entry.process] = line }
            default:
                if entry.kind == .invoke {
                    open[entry.index] = attempts.count
                    attempts.append(Attempt(beginning: entry, line))
                } else if let of = entry.of, let number = open.removeValue(forKey: of) {
                    attempts[number].finish(entry, line)
                } else {
                    attempts.append(Attempt(beginning: entry, line))
                    attempts[attempts.count - 1].finish(entry, line)
                }
            }
        }
        let last = entries.last?.time ?? 0
        for line in openFaults.values { (faults[line].end, faults[line].isOpen) = (last, true) }
        for line in openOutages.values { (outages[line].end, outages[line].isOpen) = (last, true) }
        gatherSightings()
    }

    /// Requests about a transaction, such as its finishes, in the order of their beginnings.
    func requests(about id: String, _ operations: HistoryEntry.Operation...) -> [Attempt] {
        (requests[id] ?? []).map { attempts[$0] }.filter { operations.contains($0.operation) }
    }

    /// The lines of a transaction's life: requests about it with their ends, and the first event of each state.
    func life(of id: String) -> [Int?] {
        var lines: [Int?] = (requests[id] ?? []).flatMap { [attempts[$0].begin, attempts[$0].end] }
        var states: Set<String> = []
        var isRestored = false
        for sighting in sightings[id] ?? [] {
            switch sighting.operation {
            case .purchase, .decideIntent: lines += [sighting.begin, sighting.line]
            case .restore where !isRestored:
                // Later restores of the device show it as long as it is in the queue.
                isRestored = true
                lines += [sighting.begin, sighting.line]
            case .observe where states.insert(sighting.transaction.state).inserted: lines.append(sighting.line)
            default: break
            }
        }
        return lines
    }

    /// Attempts of a class, in the order of their beginnings.
    func attempts(_ operations: HistoryEntry.Operation...) -> [Attempt] {
        attempts.filter { operations.contains($0.operation) }
    }

    /// The lines at the places, in order and each once. Lists are cut to these transactions and charges.
    func excerpt(_ lines: [Int?], ids: Set<String> = [], charges: Set<String> = []) -> [HistoryEntry] {
        Set(lines.compactMap(\.self)).filter { entries.indices.contains($0) }.sorted().map { line in
            var entry = entries[line]
            entry.transactions = entry.transactions?.filter { ids.contains($0.id) }
            entry.charges = entry.charges?.filter { charges.contains($0.key) }
            return entry
        }
    }

    /// Whether a fault or an outage touches the span, in microseconds.
    func isFaulty(from begin: Int64, to end: Int64) -> Bool {
        disturbances.contains { $0.begin <= end && begin <= $0.end }
    }

    /// Whether a fault or an outage of one service touches the span, in microseconds.
    func isFaulty(_ service: String, from begin: Int64, to end: Int64) -> Bool {
        disturbances.contains { $0.target == service && $0.begin <= end && begin <= $0.end }
    }

    /// The order of identifiers, which are numbers of any length, perhaps behind a prefix.
    static func isBefore(_ left: String, _ right: String) -> Bool {
        (left.utf8.count, left) < (right.utf8.count, right)
    }

    /// The end of the calm time of a length that begins at or after a moment. Nil if the history ends earlier.
    ///
    /// Faults and outages begin the wait anew, as do the spans in which the run itself was late.
    func calm(_ length: Int64, after moment: Int64) -> Int64? {
        var due = moment + length
        for one in disturbances where one.end >= moment && one.begin <= due { due = max(due, one.end + length) }
        return due <= (entries.last?.time ?? 0) ? due : nil
    }

    private mutating func learnProduct(_ entry: HistoryEntry) {
        guard let product = entry.product, let detail = entry.detail else { return }
        if let type = detail["type"] { types[product] = type }
        if let group = detail["group"] { groups[product] = group }
    }

    private mutating func noteFault(_ entry: HistoryEntry) {
        let detail = entry.detail ?? [:]
        let number = detail["number"] ?? "\(detail["name"] ?? "") \(detail["target"] ?? "")"
        switch detail["what"] {
        case "begin":
            openFaults[number] = faults.count
            faults.append(
                Window(
                    name: detail["name"] ?? "fault", target: detail["target"] ?? "", begin: entry.time,
                    end: entry.time, process: detail["process"].flatMap { Int($0) }, refusal: detail["refusal"]))
        case "end":
            if let line = openFaults.removeValue(forKey: number) { faults[line].end = entry.time }
        default: break
        }
    }

    private mutating func noteService(_ entry: HistoryEntry) {
        let detail = entry.detail ?? [:]
        let service = detail["service"] ?? ""
        switch detail["what"] {
        case "phase":
            if let phase = detail["phase"], phases[phase] == nil { phases[phase] = entry.time }
        case "down":
            guard openOutages[service] == nil else { return }
            openOutages[service] = outages.count
            outages.append(Window(name: "down", target: service, begin: entry.time, end: entry.time))
        case "restarted": restarts[service, default: 0] += 1
        case "up":
            if let line = openOutages.removeValue(forKey: service) { outages[line].end = entry.time }
        default: break
        }
    }

    /// The longest time between the request for a stream and its `opened` line, in microseconds.
    private static let openingMax: Int64 = 15_000_000

    private mutating func noteStream(
        _ entry: HistoryEntry, _ line: Int, _ sessionOf: inout [Int: Int], requestedAfter: Int?
    ) {
        switch entry.detail?["what"] {
        case "opened":
            sessionOf[entry.process] = sessions.count
            sessions.append(
                Session(
                    process: entry.process, owner: Owner(app: entry.app ?? "", account: entry.account ?? ""),
                    device: entry.device ?? "", opened: line,
                    requestedAfter: requestedAfter ?? self.line(before: entry.time - Self.openingMax)))
        case "synchronized":
            guard let number = sessionOf[entry.process] else { return }
            if sessions[number].synchronized == nil { sessions[number].synchronized = line }
        case "transactions":
            guard let number = sessionOf[entry.process] else { return }
            sessions[number].deliveries.append(line)
        case "intent":
            guard let number = sessionOf[entry.process] else { return }
            sessions[number].intents.append(line)
        case "paused", "resumed":
            guard let number = sessionOf[entry.process] else { return }
            sessions[number].isPaused = true
        case "ended":
            guard let number = sessionOf.removeValue(forKey: entry.process) else { return }
            sessions[number].ended = line
        default: break
        }
    }

    /// The last line whose time is before a moment, or -1 if no place is.
    private func line(before moment: Int64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].time < moment { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    private mutating func gatherSightings() {
        disturbances = (faults + outages).sorted { $0.begin < $1.begin }
        let about: Set<HistoryEntry.Operation> = [.finish, .approve, .decline, .refund, .cancelSubscription]
        for (number, attempt) in attempts.enumerated() where about.contains(attempt.operation) {
            if let id = attempt.subject { requests[id, default: []].append(number) }
        }
        var byPlace: [Int: Attempt] = [:]
        for attempt in attempts { if let end = attempt.end { byPlace[end] = attempt } }
        for (line, entry) in entries.enumerated() {
            guard let shown = entry.transactions, entry.kind != .invoke else { continue }
            let attempt = byPlace[line]
            let owner =
                attempt?.owner ?? Owner(app: entry.app ?? "", account: entry.account ?? "")
            for transaction in shown {
                sightings[transaction.id, default: []].append(
                    Sighting(
                        line: line, transaction: transaction, owner: owner,
                        device: attempt?.device ?? entry.device, operation: entry.operation,
                        begin: attempt?.begin ?? line))
            }
        }
    }
}

extension RunHistory.Attempt {
    init(beginning entry: HistoryEntry, _ line: Int) {
        begin = line
        operation = entry.operation
        // Without an end it may have had its effect.
        kind = .info
        app = entry.app
        account = entry.account
        device = entry.device
        product = entry.product
        key = entry.key
        body = entry.body
        transactions = entry.transactions
        detail = entry.detail ?? [:]
    }

    mutating func finish(_ entry: HistoryEntry, _ line: Int) {
        end = line
        kind = entry.kind == .event ? .ok : entry.kind
        app = entry.app ?? app
        account = entry.account ?? account
        device = entry.device ?? device
        product = entry.product ?? product
        key = entry.key ?? key
        body = entry.body ?? body
        status = entry.status
        code = entry.code
        transactions = entry.transactions ?? transactions
        detail.merge(entry.detail ?? [:]) { $1 }
    }
}

extension ObservedTransaction {
    var isPurchased: Bool { state == "purchased" }
    var isTerminal: Bool { ["purchased", "failed", "restored"].contains(state) }
    /// The first identifier of the purchase: of a renewal, a copy or a restored transaction its original's.
    var root: String { original ?? transactionIdentifier ?? id }
    /// Whether an introductory offer was used.
    var isIntroductory: Bool {
        offer.map { $0.hasPrefix("introductory") || $0 == "trial" || $0 == "freeTrial" } ?? false
    }
}
