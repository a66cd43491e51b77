import Foundation
import StoreHTTP
import StoreModels

@testable import StoreKitClient

private typealias Product = StoreKitClient.Product

/// The store's side of StoreKit 2: lists that the test fills, purchases that it decides, and the stream.
///
/// What it signs has no certificates, so that everything is unverified and readable.
final class FakeShop: Sendable {
    struct State: Sendable {
        var seq: Int64 = 1
        /// Newest first, by view.
        var lists: [SignedView: [String]] = [:]
        var groups: [SignedSubscriptionsResponse.Group] = []
        /// The responses to purchases, in order. The last one stays.
        var purchases: [FakeAnswer] = []
    }

    let gateway: FakeGateway
    let queue: SKPaymentQueue
    let stream: FakeStream
    let state = LockedValue(State())

    init(
        _ stream: FakeStream = .beginning(), _ change: (inout StoreConnection, inout ClientTiming) -> Void = { _, _ in }
    ) throws {
        gateway = try FakeGateway()
        self.stream = stream
        queue = gateway.queue(change)
        gateway.on("GET /v1/transactions/stream") { _ in .stream(stream) }
        gateway.on("POST /v1/transactions/*/finish") { _ in .json([String: String]()) }
        gateway.on("GET /v1/signed/transactions") { [state] request in
            state.withLock { state in
                let view = SignedView.allCases.first { request.query.contains("view=\($0.rawValue)") } ?? .all
                if request.query.contains("revision=r\(state.seq)") {
                    return .json(
                        SignedTransactionsPage(
                            seq: state.seq, revision: "r\(state.seq)", isUnchanged: true, signedTransactions: []))
                }
                return .json(
                    SignedTransactionsPage(
                        seq: state.seq, revision: "r\(state.seq)", signedTransactions: state.lists[view] ?? []))
            }
        }
        gateway.on("GET /v1/signed/subscriptions") { [state] _ in
            state.withLock { .json(SignedSubscriptionsResponse(seq: $0.seq, groups: $0.groups)) }
        }
        gateway.on("POST /v1/purchases") { [state] _ in
            state.withLock { state in
                state.purchases.count > 1 ? state.purchases.removeFirst() : state.purchases.first ?? .drop
            }
        }
    }

    /// Runs code that uses the static members with this shop's queue.
    func run<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await SKPaymentQueue.$ofTask.withValue(queue) { try await body() }
    }

    /// Collects what a sequence gives, until the test ends the task or releases the collection.
    func collect<Values: AsyncSequence & Sendable>(_ values: Values) -> Collected<Values.Element>
    where Values.Element: Sendable {
        let seen = LockedValue<[Values.Element]>([])
        let task = Task {
            var iterator = values.makeAsyncIterator()
            while let value = try? await iterator.next() { seen.withLock { $0.append(value) } }
        }
        return Collected(task: task, seen: seen)
    }

    /// The elements of a sequence so far. It ends its task with itself, so that a test that throws leaves no iterator.
    final class Collected<Element: Sendable>: Sendable {
        let task: Task<Void, Never>
        let seen: LockedValue<[Element]>

        init(task: Task<Void, Never>, seen: LockedValue<[Element]>) { (self.task, self.seen) = (task, seen) }

        deinit { task.cancel() }
    }

    /// Tells of a transaction as the store does: in the list first, then as an event.
    func tell(
        _ text: String, _ cause: SignedTransactionEvent.Cause, key: String? = nil, device: String = "alice-1"
    ) {
        let seq = state.withLock { state in
            state.seq += 1
            state.lists[.unfinished, default: []].insert(text, at: 0)
            return state.seq
        }
        stream.send(
            "signedTransaction",
            SignedTransactionEvent(
                seq: seq, id: "t-1", cause: cause, requestIdentifier: key, originDeviceId: device,
                signedTransaction: text))
    }

    /// The response to a purchase.
    static func outcome(
        _ outcome: PurchaseResponse.Outcome, _ text: String? = nil, error: TransactionError? = nil
    ) -> FakeAnswer {
        var transaction = PaymentTransaction.sample("t1", error == nil ? .purchased : .failed)
        transaction.error = error
        return .json(
            PurchaseResponse(outcome: outcome, transaction: transaction, signedTransaction: text),
            status: outcome == .purchasing ? 202 : 201)
    }

    /// A product of the shop.
    func product(
        _ id: String = "com.example.hiddenBeaches", type: StoreModels.ProductType = .nonConsumable
    ) throws -> StoreKitClient.Product {
        var model = try StoreModels.Product.sample(id)
        model.type = type
        return Product(model, ProductOrigin(queue: queue, storefront: nil))
    }
}

/// A JWS without certificates.
func signed(_ members: [String: JSONValue]) -> String {
    let payload = (try? StoreJSON.encode(JSONValue.object(members))) ?? []
    return "e30.\(Base64URL.encode(payload)).AA"
}

/// A signed transaction, without certificates.
func signedTransaction(
    _ id: Int, product: String = "com.example.hiddenBeaches", signedDate: Int = 1_795_600_000_000,
    revoked: Int? = nil, more: [String: JSONValue] = [:]
) -> String {
    var members: [String: JSONValue] = [
        "transactionId": .string("\(id)"), "originalTransactionId": .string("\(id)"), "productId": .string(product),
        "bundleId": "com.example.app", "purchaseDate": 1_795_600_000_000, "originalPurchaseDate": 1_795_600_000_000,
        "quantity": 1, "type": "Non-Consumable", "inAppOwnershipType": "PURCHASED", "environment": "Sandbox",
        "signedDate": .integer(signedDate), "transactionReason": "PURCHASE", "storefront": "USA",
    ]
    if let revoked { members["revocationDate"] = .integer(revoked) }
    return signed(members.merging(more) { $1 })
}

extension VerificationResult where SignedType == Transaction {
    /// An unverified transaction.
    static func sample(_ id: Int, signedDate: Int = 1_795_600_000_000, revoked: Int? = nil) -> Self {
        .verified(Transaction(claims: SignedClaims(signedTransaction(id, signedDate: signedDate, revoked: revoked))))
    }
}

extension VerificationResult<Transaction> {
    var id: UInt64 { unsafePayloadValue.id }
}
