import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes open prompts. The commit that deletes a prompt's row has answered it.
enum PromptRepository {
    /// Inserts a prompt.
    /// - Parameters:
    ///   - kinds: Its kind, and those that follow it.
    ///   - id: Its number.
    ///   - now: Business time.
    /// - Returns: Nil without a kind.
    static func insert(
        _ kinds: [Prompt.Kind], _ purpose: StoredPrompt.Purpose, about stored: StoredTransaction, times: Int,
        id: Int64, now: Timestamp, wall: Timestamp
    ) -> SQLChange? {
        guard let kind = kinds.first else { return nil }
        return SQLChange(
            inserted, Identifiers.prompt(id), kind, purpose,
            kinds.dropFirst().map(\.rawValue).joined(separator: ","), stored.customer.bundleId,
            stored.customer.customerIdentifier, stored.id, times, wall.milliseconds, now.milliseconds)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "prompt",
        [
            "id": .text, "kind": .text, "purpose": .text, "next_kinds": .text, "bundle_id": .text,
            "customer_identifier": .text, "transaction_id": .text, "times": .integer, "created_at": .integer,
            "asked_at": .integer,
        ])

    /// The prompts with their customers' accounts.
    private static let selection = """
        SELECT p.*, c.account FROM prompt p
        JOIN customer c ON c.bundle_id = p.bundle_id AND c.customer_identifier = p.customer_identifier
        """

    /// Reads an open prompt.
    /// - Returns: Nil also for a prompt of another scope.
    static func find(_ named: ScopedIdentifier, in reader: SQLReader) async throws -> StoredPrompt? {
        try await reader.queryOne("\(selection) WHERE p.id = ?", named.id).map(StoredPrompt.init)
            .flatMap { named.scope.covers($0.customer.bundleId) ? $0 : nil }
    }

    /// Looks for a customer's open prompt.
    static func find(_ id: String, _ customer: CustomerReference) -> SQLLookup<StoredPrompt?> {
        SQLLookup(first: byID, id, customer.bundleId, customer.customerIdentifier) { try StoredPrompt($0) }
    }

    private static let byID = SQLBatchStatement.query(
        "\(selection) WHERE p.id = ? AND p.bundle_id = ? AND p.customer_identifier = ?", .text, .text, .text)

    /// Looks for the open prompt about a transaction.
    static func find(
        about transactionID: String, _ purpose: StoredPrompt.Purpose, _ customer: CustomerReference
    ) -> SQLLookup<StoredPrompt?> {
        SQLLookup(
            first: byTransaction, transactionID, purpose, customer.bundleId, customer.customerIdentifier
        ) { try StoredPrompt($0) }
    }

    private static let byTransaction = SQLBatchStatement.query(
        """
        \(selection)
        WHERE p.transaction_id = ? AND p.purpose = ? AND p.bundle_id = ? AND p.customer_identifier = ?
        """, .text, .text, .text, .text)

    /// Deletes an open prompt.
    static func remove(_ id: String, _ customer: CustomerReference) -> SQLChange {
        SQLChange(removed, id, customer.bundleId, customer.customerIdentifier, changes: 1)
    }

    private static let removed = SQLBatchStatement.delete(from: "prompt", where: key, .text, .text, .text)
    /// The condition on one prompt of a customer.
    private static let key = "id = ? AND bundle_id = ? AND customer_identifier = ?"

    /// Writes how often an open prompt was shown.
    static func setTimes(_ times: Int, of id: String, _ customer: CustomerReference) -> SQLChange {
        SQLChange(shown, times, id, customer.bundleId, customer.customerIdentifier, changes: 1)
    }

    private static let shown = SQLBatchStatement.update(
        "prompt", set: "times = ?", where: key, .integer, .text, .text, .text)

    /// Deletes an open prompt whose reason has ended, if there is one.
    static func withdraw(
        about transactionID: String, _ purpose: StoredPrompt.Purpose, _ customer: CustomerReference
    ) -> SQLChange {
        SQLChange(withdrawn, transactionID, purpose, customer.bundleId, customer.customerIdentifier)
    }

    private static let withdrawn = SQLBatchStatement.delete(
        from: "prompt",
        where: "transaction_id = ? AND purpose = ? AND bundle_id = ? AND customer_identifier = ?",
        .text, .text, .text, .text)

    /// Reads the prompts of a kind created by an instant of wall time, oldest first.
    static func list(
        _ kind: Prompt.Kind, askedBy wall: Timestamp, limit: Int, in reader: SQLReader
    ) async throws -> [StoredPrompt] {
        try await reader.query(
            "\(selection) WHERE p.kind = ? AND p.created_at <= ? ORDER BY p.id LIMIT ?", kind, wall.milliseconds, limit
        ).map(StoredPrompt.init)
    }

    /// Reads open prompts after `after`, oldest first.
    static func list(
        _ request: PromptsRequest, limit: Int, in reader: SQLReader
    ) async throws -> [StoredPrompt] {
        var filter = OperatorFilter(app: request.bundleId, "p.", after: request.after, by: "id")
        filter.add("c.account = ?", request.account)
        return try await reader.query(
            "\(selection) WHERE \(filter.sql) ORDER BY p.id LIMIT ?", arguments: filter.arguments + [limit]
        ).map(StoredPrompt.init)
    }
}

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
    /// When it was created, in business time.
    var askedAt: Timestamp

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
        askedAt = try row["asked_at"]
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
                createdAt: createdAt, askedAt: askedAt, answers: answers)
        ) {
            $0.times = kind == .signIn ? times : nil
            $0.priceIncrease = increase
        }
    }
}

extension Prompt.Kind: SQLValueConvertible {}
extension StoredPrompt.Purpose: SQLValueConvertible {}
