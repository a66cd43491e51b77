import Persistence
import StoreModels

/// A question that waits for an answer.
struct StoredPrompt: Hashable, Sendable {
    /// What asks.
    enum Purpose: String, Sendable {
        /// A purchase under way, which waits for the answer.
        case purchase
        /// An unfinished transaction that was delivered again.
        case redelivery
        /// A subscription whose price has gone up; the prompt is about its latest transaction.
        case priceConsent
    }

    var id: String
    var kind: Prompt.Kind
    var purpose: Purpose
    /// Who is asked after this one has agreed, one after the other.
    var nextKinds: [Prompt.Kind]
    var customer: CustomerReference
    var account: String
    var transactionID: String
    var times: Int
    /// Wall time.
    var createdAt: Timestamp

    init(_ row: SQLRow) throws {
        id = try row["id"]
        kind = try row["kind"]
        purpose = try row["purpose"]
        let next: String = try row["next_kinds"]
        nextKinds = next.split(separator: ",").compactMap { Prompt.Kind(rawValue: String($0)) }
        customer = try CustomerReference(row)
        account = try row["account"]
        transactionID = try row["transaction_id"]
        times = try row["times"]
        createdAt = Timestamp(milliseconds: try row["created_at"])
    }

    /// The answers it takes: nothing can be declined of what was bought already.
    var answers: [Prompt.Answer] {
        purpose == .redelivery ? [.approve, .cancel] : PaymentSheetPolicy.answers(to: kind)
    }

    /// As the operator sees it.
    func prompt(about transaction: PaymentTransaction?, _ increase: PriceIncrease? = nil) -> Prompt {
        with(
            Prompt(
                id: id, kind: kind, bundleId: customer.bundleId, account: account, transaction: transaction,
                createdAt: createdAt, answers: answers)
        ) {
            $0.times = kind == .signIn ? times : nil
            $0.priceIncrease = increase
        }
    }
}

extension Prompt.Kind: SQLValueConvertible {}
extension StoredPrompt.Purpose: SQLValueConvertible {}
