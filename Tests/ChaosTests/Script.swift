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

    /// Appends the final read of the ledger.
    @discardableResult
    mutating func ledger(_ charges: [ObservedCharge]) -> Int { line(.ok, .finalCharges, charges: charges) }

    mutating func phase(_ name: String) { line(.event, .service, detail: ["what": "phase", "phase": name]) }
}

extension ObservedTransaction {
    /// A transaction for 199 cents; purchased at revision 2 unless said otherwise.
    static func of(
        _ id: String, _ state: String = "purchased", product: String = "coins", price: Int64? = 199,
        revision: Int64 = 2, original: String? = nil, offer: String? = nil, revoked: Bool? = nil, expires: Int64? = nil
    ) -> ObservedTransaction {
        ObservedTransaction(
            id: id, transactionIdentifier: state == "purchased" || state == "restored" ? "n-\(id)" : nil,
            original: original, state: state, product: product, price: price, currency: "USD", revision: revision,
            offer: offer, revoked: revoked, expires: expires)
    }
}

extension ObservedCharge {
    static func of(
        _ key: String, _ outcome: String = "approved", amount: Int64 = 199, refunded: Int64 = 0
    ) -> ObservedCharge {
        ObservedCharge(key: key, outcome: outcome, amount: amount, currency: "USD", refunded: refunded)
    }
}
