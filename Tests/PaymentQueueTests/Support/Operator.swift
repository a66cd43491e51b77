import BusService
import Persistence
import StoreModels
import StorebusTesting

/// What the operator does at the store.
extension TestStore {
    @discardableResult
    func set(
        _ account: String, _ settings: TesterSettings, in scope: IsolationScope = .installation
    ) async throws -> Tester {
        try await caller.call(
            PaymentEndpoints.putTester, PutTesterRequest(ScopedIdentifier(account, in: scope), settings: settings))
    }

    func tester(_ account: String, in scope: IsolationScope = .installation) async throws -> Tester {
        try await caller.call(PaymentEndpoints.getTester, ScopedIdentifier(account, in: scope))
    }

    func forget(_ account: String, in scope: IsolationScope = .installation) async throws {
        _ = try await caller.call(PaymentEndpoints.deleteTester, ScopedIdentifier(account, in: scope))
    }

    func testers(
        in scope: IsolationScope = .installation, after: String? = nil, limit: Int = 100
    ) async throws -> TestersPage {
        try await caller.call(PaymentEndpoints.listTesters, PageRequest(in: scope, after: after, limit: limit))
    }

    func prompts(
        of account: String? = nil, after: String? = nil, limit: Int = 100
    ) async throws -> PromptsPage {
        try await caller.call(
            PaymentEndpoints.listPrompts, PromptsRequest(account: account, after: after, limit: limit))
    }

    /// The only prompt that is open.
    func prompt() async throws -> Prompt {
        let prompts = try await prompts().prompts
        guard let prompt = prompts.first, prompts.count == 1 else {
            throw StoreError(.notFound, "\(prompts.count) prompts are open")
        }
        return prompt
    }

    @discardableResult
    func answer(
        _ id: String, _ answer: Prompt.Answer, error: SKErrorCode? = nil, within time: Duration = .seconds(5)
    ) async throws -> Prompt {
        try await caller.call(
            PaymentEndpoints.answerPrompt, AnswerPromptRequest(.outside(id), answer: answer, error: error),
            context: CallContext(deadline: .now + time))
    }

    @discardableResult
    func approve(_ id: String, within time: Duration = .seconds(5)) async throws -> PaymentTransaction {
        try await caller.call(
            PaymentEndpoints.approveTransaction, OperateTransactionRequest(.outside(id)),
            context: CallContext(deadline: .now + time))
    }

    @discardableResult
    func decline(_ id: String, error: SKErrorCode? = nil) async throws -> PaymentTransaction {
        try await caller.call(
            PaymentEndpoints.declineTransaction, OperateTransactionRequest(.outside(id), error: error))
    }

    @discardableResult
    func resolve(_ id: String) async throws -> PaymentTransaction {
        try await caller.call(PaymentEndpoints.resolveTransaction, OperateTransactionRequest(.outside(id)))
    }

    @discardableResult
    func redeliver(_ id: String) async throws -> PaymentTransaction {
        try await caller.call(PaymentEndpoints.redeliverTransaction, .outside(id))
    }

    func find(_ id: String) async throws -> RecordedTransaction {
        try await caller.call(PaymentEndpoints.findTransaction, .outside(id))
    }

    func delete(_ id: String, within time: Duration = .seconds(5)) async throws {
        _ = try await caller.call(
            PaymentEndpoints.deleteTransaction, .outside(id),
            context: CallContext(deadline: .now + time))
    }

    /// - Parameter intents: promoted purchases that are on their way.
    /// - Returns: how many transactions went.
    @discardableResult
    func clear(
        _ account: String? = nil, intents: [String]? = nil, within time: Duration = .seconds(5)
    ) async throws -> Int {
        try await caller.call(
            PaymentEndpoints.clearHistory,
            ClearHistoryRequest(bundleId: Catalogue.bundleId, account: account, intents: intents),
            context: CallContext(deadline: .now + time)
        ).removed
    }

    @discardableResult
    func reset(intents: [String]? = nil) async throws -> Int {
        try await caller.call(
            PaymentEndpoints.reset, ResetRequest(bundleId: Catalogue.bundleId, intents: intents)
        ).removedTransactions
    }

    func events(
        after: String?, type: StoreEvent.Kind? = nil, account: String? = nil, bundleId: String? = nil, limit: Int = 100
    ) async throws -> EventsReply {
        try await caller.call(
            PaymentEndpoints.listEvents,
            EventsRequest(after: after, type: type, account: account, bundleId: bundleId, limit: limit))
    }

    func lastEvents(
        account: String? = nil, bundleId: String? = nil, limit: Int = 100
    ) async throws -> EventsReply {
        try await caller.call(
            PaymentEndpoints.lastEvents, LastEventsRequest(account: account, bundleId: bundleId, limit: limit))
    }

    /// The position behind all events so far. On PostgreSQL they can be read as soon as no older transaction of the
    /// server is under way, other tests' included.
    func position() async throws -> String {
        let dialect = database.dialect
        try await eventually("all events so far can be read") {
            guard dialect == .postgres else { return true }
            return try await database.read { reader in
                try await reader.query(
                    "SELECT position FROM journal WHERE xact >= \(dialect.oldestTransaction) LIMIT 1"
                ).isEmpty
            }
        }
        return try await events(after: nil).after
    }

    /// The first `count` events behind a position, as soon as they can be read.
    func events(after: String, count: Int) async throws -> [StoreEvent] {
        var seen: [StoreEvent] = []
        try await eventually("\(count) events can be read") {
            seen = try await events(after: after).events
            return seen.count >= count
        }
        return seen
    }

    func heads(_ customerApps: CustomerApp...) async throws -> HeadsReply {
        try await caller.call(
            PaymentEndpoints.heads,
            HeadsRequest(
                customers: customerApps.map {
                    CustomerReference(bundleId: Catalogue.bundleId, customerIdentifier: $0.customer)
                }))
    }
}

extension ScopedIdentifier {
    /// An object outside of isolated stores.
    static func outside(_ id: String) -> ScopedIdentifier { ScopedIdentifier(id, in: .installation) }
}

extension CustomerApp {
    func account() async throws -> AccountReply {
        try await store.caller.call(
            PaymentEndpoints.getAccount,
            GetAccountRequest(bundleId: Catalogue.bundleId, customerIdentifier: customer))
    }
}
