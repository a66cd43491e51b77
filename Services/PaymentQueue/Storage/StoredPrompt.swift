import Persistence
import StoreModels

/// A question that waits for a person's answer.
package struct StoredPrompt: Hashable, Sendable {
    package var id: String
    package var kind: Prompt.Kind
    /// Who is asked after this one has agreed.
    package var nextKind: Prompt.Kind?
    package var customer: CustomerID
    package var account: String
    package var transactionID: String
    /// Wall time.
    package var createdAt: Timestamp

    init(_ row: SQLRow) throws {
        id = try row["id"]
        kind = try row["kind"]
        nextKind = try row["next_kind"]
        customer = CustomerID(
            bundleId: try row["bundle_id"], customerIdentifier: try row["customer_identifier"])
        account = try row["account"]
        transactionID = try row["transaction_id"]
        createdAt = Timestamp(milliseconds: try row["created_at"])
    }

    /// As the operator sees it.
    func prompt(about transaction: PaymentTransaction?) -> Prompt {
        Prompt(
            id: id, kind: kind, bundleId: customer.bundleId, account: account, transaction: transaction,
            createdAt: createdAt, answers: PaymentSheetPolicy.answers(to: kind))
    }
}

extension Prompt.Kind: SQLValueConvertible {}
