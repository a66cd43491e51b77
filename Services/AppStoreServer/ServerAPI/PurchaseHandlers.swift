import BusService
import Cryptography
import PlantedBugs
import StoreHTTP
import StoreModels

extension AppleServer {
    /// The App Store Server API, as Apple's libraries call it. Its errors are ``ServerAPIError``.
    var serverAPIRoutes: [ServerRoute] {
        [
            ServerRoute(AppStoreServerRoutes.transaction) { [self] in try await serverTransaction($0) },
            ServerRoute(AppStoreServerRoutes.history) { [self] in try await serverHistory($0, HistoryQuery($0.query)) },
            ServerRoute(AppStoreServerRoutes.historyV1) { [self] call in
                var query = try HistoryQuery(call.query)
                query.filter.leavesOutFinishedConsumables = true
                return try await serverHistory(call, query)
            },
            ServerRoute(AppStoreServerRoutes.statuses) { [self] in try await subscriptionStatuses($0) },
            ServerRoute(AppStoreServerRoutes.refunds) { [self] in try await refundHistory($0) },
            ServerRoute(AppStoreServerRoutes.refundsV1) { [self] in try await latestRefunds($0) },
            ServerRoute(AppStoreServerRoutes.order) { [self] in try await orderLookup($0) },
            ServerRoute(AppStoreServerRoutes.appTransaction) { [self] in try await serverAppTransaction($0) },
        ]
    }

    /// Transactions in a page of the history.
    private static let historyPage = 20
    /// Refunds in the response of the earlier version.
    private static let latestRefunds = 50

    // MARK: Transactions

    private func serverTransaction(_ call: ServerCall) async throws -> TransactionInfoResponse {
        let app = try call.app()
        let found = try await lookup(try call.transactionId(), app, call)
        guard var transaction = found.transaction else { throw ServerAPIError.appTransactionIdNotSupported }
        if PlantedBug.isActive(.revocationLeftOut) { transaction.item.cancellationDate = nil }
        return TransactionInfoResponse(
            signedTransactionInfo: try await sign([transaction], found, app, call)[0])
    }

    private func orderLookup(_ call: ServerCall) async throws -> OrderLookupResponse {
        let app = try call.app()
        let none = OrderLookupResponse(status: 1, signedTransactions: nil)
        guard let number = OrderIdentifier.transaction(of: try call.parameter(.orderId)) else { return none }
        do {
            let found = try await lookup(number, app, call)
            guard let transaction = found.transaction else { return none }
            return OrderLookupResponse(
                status: 0,
                signedTransactions: try await sign([transaction], found, app, call))
        } catch let error as ServerAPIError where error == .transactionIdNotFound {
            return none
        }
    }

    private func serverAppTransaction(_ call: ServerCall) async throws -> AppTransactionInfoResponse {
        let app = try call.app()
        let found = try await lookup(try call.transactionId(), app, call)
        return AppTransactionInfoResponse(
            signedAppTransactionInfo: try await signedAppTransaction(found, app, call))
    }

    // MARK: History

    private func serverHistory(_ call: ServerCall, _ query: HistoryQuery) async throws -> ServerHistoryResponse {
        let app = try call.app()
        let page = try await historyPage(query, app, call)
        return ServerHistoryResponse(
            revision: page.revision, hasMore: page.hasMore, app: app, signedTransactions: page.signed)
    }

    private func refundHistory(_ call: ServerCall) async throws -> RefundHistoryResponse {
        let app = try call.app()
        let query = HistoryQuery(refundsAfter: call.query.last("revision"))
        let page = try await historyPage(query, app, call)
        return RefundHistoryResponse(
            signedTransactions: page.signed, revision: page.revision, hasMore: page.hasMore)
    }

    private func latestRefunds(_ call: ServerCall) async throws -> RefundLookupResponse {
        let app = try call.app(else: .originalTransactionIdNotFound)
        let identifier = try call.originalTransactionId()
        let page = try await server(
            ServerAPIEndpoints.modified,
            ModifiedTransactionsRequest(
                bundleId: app.bundleId, identifier: identifier, order: .refunds, isDescending: true,
                limit: Self.latestRefunds),
            call, [.notFound: .originalTransactionIdNotFound])
        guard page.customer.transaction?.item.originalTransactionIdentifier.isExactly(identifier) == true else {
            throw ServerAPIError.invalidOriginalTransactionId
        }
        return RefundLookupResponse(
            signedTransactions: try await sign(page.transactions.reversed(), page.customer, app, call))
    }

    private func historyPage(
        _ query: HistoryQuery, _ app: ServerApp, _ call: ServerCall
    ) async throws -> (signed: [String], revision: String, hasMore: Bool) {
        let identifier = try call.transactionId()
        let given = query.revision.map { HistoryRevision($0) }
        let after = given??.position
        var page: ModifiedTransactionsPage?
        if !query.isEmpty {
            page = try await server(
                ServerAPIEndpoints.modified,
                ModifiedTransactionsRequest(
                    bundleId: app.bundleId, identifier: identifier, order: query.order, after: after,
                    isDescending: query.isDescending, limit: Self.historyPage, filter: query.filter),
                call, [.notFound: .transactionIdNotFound])
        }
        let customer: TransactionLookupReply
        if let page { customer = page.customer } else { customer = try await lookup(identifier, app, call) }
        // A revision tells nothing that differs in isolated stores of equal seeds.
        let scope = HistoryRevision.scope(
            of: [IsolatedApp.shown(app.bundleId), customer.appTransactionIdentifier, call.route.path] + query.text)
        if let given, given?.scope != scope { throw ServerAPIError.invalidRequestRevision }
        let next = HistoryRevision(position: page?.place ?? after ?? 0, scope: scope)
        return (
            try await sign(page?.transactions ?? [], customer, app, call), next.text, page?.hasMore ?? false
        )
    }

    // MARK: Subscriptions

    private func subscriptionStatuses(_ call: ServerCall) async throws -> SubscriptionStatusesResponse {
        let app = try call.app()
        let wanted = try call.query.all("status").map { text throws(ServerAPIError) in
            guard let number = Int(text), (1...5).contains(number) else { throw .invalidStatus }
            return number
        }
        let found = try await lookup(try call.transactionId(), app, call)
        let statuses = try await services.call(
            ServerAPIEndpoints.statuses,
            SubscriptionStatusesRequest(bundleId: app.bundleId, customerIdentifier: found.customerIdentifier), for: call
        )
        let signer = try await CustomerSigner(
            PayloadSigner(signing, app: app), of: found, storefronts.all(call.context))
        let shown = statuses.subscriptions.filter { one in
            wanted.isEmpty || wanted.contains(one.subscription.state.serverNumber)
        }
        return SubscriptionStatusesResponse(
            app: app,
            data: try shown.groups.map { group in
                .init(
                    subscriptionGroupIdentifier: group[0].subscription.subscriptionGroupIdentifier,
                    lastTransactions: try group.map { value in
                        let status = try signer.status(value, at: statuses.businessNow)
                        return .init(
                            status: status.state,
                            originalTransactionId: value.subscription.originalTransactionIdentifier,
                            signedTransactionInfo: status.signedTransaction,
                            signedRenewalInfo: status.signedRenewalInfo)
                    })
            })
    }

    // MARK: Helpers

    /// Finds a customer of the app by any identifier of a transaction or app transaction.
    /// - Throws: `transactionIdNotFound`.
    func lookup(
        _ identifier: String, _ app: ServerApp, _ call: ServerCall
    ) async throws -> TransactionLookupReply {
        try await server(
            ServerAPIEndpoints.lookup, TransactionLookupRequest(bundleId: app.bundleId, identifier: identifier), call,
            [.notFound: .transactionIdNotFound])
    }

    /// Reads a customer's download of the app.
    func download(
        of customerIdentifier: String, in bundleId: String, _ call: ServerCall
    ) async throws(StoreError) -> TransactionLookupReply {
        try await services.call(
            ServerAPIEndpoints.appTransaction,
            AppTransactionRequest(bundleId: bundleId, customerIdentifier: customerIdentifier), for: call)
    }

    /// Signs a customer's download of the app.
    /// - Parameter device: As ``PayloadSigner/init(_:app:device:)``.
    func signedAppTransaction(
        _ found: TransactionLookupReply, _ app: ServerApp, for device: DeviceBinding? = nil, _ call: ServerCall
    ) async throws -> String {
        let signer = try await PayloadSigner(signing, app: app, device: device)
        return try signer.sign(
            signer.appTransaction(found, applicationVersion: await applicationVersion(of: app.bundleId, call)))
    }

    func sign(
        _ transactions: [ServerTransaction], _ customer: TransactionLookupReply, _ app: ServerApp, _ call: ServerCall
    ) async throws -> [String] {
        try await sign(transactions, customer, by: PayloadSigner(signing, app: app), call)
    }

    func sign(
        _ transactions: [ServerTransaction], _ customer: TransactionLookupReply, by payloads: PayloadSigner,
        _ call: ServerCall
    ) async throws -> [String] {
        guard !transactions.isEmpty else { return [] }
        let signer = CustomerSigner(payloads, of: customer, await storefronts.all(call.context))
        return try transactions.map { try signer.transaction($0, at: customer.businessNow) }
    }
}

extension [ServerSubscription] {
    /// The subscriptions of each group. The customer's own comes first, and then those that the family shares.
    var groups: [[ServerSubscription]] {
        reduce(into: []) { groups, one in
            let name = one.subscription.subscriptionGroupIdentifier
            let index = groups.firstIndex { $0[0].subscription.subscriptionGroupIdentifier.isExactly(name) }
            if let index { groups[index].append(one) } else { groups.append([one]) }
        }
    }
}

/// Signs what one customer has bought.
struct CustomerSigner: Sendable {
    private let payloads: PayloadSigner
    private let appTransactionId: String
    private let storefronts: [ExactText: Storefront]

    /// - Parameter storefronts: Apple's numbers of the storefronts that transactions name.
    init(_ payloads: PayloadSigner, of customer: TransactionLookupReply, _ storefronts: [ExactText: Storefront]) {
        self.payloads = payloads
        appTransactionId = customer.appTransactionIdentifier
        self.storefronts = storefronts
    }

    func transaction(_ value: ServerTransaction, at now: Timestamp) throws -> String {
        try payloads.sign(
            payloads.transaction(value, appTransactionId: appTransactionId, storefronts: storefronts, at: now))
    }

    func status(_ value: ServerSubscription, at now: Timestamp) throws -> SignedSubscriptionStatus {
        SignedSubscriptionStatus(
            state: value.subscription.state.serverNumber,
            signedTransaction: try transaction(value.transaction, at: now),
            signedRenewalInfo: try payloads.sign(
                payloads.renewal(value, appTransactionId: appTransactionId, at: now)))
    }
}

/// The query of a history request.
struct HistoryQuery: Sendable {
    var revision: String?
    var filter = ServerTransactionFilter()
    var order = ModifiedTransactionsRequest.Order.changes
    var isDescending = false
    /// Whether no transaction can match.
    var isEmpty = false
    /// The parameters that select and order, for ``HistoryRevision``.
    private(set) var text: [String] = []

    /// Creates a query of all refunds.
    init(refundsAfter revision: String?) {
        self.revision = revision
        order = .refunds
    }

    /// Reads the query.
    /// - Throws: The error of the first invalid parameter.
    init(_ query: QueryParameters) throws(ServerAPIError) {
        revision = query.last("revision")
        filter.startDate = try Self.date(query.last("startDate"), else: .invalidStartDate)
        filter.endDate = try Self.date(query.last("endDate"), else: .invalidEndDate)
        if let start = filter.startDate, let end = filter.endDate, start >= end { throw .startDateAfterEndDate }
        filter.productIdentifiers = try Self.texts(query.all("productId"), else: .invalidProductId)
        filter.subscriptionGroupIdentifiers = try Self.texts(
            query.all("subscriptionGroupIdentifier"), else: .invalidSubscriptionGroupIdentifier)
        let types = try query.all("productType").map { text throws(ServerAPIError) in
            guard let type = ProductType(queryName: text) else { throw .invalidProductType }
            return type
        }
        filter.types = types.isEmpty ? nil : types
        switch query.last("sort") {
        case nil, "ASCENDING": break
        case "DESCENDING": isDescending = true
        default: throw .invalidSort
        }
        switch query.last("inAppOwnershipType") {
        case nil: break
        case "PURCHASED": filter.isFamilyShared = false
        case "FAMILY_SHARED": filter.isFamilyShared = true
        default: throw .invalidInAppOwnershipType
        }
        filter.isRevoked = try Self.flag(query.last("revoked"), else: .invalidRevoked)
        if try Self.flag(query.last("excludeRevoked"), else: .invalidExcludeRevoked) == true {
            // A transaction has to match both.
            if filter.isRevoked == true { isEmpty = true }
            filter.isRevoked = false
        }
        text = query.pairs.filter { !$0.hasPrefix("revision=") }
    }

    private static func flag(_ text: String?, else error: ServerAPIError) throws(ServerAPIError) -> Bool? {
        // Apple's Python library writes True and False.
        switch text?.lowercased() {
        case nil: nil
        case "true": true
        case "false": false
        default: throw error
        }
    }

    /// The end of the year 9999, after which nothing is bought. Servers send greater numbers for "until now".
    private static let lastMillisecond: Int64 = 253_402_300_799_999

    private static func date(_ text: String?, else error: ServerAPIError) throws(ServerAPIError) -> Timestamp? {
        guard let text else { return nil }
        guard let value = Int64(text), let instant = instant(value) else { throw error }
        return instant
    }

    /// Returns the instant of a number of milliseconds, at most the last. Nil for a negative one.
    static func instant(_ milliseconds: Int64) -> Timestamp? {
        milliseconds < 0 ? nil : Timestamp(milliseconds: min(milliseconds, lastMillisecond))
    }

    private static func texts(_ values: [String], else error: ServerAPIError) throws(ServerAPIError) -> [String]? {
        guard !values.contains(where: \.isEmpty) else { throw error }
        return values.isEmpty ? nil : values
    }
}

extension ProductType {
    /// Reads the name in queries.
    fileprivate init?(queryName: String) {
        switch queryName {
        case "CONSUMABLE": self = .consumable
        case "NON_CONSUMABLE": self = .nonConsumable
        case "NON_RENEWABLE": self = .nonRenewable
        case "AUTO_RENEWABLE": self = .autoRenewable
        default: return nil
        }
    }
}

extension ServerCall {
    /// The identifier of a transaction or app transaction in the path.
    func transactionId() throws(ServerAPIError) -> String {
        try Self.transactionId(parameters[.transactionId])
    }

    /// The identifier of an original transaction in the path.
    /// - Throws: `invalid` for text that is not a transaction's identifier.
    func originalTransactionId(
        else invalid: ServerAPIError = .invalidOriginalTransactionId
    ) throws(ServerAPIError) -> String {
        try Self.transactionId(parameters[.originalTransactionId], else: invalid)
    }

    /// Checks the identifier of a transaction or app transaction: decimal digits.
    static func transactionId(
        _ text: String?, else invalid: ServerAPIError = .invalidTransactionId
    ) throws(ServerAPIError) -> String {
        guard let text, (1...19).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw invalid }
        return text
    }
}

/// The `revision` of a page: the position of the next one, the customer and the query.
///
/// A client sends it back with the same query. Another customer's, or another query's, is refused. It never expires.
struct HistoryRevision: Hashable, Sendable {
    /// As ``ModifiedTransactionsPage/place``.
    let position: Int64
    /// A digest of customer, path and the query's other parameters.
    let scope: String

    init(position: Int64, scope: String) {
        self.position = position
        self.scope = scope
    }

    /// Reads a revision. Nil for any other text.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        guard parts.count == 2, let position = Int64(Substring(parts[0])), position >= 0 else { return nil }
        self.init(position: position, scope: String(Substring(parts[1])))
    }

    var text: String { "\(position)_\(scope)" }

    /// Makes a digest of the scope that a page belongs to.
    static func scope(of parts: [String]) -> String {
        // A length before each part: no two lists of parts have the same bytes.
        var hash = SHA256()
        for part in parts {
            hash.update(data: Array("\(part.utf8.count):".utf8))
            hash.update(data: Array(part.utf8))
        }
        return Hex.text(hash.finalize().prefix(8))
    }
}
