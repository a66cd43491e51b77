import EventLoop
import Persistence
import StoreModels

@testable import PaymentQueue

/// Customers' apps and an operator, and everything that they were told.
final class SimulatedClients: Sendable {
    /// The acknowledged replies to an idempotency key.
    struct Key: Sendable {
        let request: AddPaymentRequest
        /// The first reply of each kind: in progress, and final.
        var begun: AddPaymentReply?
        var ended: AddPaymentReply?
        /// Whether it was refused for good, because its promoted purchase had its payment, or for its code.
        var isRefused = false
    }

    private struct Contents: Sendable {
        var keys: [Key] = []
        var finished: Set<String> = []
        var refunded: Set<String> = []
        /// The transaction of each number.
        var numbers: [String: String] = [:]
    }

    private static let refusals: [StoreErrorCode] = [.intentDecided, .codeSpent, .codeRedeemed, .codeIneligible]

    private let store: SimulatedStore
    private let report: @Sendable (SimulationViolation) -> Void
    private let contents = Locked(Contents())

    /// - Parameter report: Gets what contradicts earlier replies.
    init(_ store: SimulatedStore, report: @escaping @Sendable (SimulationViolation) -> Void) {
        (self.store, self.report) = (store, report)
    }

    var keys: [Key] { contents.withLock { $0.keys } }
    /// Transactions whose finish was acknowledged.
    var finished: Set<String> { contents.withLock { $0.finished } }
    /// Transactions whose refund was acknowledged.
    var refunded: Set<String> { contents.withLock { $0.refunded } }

    /// Begins an operation. After a failed request the client knows nothing.
    func begin(_ operation: SimulatedOperation) {
        switch operation {
        case .buy(let customer, let product, let key):
            add(payment(product, key), customer, times: 1)
        case .buyTwice(let customer, let product, let key):
            add(payment(product, key), customer, times: 2)
        case .buyPromoted(let customer, let intent, let key):
            var payment = payment(0, key)
            payment.intentIdentifier = "i_\(intent)"
            add(payment, customer, times: 1)
        case .redeem(let customer, let key):
            add(payment(3, key), customer, code: SimulatedCatalogue.redeemedCode, times: 2)
        case .again(let number): if let index = index(number, of: keys) { send(index) }
        case .finish(let number): finish(number)
        case .refund(let number): refund(number)
        case .restore(let customer, let key): restore(SimulatedStore.customer(customer), "restore-\(key)")
        case .setRenewal(let customer, let isOn): setRenewal(SimulatedStore.customer(customer), isOn)
        case .advance(let hours): store.advance(by: .seconds(3_600 * hours))
        case .work(let job): store.work(job)
        case .crashQueue: store.crashQueue()
        case .crashProcessor: store.crashProcessor()
        }
    }

    /// Repeats every key without a final reply, or every key.
    func repeatKeys(all: Bool) {
        for (index, key) in keys.enumerated() where !key.isRefused && (all || key.ended == nil) { send(index) }
    }

    private func index(_ number: Int, of items: [some Any]) -> Int? { items.isEmpty ? nil : number % items.count }

    // MARK: Purchases

    private func payment(_ product: Int, _ key: Int) -> Payment {
        Payment(
            requestIdentifier: "key-\(key)", productIdentifier: SimulatedCatalogue.products[product].productIdentifier)
    }

    private func add(_ payment: Payment, _ customer: Int, code: RedeemedCode? = nil, times: Int) {
        let customer = SimulatedStore.customer(customer)
        let request = AddPaymentRequest(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, deviceId: "phone",
            payment: payment, redeemedOffer: code.map { RedeemedOffer(type: .code, identifier: $0.offer) },
            redeemedCode: code)
        let index = contents.withLock { contents -> Int in
            contents.keys.append(Key(request: request))
            return contents.keys.count - 1
        }
        for _ in 0..<times { send(index) }
    }

    private func send(_ index: Int) {
        guard let queue = store.current else { return }
        let request = keys[index].request
        store.runImpatiently { [store] in
            do {
                let reply = try await queue.service.purchases.add(request, deadline: store.deadline)
                // A dead process answers nothing.
                if !queue.life.isDead { self.take(reply, of: index) }
            } catch {
                guard let code = (error as? StoreError)?.code, Self.refusals.contains(code), !queue.life.isDead else {
                    throw error
                }
                self.contents.withLock { $0.keys[index].isRefused = true }
            }
        }
    }

    private func take(_ reply: AddPaymentReply, of index: Int) {
        let value = reply.transaction
        let isEnded = reply.status == PaymentRepository.endedStatus
        let key = keys[index].request.payment.requestIdentifier
        let violation = contents.withLock { contents -> SimulationViolation? in
            let known = contents.keys[index]
            for earlier in [known.begun, known.ended].compactMap(\.self) where earlier.transaction.id != value.id {
                return SimulationViolation(
                    rule: "P3", text: "\(key) has two transactions: \(earlier.transaction.id) and \(value.id)")
            }
            guard isEnded else {
                if known.begun == nil { contents.keys[index].begun = reply }
                return nil
            }
            if let earlier = known.ended {
                guard earlier.transaction != value else { return nil }
                return SimulationViolation(
                    rule: "P3", text: "\(key) has two answers: \(earlier.transaction) and \(value)")
            }
            contents.keys[index].ended = reply
            guard let number = value.transactionIdentifier else { return nil }
            let first = contents.numbers[number, default: value.id]
            contents.numbers[number] = first
            guard first != value.id else { return nil }
            return SimulationViolation(rule: "N2", text: "\(number) was given to \(first) and to \(value.id)")
        }
        if let violation { report(violation) }
    }

    // MARK: Others

    /// The transactions whose end is known.
    private var ended: [AddPaymentReply] { keys.compactMap(\.ended) }

    private func finish(_ number: Int) {
        guard let queue = store.current, let index = index(number, of: ended) else { return }
        let id = ended[index].transaction.id
        guard let owner = keys.first(where: { $0.ended?.transaction.id == id })?.request else { return }
        store.runImpatiently {
            _ = try await queue.service.transactions.finish(
                TransactionRequest(
                    bundleId: owner.bundleId, customerIdentifier: owner.customerIdentifier, deviceId: owner.deviceId,
                    id: id))
            guard !queue.life.isDead else { return }
            self.contents.withLock { _ = $0.finished.insert(id) }
        }
    }

    private func refund(_ number: Int) {
        let purchased = ended.filter { $0.transaction.transactionState == .purchased }
        guard let queue = store.current, let index = index(number, of: purchased) else { return }
        let id = purchased[index].transaction.id
        store.runImpatiently { [store] in
            let taken = try await queue.service.refunds.takeBack(
                RefundRequest(ScopedIdentifier(id, in: .installation)), .refunded, deadline: store.deadline)
            guard !queue.life.isDead, taken.revocationDate != nil else { return }
            self.contents.withLock { _ = $0.refunded.insert(id) }
        }
    }

    private func restore(_ customer: CustomerReference, _ key: String) {
        guard let queue = store.current else { return }
        store.runImpatiently { [store] in
            _ = try await queue.service.restores.start(
                StartRestoreRequest(
                    bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, deviceId: "phone",
                    requestIdentifier: key), deadline: store.deadline)
        }
    }

    private func setRenewal(_ customer: CustomerReference, _ isOn: Bool) {
        guard let queue = store.current else { return }
        store.runImpatiently { [store] in
            let rows = try store.queueDisk.rows(
                "SELECT original_identifier FROM subscription WHERE customer_identifier = ?",
                .text(customer.customerIdentifier))
            guard let identifier: String = try rows.first?["original_identifier"] else { return }
            _ = try await queue.service.subscriptions.update(
                UpdateSubscriptionRequest(
                    bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier,
                    originalTransactionIdentifier: identifier, willAutoRenew: isOn), deadline: store.deadline)
        }
    }
}
