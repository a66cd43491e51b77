// Written by scripts/wire, which renews it: memberwise initialisers of structs that other modules create.
// swift-format-ignore-file

import StoreHTTP
import StoreModels

extension ChaosCatalog.Item {
    @_disfavoredOverload
    package init(identifier: borrowing String, type: String, group: String? = nil) {
        self.init(identifier: copy identifier, type: type, group: group)
    }
}

extension HistoryEntry {
    @_disfavoredOverload
    package init(
        index: borrowing Int = 0, time: Int64, process: Int, kind: Kind, operation: Operation, of: Int? = nil,
        app: String? = nil, account: String? = nil, device: String? = nil, product: String? = nil, key: String? = nil,
        body: String? = nil, status: Int? = nil, code: String? = nil, milliseconds: Double? = nil,
        transactions: [ObservedTransaction]? = nil, charges: [ObservedCharge]? = nil, detail: [String: String]? = nil
    ) {
        self.init(
            index: copy index, time: time, process: process, kind: kind, operation: operation, of: of, app: app,
            account: account, device: device, product: product, key: key, body: body, status: status, code: code,
            milliseconds: milliseconds, transactions: transactions, charges: charges, detail: detail)
    }
}

extension NameList.Unknown {
    @_disfavoredOverload
    package init(name: borrowing String, known: [String]) {
        self.init(name: copy name, known: known)
    }
}

extension ObservedCharge {
    @_disfavoredOverload
    package init(key: borrowing String, outcome: String, amount: Int64, currency: String, refunded: Int64 = 0) {
        self.init(key: copy key, outcome: outcome, amount: amount, currency: currency, refunded: refunded)
    }
}

extension ObservedTransaction {
    @_disfavoredOverload
    package init(
        id: borrowing String, transactionIdentifier: String? = nil, original: String? = nil, state: String,
        product: String, price: Int64? = nil, currency: String? = nil, revision: Int64? = nil, offer: String? = nil,
        revoked: Bool? = nil, expires: Int64? = nil, setting: String? = nil
    ) {
        self.init(
            id: copy id, transactionIdentifier: transactionIdentifier, original: original, state: state,
            product: product, price: price, currency: currency, revision: revision, offer: offer, revoked: revoked,
            expires: expires, setting: setting)
    }
}

extension PlannedFault {
    @_disfavoredOverload
    package init(
        number: borrowing Int, name: FaultName, target: String, replica: Int = 0, begin: Duration = .zero,
        length: Duration = .zero
    ) {
        self.init(number: copy number, name: name, target: target, replica: replica, begin: begin, length: length)
    }
}

extension RunHistory.Window {
    @_disfavoredOverload
    package init(
        name: borrowing String, target: String, begin: Int64, end: Int64, process: Int? = nil, refusal: String? = nil,
        isOpen: Bool = false
    ) {
        self.init(
            name: copy name, target: target, begin: begin, end: end, process: process, refusal: refusal, isOpen: isOpen)
    }
}

extension RunOptions.Product {
    @_disfavoredOverload
    package init(type: borrowing String? = nil, group: String? = nil) {
        self.init(type: copy type, group: group)
    }
}

extension ServiceBoard.Change {
    @_disfavoredOverload
    package init(service: borrowing String, isUp: Bool, recovered: Int64? = nil) {
        self.init(service: copy service, isUp: isUp, recovered: recovered)
    }
}

extension Step {
    @_disfavoredOverload
    package init(choice: borrowing Workload.Choice, account: Int, device: Int, product: Int, pick: UInt64) {
        self.init(choice: copy choice, account: account, device: device, product: product, pick: pick)
    }
}

extension Violation {
    @_disfavoredOverload
    package init(
        invariant: borrowing Invariant, subject: String, expected: String, found: String, lines: [HistoryEntry]
    ) {
        self.init(invariant: copy invariant, subject: subject, expected: expected, found: found, lines: lines)
    }
}
