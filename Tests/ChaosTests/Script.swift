@testable import Chaos

/// Writes a small history by hand, a second a line.
struct Script {
    private(set) var entries: [HistoryEntry] = []
    private var time: Int64 = 0
    var account = "alice", device = "alice-1"

    /// Appends a line of any kind.
    /// - Returns: Its number.
    @discardableResult
    mutating func line(
        _ kind: HistoryEntry.Kind, _ operation: HistoryEntry.Operation, of: Int? = nil, process: Int = 1,
        key: String? = nil, product: String? = nil, body: String? = nil, code: String? = nil,
        _ transactions: [ObservedTransaction]? = nil, charges: [ObservedCharge]? = nil,
        detail: [String: String]? = nil
    ) -> Int {
        time += 1_000_000
        entries.append(
            HistoryEntry(
                index: entries.count + 1, time: time, process: process, kind: kind, operation: operation, of: of,
                app: "app", account: account, device: device, product: product, key: key, body: body, code: code,
                transactions: transactions, charges: charges, detail: detail))
        return entries.count
    }

    /// Appends an `invoke` and its end.
    @discardableResult
    mutating func run(
        _ operation: HistoryEntry.Operation, _ kind: HistoryEntry.Kind, key: String? = nil,
        product: String? = nil, body: String? = nil, code: String? = nil, _ transactions: [ObservedTransaction]? = nil,
        detail: [String: String]? = nil
    ) -> Int {
        let begin = line(.invoke, operation, key: key, product: product, body: body, detail: detail)
        return line(kind, operation, of: begin, key: key, product: product, code: code, transactions, detail: detail)
    }

    /// Appends an `invoke` and its success.
    @discardableResult
    mutating func run(
        _ operation: HistoryEntry.Operation, key: String? = nil, product: String? = nil, body: String? = nil,
        _ transactions: [ObservedTransaction]? = nil, detail: [String: String]? = nil
    ) -> Int {
        run(operation, .ok, key: key, product: product, body: body, transactions, detail: detail)
    }

    /// Appends a restore that has finished, with the restored transactions of the device's queue after it.
    /// - Parameters:
    ///   - queue: Identifiers. All are of the purchase `t` of `pro`.
    ///   - count: The number that the store says. Nil as in a line of an older run.
    mutating func restore(_ key: String, _ queue: [String]?, count: Int? = nil) {
        let begin = line(.invoke, .restore, key: key)
        endRestore(key, of: begin, queue, count: count)
    }

    /// Appends the end of a restore that was begun.
    mutating func endRestore(_ key: String, of begin: Int, _ queue: [String]?, count: Int? = nil) {
        var detail = ["restore": "r_\(key)", "state": "finished"]
        detail["restored"] = count.map { "\($0)" }
        line(.ok, .restore, of: begin, key: key, queue?.map { .restored($0) }, detail: detail)
    }

    /// Lets time pass.
    mutating func wait(_ seconds: Int64) { time += seconds * 1_000_000 }

    /// Appends an event of a stream.
    @discardableResult
    mutating func stream(
        _ what: String, _ transactions: [ObservedTransaction]? = nil, intent: String? = nil, process: Int = 1000
    ) -> Int {
        var detail = ["what": what]
        detail["intent"] = intent
        return line(.event, .observe, process: process, transactions, detail: detail)
    }

    /// Appends a request of an isolated store, with its end.
    mutating func store(
        _ what: String, _ detail: [String: String] = [:], of app: String = "app/t-1", kind: HistoryEntry.Kind = .ok
    ) {
        let detail = detail.merging(["what": what]) { $1 }
        let begin = kind == .event ? nil : line(.invoke, .isolated, detail: detail)
        line(kind, .isolated, of: begin, detail: detail)
        for place in entries.indices.suffix(kind == .event ? 1 : 2) { entries[place].app = app }
    }

    /// Appends the last read of a family's person.
    mutating func held(_ account: String, isMember: Bool = true, own: String = "", shared: String = "") {
        self.account = account
        line(.ok, .family, detail: ["what": "held", "member": "\(isMember)", "own": own, "shared": shared])
    }

    /// Appends the begin or end of a fault.
    /// - Parameter more: Other facts of the line, such as `process`.
    mutating func fault(_ name: String, _ target: String, _ what: String, _ more: [String: String] = [:]) {
        let detail = ["what": what, "name": name, "target": target, "number": name]
        line(.event, .fault, detail: detail.merging(more) { $1 })
    }

    /// Appends a change of a service: `down`, `up` or `restarted`.
    mutating func service(_ name: String, _ what: String, recovered milliseconds: Int? = nil) {
        var detail = ["what": what, "service": name]
        detail["recoveredMilliseconds"] = milliseconds.map { "\($0)" }
        line(.event, .service, detail: detail)
    }

    /// Appends what is said of transaction `t`, with the same words of the device before and after.
    mutating func story(device: String, api: String, receipt: String? = nil) {
        var detail = ["device": device, "again": device, "api": api]
        detail["receipt"] = receipt
        let begin = line(.invoke, .story)
        line(.ok, .story, of: begin, [.of("t")], detail: detail)
    }

    /// Sets the status of the last line.
    mutating func setStatus(_ status: Int) { entries[entries.count - 1].status = status }

    /// Sets how long the last line's request took.
    mutating func setMilliseconds(_ milliseconds: Double) {
        entries[entries.count - 1].milliseconds = milliseconds
    }

    /// Appends a page of events, or the final read of all: identifiers with their transactions.
    mutating func events(
        _ events: KeyValuePairs<String, String>, _ operation: HistoryEntry.Operation = .events, refused: String? = nil
    ) {
        var detail = [
            "id": events.map(\.key).joined(separator: " "), "transaction": events.map(\.value).joined(separator: " "),
        ]
        detail["refused"] = refused
        line(operation == .events ? .event : .ok, operation, detail: detail)
    }

    /// Appends a notification as the receiving server was sent it.
    /// - Parameters:
    ///   - name: With its subtype: `SUBSCRIBED.INITIAL_BUY`.
    ///   - transaction: The transaction's identifier, of a first purchase.
    ///   - uuid: Nil for one of its own.
    ///   - bytes: Distinguishes the bytes; nil for those of the UUID.
    ///   - signed: Nil for the time of the line.
    ///   - app: The app or isolated store whose endpoint it was sent to.
    ///   - story: What it says of the transaction.
    @discardableResult
    mutating func notification(
        _ name: String, of transaction: String, uuid: String? = nil, bytes: String? = nil, signed: Int64? = nil,
        answer: ObservedNotification.Response = .taken, app: String = "app", story: String? = nil
    ) -> Int {
        let uuid = uuid ?? "uuid-\(entries.count)"
        let parts = name.split(separator: ".").map(String.init)
        time += 1_000_000
        var value = ObservedNotification(
            app: app, uuid: uuid, fingerprint: bytes ?? "uuid \(uuid)", type: parts[0],
            subtype: parts.count > 1 ? parts[1] : nil, transaction: transaction, original: transaction,
            signed: signed ?? time / 1000, answer: answer)
        value.story = story
        var entry = value.entry
        (entry.index, entry.time) = (entries.count + 1, time)
        entries.append(entry)
        return entries.count
    }

    /// Appends the final read of the ledger.
    @discardableResult
    mutating func ledger(_ charges: [ObservedCharge]) -> Int { line(.ok, .finalCharges, charges: charges) }

    mutating func phase(_ name: String) { line(.event, .service, detail: ["what": "phase", "phase": name]) }
}

extension ObservedTransaction {
    /// A transaction for 199 cents; purchased at revision 2 unless said otherwise.
    static func of(
        _ id: String, _ state: String = "purchased", product: String = "coins", price: Int64? = 199,
        revision: Int64 = 2, original: String? = nil, offer: String? = nil, revoked: Bool? = nil, expires: Int64? = nil,
        setting: String? = nil
    ) -> ObservedTransaction {
        ObservedTransaction(
            id: id, transactionIdentifier: state == "purchased" || state == "restored" ? "n-\(id)" : nil,
            original: original, state: state, product: product, price: price, currency: "USD", revision: revision,
            offer: offer, revoked: revoked, expires: expires, setting: setting)
    }
}

extension ObservedTransaction {
    /// A restored transaction of the purchase `t` of `pro`.
    static func restored(_ id: String) -> ObservedTransaction {
        .of(id, "restored", product: "pro", price: nil, revision: 1, original: "n-t")
    }
}

extension ObservedCharge {
    static func of(
        _ key: String, _ outcome: String = "approved", amount: Int64 = 199, refunded: Int64 = 0
    ) -> ObservedCharge {
        ObservedCharge(key: key, outcome: outcome, amount: amount, currency: "USD", refunded: refunded)
    }
}
