import StoreHTTP
import StoreModels

/// What the operator may ask about accounts, and what happens to them.
extension StoreAPI {
    // MARK: Transactions

    /// `GET /admin/v1/transactions`: one page of all accounts', each with the account it belongs to.
    func transactions(
        _ query: TransactionListRequest
    ) async throws(CLIError) -> TransactionsPage {
        try await get(
            TransactionRoutes.search,
            query: [
                "bundleId": query.bundleId, "account": query.account, "state": query.state?.rawValue,
                "finished": query.isFinished.map { "\($0)" }, "after": query.after, "limit": "\(query.limit)",
            ])
    }

    /// What an operator or a parent says about a transaction.
    enum Word: Sendable {
        case approve, decline, resolve

        fileprivate var route: HTTPRoute {
            switch self {
            case .approve: TransactionRoutes.approve
            case .decline: TransactionRoutes.decline
            case .resolve: TransactionRoutes.resolve
            }
        }
    }

    /// `POST /admin/v1/transactions/{id}/{approve,decline,resolve}`: the transaction after it, of `resolve` the new one.
    /// - Parameter error: the SKError a declined payment fails with, by name or number; nil is the store's choice.
    func say(_ word: Word, about id: String, error: String? = nil) async throws(CLIError) -> PaymentTransaction {
        try await call(word.route, [.id: id], body: error.map { ["error": Self.errorValue($0)] })
    }

    /// A number is sent as one.
    private static func errorValue(_ error: String) -> JSONValue { Int(error).map { .integer($0) } ?? .string(error) }

    /// `DELETE /admin/v1/transactions/{id}`
    func deleteTransaction(_ id: String) async throws(CLIError) {
        _ = try await exchange(request(TransactionRoutes.delete, [.id: id]))
    }

    /// `POST /admin/v1/apps/{bundleId}/reset`
    func reset(_ bundleId: String) async throws(CLIError) -> ResetResponse {
        try await call(AppRoutes.reset, [.bundleId: bundleId], body: nil)
    }

    /// `DELETE /admin/v1/apps/{bundleId}/transactions?account=`
    func clearHistory(_ account: String, bundleId: String) async throws(CLIError) -> HistoryResponse {
        let request = request(AppRoutes.clearHistory, [.bundleId: bundleId], query: ["account": account])
        return try decode(HistoryResponse.self, await exchange(request))
    }

    // MARK: Accounts

    /// `GET /admin/v1/testers`: all of them.
    func testers() async throws(CLIError) -> [TesterResponse] {
        let pages = try await pages(\TestersResponse.after) { after throws(CLIError) in
            try await get(AccountRoutes.list, query: ["after": after, "limit": "100"])
        }
        return pages.flatMap(\.testers)
    }

    /// `GET /admin/v1/testers/{account}`
    func tester(_ account: String) async throws(CLIError) -> TesterResponse {
        try await get(AccountRoutes.get, [.account: account])
    }

    /// `PUT /admin/v1/testers/{account}`: the whole of what is set.
    func putTester(_ account: String, _ settings: JSONValue) async throws(CLIError) -> TesterResponse {
        try await call(AccountRoutes.put, [.account: account], body: settings.objectValue ?? [:])
    }

    /// `DELETE /admin/v1/testers/{account}`: what was set is forgotten; purchases stay.
    func resetTester(_ account: String) async throws(CLIError) {
        _ = try await exchange(request(AccountRoutes.reset, [.account: account]))
    }

    // MARK: Prompts and events

    /// `GET /admin/v1/prompts`: all of them.
    func prompts(account: String?) async throws(CLIError) -> [Prompt] {
        let pages = try await pages(\PromptsPage.after) { after throws(CLIError) in
            try await get(PromptRoutes.list, query: ["account": account, "after": after, "limit": "100"])
        }
        return pages.flatMap(\.prompts)
    }

    /// `POST /admin/v1/prompts/{id}`
    func answer(
        _ prompt: String, _ answer: Prompt.Answer, error: String?
    ) async throws(CLIError) -> Prompt {
        var body: [String: JSONValue] = ["answer": .string(answer.rawValue)]
        if let error { body["error"] = Self.errorValue(error) }
        return try await call(PromptRoutes.answer, [.id: prompt], body: body)
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
        try await get(
            EventRoutes.wait,
            query: [
                "type": type, "account": account, "bundleId": bundleId, "after": after,
                "timeout": TimeLimit(time).description,
            ], timeout: time + .seconds(10))
    }

    // MARK: Services

    /// `GET /admin/v1/services`
    func services() async throws(CLIError) -> JSONValue {
        try await get(MonitoringRoutes.services)
    }
}

/// What `POST …/reset` answers: `{"removedTransactions":12,"cancelledIntents":1}`.
struct ResetResponse: Hashable, Sendable, Codable {
    var removedTransactions: Int
    /// Purchases that began in the store and were open; absent from a store of an earlier version.
    var cancelledIntents: Int?
}

/// What `DELETE …/transactions` answers: `{"removed":12,"cancelledIntents":1}`.
struct HistoryResponse: Hashable, Sendable, Codable {
    var removed: Int
    /// As ``ResetResponse/cancelledIntents``.
    var cancelledIntents: Int?
}

/// A tester as the gateway answers it: what counts, flattened, and what was set beside it.
///
/// ```json
/// {"account":"alice","storefront":"FRA","canMakePayments":true,"sheet":"auto","overrides":{"storefront":"FRA"}}
/// ```
struct TesterResponse: Sendable, Decodable {
    var account: String
    /// What counts: set by the operator, else the app's default, else StoreKit's.
    var effective: TesterSettings
    /// What the operator has set.
    var overrides: TesterSettings
    /// The whole answer, for `-o json`.
    var json: JSONValue

    private enum CodingKeys: String, CodingKey { case account, overrides }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        account = try container.decode(String.self, forKey: .account)
        overrides = try container.decodeIfPresent(TesterSettings.self, forKey: .overrides) ?? TesterSettings()
        effective = try TesterSettings(from: decoder)
        json = try JSONValue(from: decoder)
    }
}

/// `{"testers":[…],"after":"…"}`
struct TestersResponse: Sendable, Decodable {
    var testers: [TesterResponse]
    var after: String?
}
