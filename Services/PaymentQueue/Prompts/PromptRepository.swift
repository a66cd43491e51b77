import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes open prompts. The commit that deletes a prompt's row has answered it.
enum PromptRepository {
    static func insert(
        _ kinds: [Prompt.Kind], _ purpose: StoredPrompt.Purpose = .purchase, about stored: StoredTransaction,
        times: Int = 1, wall: Timestamp, in transaction: SQLTransaction
    ) async throws {
        guard let kind = kinds.first else { return }
        try await transaction.send(
            """
            INSERT INTO prompt (id, kind, purpose, next_kinds, bundle_id, customer_identifier, transaction_id, times,
                created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            Identifiers.prompt(try await CounterRepository.next(.prompt, in: transaction)), kind, purpose,
            kinds.dropFirst().map(\.rawValue).joined(separator: ","), stored.customer.bundleId,
            stored.customer.customerIdentifier, stored.id, times, wall.milliseconds)
    }

    /// Reads an open prompt.
    /// - Returns: Nil also for a prompt of another scope.
    static func find(_ named: ScopedIdentifier, in reader: SQLReader) async throws -> StoredPrompt? {
        try await reader.queryOne(
            """
            SELECT p.*, c.account FROM prompt p
            JOIN customer c ON c.bundle_id = p.bundle_id AND c.customer_identifier = p.customer_identifier
            WHERE p.id = ?
            """, named.id
        ).map(StoredPrompt.init).flatMap { named.scope.covers($0.customer.bundleId) ? $0 : nil }
    }

    /// Finds the open prompt about a transaction.
    static func find(
        about transactionID: String, _ purpose: StoredPrompt.Purpose, _ customer: CustomerReference,
        in reader: SQLReader
    ) async throws -> StoredPrompt? {
        try await reader.queryOne(
            """
            SELECT p.*, c.account FROM prompt p
            JOIN customer c ON c.bundle_id = p.bundle_id AND c.customer_identifier = p.customer_identifier
            WHERE p.transaction_id = ? AND p.purpose = ? AND p.bundle_id = ? AND p.customer_identifier = ?
            """, transactionID, purpose, customer.bundleId, customer.customerIdentifier
        ).map(StoredPrompt.init)
    }

    /// Deletes a prompt.
    /// - Returns: False when the prompt was answered before.
    static func remove(_ id: String, in transaction: SQLTransaction) async throws(PersistenceError) -> Bool {
        try await transaction.execute("DELETE FROM prompt WHERE id = ?", id) == 1
    }

    /// Writes how often an open prompt was shown.
    /// - Returns: False when it is not open.
    static func setTimes(
        _ times: Int, about transactionID: String, _ purpose: StoredPrompt.Purpose, _ customer: CustomerReference,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        try await transaction.execute(
            """
            UPDATE prompt SET times = ?
            WHERE transaction_id = ? AND purpose = ? AND bundle_id = ? AND customer_identifier = ?
            """, times, transactionID, purpose, customer.bundleId, customer.customerIdentifier) == 1
    }

    /// Deletes an open prompt whose reason has ended, if there is one.
    static func withdraw(
        about transactionID: String, _ purpose: StoredPrompt.Purpose, _ customer: CustomerReference,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            DELETE FROM prompt
            WHERE transaction_id = ? AND purpose = ? AND bundle_id = ? AND customer_identifier = ?
            """, transactionID, purpose, customer.bundleId, customer.customerIdentifier)
    }

    /// Reads the prompts of a kind created by an instant of wall time, oldest first.
    static func list(
        _ kind: Prompt.Kind, askedBy wall: Timestamp, limit: Int, in reader: SQLReader
    ) async throws -> [StoredPrompt] {
        try await reader.query(
            """
            SELECT p.*, c.account FROM prompt p
            JOIN customer c ON c.bundle_id = p.bundle_id AND c.customer_identifier = p.customer_identifier
            WHERE p.kind = ? AND p.created_at <= ? ORDER BY p.id LIMIT ?
            """, kind, wall.milliseconds, limit
        ).map(StoredPrompt.init)
    }

    /// Reads open prompts after `after`, oldest first.
    static func list(
        _ request: PromptsRequest, limit: Int, in reader: SQLReader
    ) async throws -> [StoredPrompt] {
        var filter = OperatorFilter(app: request.bundleId, "p.", after: request.after, by: "id")
        filter.add("c.account = ?", request.account)
        return try await reader.query(
            """
            SELECT p.*, c.account FROM prompt p
            JOIN customer c ON c.bundle_id = p.bundle_id AND c.customer_identifier = p.customer_identifier
            WHERE \(filter.sql) ORDER BY p.id LIMIT ?
            """, arguments: filter.arguments + [limit]
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
