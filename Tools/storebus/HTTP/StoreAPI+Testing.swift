import StoreHTTP
import StoreModels

/// Operator's requests about accounts, their transactions and events.
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

    /// `GET /admin/v1/transactions/{id}`: one transaction of any account.
    /// - Parameter id: Its `id` or `transactionIdentifier`.
    func transaction(_ id: String) async throws(CLIError) -> RecordedTransaction {
        try await call(TransactionRoutes.find, [.id: id])
    }

    /// `POST /admin/v1/transactions/{id}/redeliver`: the transaction as it was delivered once more.
    func redeliver(_ id: String) async throws(CLIError) -> PaymentTransaction {
        try await call(TransactionRoutes.redeliver, [.id: id])
    }

    /// Decisions about a transaction, by the operator or a parent.
    enum Word: Sendable { case approve, decline, resolve }

    /// `POST /admin/v1/transactions/{id}/{approve,decline,resolve}`: returns it, for `resolve` the new one.
    /// - Parameter error: The SKError of a declined payment, by name or number; nil is the store's choice.
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
        try await call(TransactionRoutes.delete, [.id: id])
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
    func testers() async throws(CLIError) -> [Received<TesterAnswer>] {
        let pages = try await pages(\TestersResponse<Received<TesterAnswer>>.after) { after throws(CLIError) in
            let endpoint = AccountRoutes.list
            let request = request(endpoint, query: ["after": after, "limit": "100"])
            return try decode(endpoint, as: TestersResponse<Received<TesterAnswer>>.self, await exchange(request))
        }
        return pages.flatMap(\.testers)
    }

    /// `GET /admin/v1/testers/{account}`
    func tester(_ account: String) async throws(CLIError) -> Received<TesterAnswer> {
        let endpoint = AccountRoutes.get
        return try decode(endpoint, as: Received.self, await exchange(request(endpoint, [.account: account])))
    }

    /// `GET /admin/v1/testers/{account}`: the settings the operator has set; none for an unknown account.
    func settings(of account: String) async throws(CLIError) -> AccountSettings {
        let endpoint = AccountRoutes.get
        do {
            let response = try await exchange(request(endpoint, [.account: account]))
            return try decode(endpoint, as: AccountOverrides.self, response).overrides ?? AccountSettings()
        } catch  where error.code.name == StoreErrorCode.notFound.name {
            return AccountSettings()
        }
    }

    /// `PUT /admin/v1/testers/{account}`: replaces all settings.
    func putTester(_ account: String, _ settings: AccountSettings) async throws(CLIError) -> Received<TesterAnswer> {
        let endpoint = AccountRoutes.put
        let request = request(endpoint, [.account: account]).with(settings)
        return try decode(endpoint, as: Received.self, await exchange(request))
    }

    /// `DELETE /admin/v1/testers/{account}`: removes all settings; purchases stay.
    func resetTester(_ account: String) async throws(CLIError) {
        try await call(AccountRoutes.reset, [.account: account])
    }

    // MARK: Prompts and events

    /// `GET /admin/v1/prompts`: all of them.
    func prompts(account: String?) async throws(CLIError) -> [Prompt] {
        let pages = try await pages(\PromptsResponse.after) { after throws(CLIError) in
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
            body: PromptAnswerBody(answer: answer, error: error.flatMap { NamedError($0) }))
    }

    /// `GET /admin/v1/events/wait`: events after `after`, or from now on.
    func events(_ filter: EventsRequest, within time: Duration) async throws(CLIError) -> EventsReply {
        let query = eventsQuery(filter.type?.rawValue, filter.account, filter.bundleId, filter.after, time)
        return try await call(EventRoutes.wait, query: query, timeout: time + .seconds(10))
    }

    /// Waits for events of intents.
    func intentEvents(
        _ filter: IntentEventsRequest, within time: Duration
    ) async throws(CLIError) -> IntentEventsReply {
        let query = eventsQuery(filter.type?.rawValue, filter.account, filter.bundleId, filter.after, time)
        return try await call(EventRoutes.waitForIntents, query: query, timeout: time + .seconds(10))
    }

    private func eventsQuery(
        _ type: String?, _ account: String?, _ bundleId: String?, _ after: String?, _ time: Duration
    ) -> KeyValuePairs<String, String?> {
        [
            "type": type, "account": account, "bundleId": bundleId, "after": after,
            "timeout": TimeLimit(time).description,
        ]
    }

    // MARK: Services

    /// `GET /admin/v1/env`
    func storeEnvironment(_ bundleId: String) async throws(CLIError) -> StoreEnvironment {
        try await call(MonitoringRoutes.environment, query: ["bundleId": bundleId], timeout: .seconds(2))
    }

    /// `GET /admin/v1/services`
    func services() async throws(CLIError) -> Received<ServicesResponse> {
        let endpoint = MonitoringRoutes.services
        return try decode(endpoint, as: Received.self, await exchange(request(endpoint)))
    }
}

/// The settings of an account as the gateway sent them.
///
/// Texts and members of a newer gateway are kept, so that changing a setting does not remove them.
struct AccountSettings: JSONForm, Hashable, Codable {
    typealias Body = TesterSettings

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case storefront, canMakePayments, askToBuy, interruptPurchases, signIn, sheet, priceConsent
        case billingGracePeriod, subscriptionRenewalRate, processor, simulatedErrors
    }

    /// Alpha-3 country code.
    var storefront: String?
    var canMakePayments: Bool?
    var askToBuy: Bool?
    var interruptPurchases: Bool?
    /// The name of a `TesterSettings.SignIn`.
    var signIn: String?
    /// As `PaymentSheetAnswer` reads it.
    var sheet: String?
    /// The name of a `TesterSettings.PriceConsent`.
    var priceConsent: String?
    var billingGracePeriod: Bool?
    /// The name of a `SubscriptionRenewalRate`.
    var subscriptionRenewalRate: String?
    /// The name of a `ProcessorMode`.
    var processor: String?
    /// Errors by the name of the request.
    var simulatedErrors: [String: String]?
    /// Members of a newer gateway.
    private var rest: [String: JSONValue] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        storefront = try container.decodeIfPresent(String.self, forKey: .storefront)
        canMakePayments = try container.decodeIfPresent(Bool.self, forKey: .canMakePayments)
        askToBuy = try container.decodeIfPresent(Bool.self, forKey: .askToBuy)
        interruptPurchases = try container.decodeIfPresent(Bool.self, forKey: .interruptPurchases)
        signIn = try container.decodeIfPresent(String.self, forKey: .signIn)
        sheet = try container.decodeIfPresent(String.self, forKey: .sheet)
        priceConsent = try container.decodeIfPresent(String.self, forKey: .priceConsent)
        billingGracePeriod = try container.decodeIfPresent(Bool.self, forKey: .billingGracePeriod)
        subscriptionRenewalRate = try container.decodeIfPresent(String.self, forKey: .subscriptionRenewalRate)
        processor = try container.decodeIfPresent(String.self, forKey: .processor)
        simulatedErrors = try container.decodeIfPresent([String: String?].self, forKey: .simulatedErrors)?
            .compactMapValues(\.self)
        let known = Set(CodingKeys.allCases.map(\.rawValue))
        rest = try [String: JSONValue](from: decoder).filter { !known.contains($0.key) && $0.value != .null }
    }

    func encode(to encoder: any Encoder) throws {
        try rest.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(storefront, forKey: .storefront)
        try container.encodeIfPresent(canMakePayments, forKey: .canMakePayments)
        try container.encodeIfPresent(askToBuy, forKey: .askToBuy)
        try container.encodeIfPresent(interruptPurchases, forKey: .interruptPurchases)
        try container.encodeIfPresent(signIn, forKey: .signIn)
        try container.encodeIfPresent(sheet, forKey: .sheet)
        try container.encodeIfPresent(priceConsent, forKey: .priceConsent)
        try container.encodeIfPresent(billingGracePeriod, forKey: .billingGracePeriod)
        try container.encodeIfPresent(subscriptionRenewalRate, forKey: .subscriptionRenewalRate)
        try container.encodeIfPresent(processor, forKey: .processor)
        try container.encodeIfPresent(simulatedErrors, forKey: .simulatedErrors)
    }

    var isEmpty: Bool { self == AccountSettings() }

    /// Removes a setting by its name.
    mutating func remove(_ member: String) {
        switch CodingKeys(rawValue: member) {
        case .storefront: storefront = nil
        case .canMakePayments: canMakePayments = nil
        case .askToBuy: askToBuy = nil
        case .interruptPurchases: interruptPurchases = nil
        case .signIn: signIn = nil
        case .sheet: sheet = nil
        case .priceConsent: priceConsent = nil
        case .billingGracePeriod: billingGracePeriod = nil
        case .subscriptionRenewalRate: subscriptionRenewalRate = nil
        case .processor: processor = nil
        case .simulatedErrors: simulatedErrors = nil
        case nil: rest[member] = nil
        }
    }
}

/// The settings of an account, as a part of ``TesterAnswer``.
private struct AccountOverrides: JSONForm, Decodable {
    typealias Body = TesterAnswer

    var overrides: AccountSettings?
}
