import Persistence
import StoreModels

/// A prompt that waits for an answer.
struct StoredPrompt: Hashable, Sendable {
    /// The reason of a prompt.
    enum Purpose: String, Sendable {
        /// A purchase in progress, which waits for the answer.
        case purchase
        /// An unfinished transaction that was delivered again.
        case redelivery
        /// A subscription whose price has risen. The prompt is about its latest transaction.
        case priceConsent
    }

    var id: String
    var kind: Prompt.Kind
    var purpose: Purpose
    /// The prompts that follow this one's approval, one after the other.
    var nextKinds: [Prompt.Kind]
    var customer: CustomerReference
    var account: String
    /// The `id` of the transaction it is about.
    var transactionID: String
    /// How often the prompt was shown.
    var times: Int
    /// When it was created, in wall time.
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
        createdAt = try row["created_at"]
    }

    /// The prompt as operators name it.
    var named: ScopedIdentifier { ScopedIdentifier(id, in: IsolationScope(of: customer.bundleId)) }

    /// The answers it accepts. A redelivered purchase cannot be declined.
    var answers: [Prompt.Answer] {
        purpose == .redelivery ? [.approve, .cancel] : PaymentSheetPolicy.answers(to: kind)
    }

    /// Makes the prompt as the operator sees it.
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
