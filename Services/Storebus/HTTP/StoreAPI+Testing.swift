import StoreHTTP
import StoreModels

/// What the operator may ask about accounts, and what happens to them.
extension StoreAPI {
    // MARK: Transactions

    /// `GET /admin/v1/transactions`: one page of all accounts', each with the account it belongs to.
    func transactions(
        _ query: TransactionListRequest
    ) async throws(CLIError) -> TransactionsPage {
        try await call(
            TransactionRoutes.search,
            query: [
                "bundleId": query.bundleId, "account": query.account, "state": query.state?.rawValue,
                "finished": query.isFinished.map { "\($0)" }, "after": query.after, "limit": "\(query.limit)",
            ])
    }

    /// What an operator or a parent says about a transaction.
    enum Word: Sendable { case approve, decline, resolve }

    /// `POST /admin/v1/transactions/{id}/{approve,decline,resolve}`: the transaction after it, of `resolve` the new one.
    /// - Parameter error: the SKError a declined payment fails with, by name or number; nil is the store's choice.
    func say(_ word: Word, about id: String, error: String? = nil) async throws(CLIError) -> PaymentTransaction {
        switch word {
        case .approve: try await call(TransactionRoutes.approve, [.id: id])
        case .decline:
            try await call(
                TransactionRoutes.decline, [.id: id], body: error.map { OptionalError(error: NamedError($0)) })
        case .resolve: try await call(TransactionRoutes.resolve, [.id: id])
        }
    }

    /// `DELETE /admin/v1/transactions/{id}`
    func deleteTransaction(_ id: String) async throws(CLIError) {
        _ = try await exchange(request(TransactionRoutes.delete, [.id: id]))
    }

    /// `POST /admin/v1/apps/{bundleId}/reset`
    func reset(_ bundleId: String) async throws(CLIError) -> ResetResponse {
        try await call(AppRoutes.reset, [.bundleId: bundleId])
    }

    /// `DELETE /admin/v1/apps/{bundleId}/transactions?account=`
    func clearHistory(_ account: String, bundleId: String) async throws(CLIError) -> HistoryResponse {
        try await call(AppRoutes.clearHistory, [.bundleId: bundleId], query: ["account": account])
    }

    // MARK: Accounts

    /// `GET /admin/v1/testers`: all of them.
    func testers() async throws(CLIError) -> [TesterResponse] {
        let pages = try await pages(\TestersResponse<TesterResponse>.after) { after throws(CLIError) in
            let request = request(AccountRoutes.list, query: ["after": after, "limit": "100"])
            return try decode(TestersResponse<TesterResponse>.self, await exchange(request))
        }
        return pages.flatMap(\.testers)
    }

    /// `GET /admin/v1/testers/{account}`
    func tester(_ account: String) async throws(CLIError) -> TesterResponse {
        try decode(TesterResponse.self, await exchange(request(AccountRoutes.get, [.account: account])))
    }

    /// `PUT /admin/v1/testers/{account}`: the whole of what is set, with settings of a newer store.
    func putTester(_ account: String, _ settings: JSONValue) async throws(CLIError) -> TesterResponse {
        let request = request(
            AccountRoutes.put.route, [.account: account], body: Array(JSONText.line(settings).utf8))
        return try decode(TesterResponse.self, await exchange(request))
    }

    /// `DELETE /admin/v1/testers/{account}`: what was set is forgotten; purchases stay.
    func resetTester(_ account: String) async throws(CLIError) {
        _ = try await exchange(request(AccountRoutes.reset, [.account: account]))
    }

    // MARK: Prompts and events

    /// `GET /admin/v1/prompts`: all of them.
    func prompts(account: String?) async throws(CLIError) -> [Prompt] {
        let pages = try await pages(\PromptsPage.after) { after throws(CLIError) in
            try await call(PromptRoutes.list, query: ["account": account, "after": after, "limit": "100"])
        }
        return pages.flatMap(\.prompts)
    }

    /// `POST /admin/v1/prompts/{id}`
    func answer(
        _ prompt: String, _ answer: Prompt.Answer, error: String?
    ) async throws(CLIError) -> Prompt {
        try await call(
            PromptRoutes.answer, [.id: prompt],
            body: PromptAnswer(answer: answer, error: error.flatMap { NamedError($0) }))
    }

    /// `GET /admin/v1/events/wait`: what happens behind `after`, or from now on.
    func events(_ filter: EventsRequest, within time: Duration) async throws(CLIError) -> EventsReply {
        try await happened(filter.type?.rawValue, filter.account, filter.bundleId, filter.after, within: time)
    }

    /// The same for what happens to purchases that begin in the store.
    func intentEvents(
        _ filter: IntentEventsRequest, within time: Duration
    ) async throws(CLIError) -> IntentEventsReply {
        try await happened(filter.type?.rawValue, filter.account, filter.bundleId, filter.after, within: time)
    }

    private func happened<Events: Decodable>(
        _ type: String?, _ account: String?, _ bundleId: String?, _ after: String?, within time: Duration
    ) async throws(CLIError) -> Events {
        let request = request(
            EventRoutes.wait,
            query: [
                "type": type, "account": account, "bundleId": bundleId, "after": after,
                "timeout": TimeLimit(time).description,
            ], timeout: time + .seconds(10))
        return try decode(Events.self, await exchange(request))
    }

    // MARK: Services

    /// `GET /admin/v1/services`
    func services() async throws(CLIError) -> JSONValue {
        try decode(JSONValue.self, await exchange(request(MonitoringRoutes.services)))
    }
}

/// An account, with the whole response for `-o json`.
struct TesterResponse: Sendable, Decodable {
    private let answer: TesterAnswer
    var json: JSONValue

    var account: String { answer.account }
    /// The settings in force: set by the operator, else the app's default, else StoreKit's.
    var effective: TesterSettings { answer.effective }
    /// The settings the operator has set.
    var overrides: TesterSettings { answer.overrides }

    init(from decoder: any Decoder) throws {
        answer = try TesterAnswer(from: decoder)
        json = try JSONValue(from: decoder)
    }
}
