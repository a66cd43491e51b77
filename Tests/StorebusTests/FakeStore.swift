import EventLoop
import StoreHTTP
import StoreModels

@testable import Storebus

/// A store that answers by method and path, however often it is asked; what it does not know is a 404 problem.
final class FakeStore: StoreTransport {
    typealias Respond = @Sendable (StoreRequest) -> (status: Int, body: JSONValue)

    private let answers: Locked<[String: Respond]>
    private let streams = Locked<[String: @Sendable (StoreRequest) -> StoreStream]>([:])
    private let raw = Locked<[String: @Sendable (StoreRequest) -> [UInt8]]>(
        FakeStore.promotedBytes.merging(Signed.bytes) { $1 }.mapValues { bytes in { _ in bytes } })
    private let seen = Locked<[StoreRequest]>([])

    /// Whether others go on before an answer comes, as over a network.
    private let takesTime: Bool

    init(_ answers: [String: JSONValue] = FakeStore.usual, takesTime: Bool = false) {
        self.takesTime = takesTime
        self.answers = Locked(answers.mapValues { body in { _ in (200, body) } })
    }

    /// - Parameter key: `GET /readyz`.
    func answer(_ key: String, status: Int = 200, _ body: JSONValue) {
        answers.withLock { $0[key] = { _ in (status, body) } }
    }

    func answer(_ key: String, _ respond: @escaping Respond) { answers.withLock { $0[key] = respond } }

    /// Answers the operator's list of transactions, each of this account and app.
    func list(
        _ transactions: [PaymentTransaction], of account: String = "alice", in bundleId: String = "com.example.app",
        isFinished: Bool = false, after: String? = nil
    ) {
        answer(
            "GET /admin/v1/transactions",
            Self.page(transactions, of: account, in: bundleId, isFinished: isFinished, after: after))
    }

    private static func page(
        _ transactions: [PaymentTransaction], of account: String, in bundleId: String, isFinished: Bool, after: String?
    ) -> JSONValue {
        let record = TransactionsPage.Record(
            bundleId: bundleId, account: account, customerIdentifier: "c_1", isFinished: isFinished)
        return JSONText.value(
            TransactionsPage(transactions: transactions, records: transactions.map { _ in record }, after: after))
    }

    /// Lets `respond` answer first; nil leaves it to the answer of before.
    func precede(_ key: String, _ respond: @escaping @Sendable (StoreRequest) -> (Int, JSONValue)?) {
        answers.withLock { answers in
            let before = answers[key]
            answers[key] = { respond($0) ?? before?($0) ?? (404, StubTransport.problem(404, .notFound)) }
        }
    }

    /// Answers with what is no JSON.
    func answer(_ key: String, bytes: [UInt8]) { answer(key) { _ in bytes } }

    /// Answers with what is no JSON, and depends on the request.
    func answer(_ key: String, bytes respond: @escaping @Sendable (StoreRequest) -> [UInt8]) {
        raw.withLock { $0[key] = respond }
    }

    /// Answers `open`.
    func stream(_ key: String, _ respond: @escaping @Sendable (StoreRequest) -> StoreStream) {
        streams.withLock { $0[key] = respond }
    }

    /// Answers `open` with these pieces of a stream that stays open.
    func stream(_ key: String, _ pieces: [String]) {
        stream(key) { _ in
            StoreStream(
                bytes: AsyncThrowingStream<[UInt8], any Error> { continuation in
                    for piece in pieces { continuation.yield(Array(piece.utf8)) }
                })
        }
    }

    var requests: [StoreRequest] { seen.withLock { $0 } }

    func requests(_ method: StoreRequest.Method, _ path: String) -> [StoreRequest] {
        requests.filter { $0.method == method && Self.path($0) == path }
    }

    /// Without the query and the isolated store `t-7`.
    private static func path(_ request: StoreRequest) -> String {
        let path = request.path.split(separator: "?").first.map(String.init) ?? request.path
        return path.hasPrefix("/s/t-7/") ? String(path.dropFirst("/s/t-7".count)) : path
    }

    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse {
        seen.withLock { $0.append(request) }
        if takesTime { await Task.yield() }
        let key = "\(request.method.rawValue) \(Self.path(request))"
        let known = answers.withLock { $0[key] }
        if known == nil, let respond = raw.withLock({ $0[key] }) {
            return StoreResponse(status: 200, body: respond(request))
        }
        let (status, body) = known?(request) ?? (404, StubTransport.problem(404, .notFound))
        return StoreResponse(status: status, body: Array(JSONText.line(body).utf8))
    }

    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream {
        seen.withLock { $0.append(request) }
        guard let known = streams.withLock({ $0["\(request.method.rawValue) \(Self.path(request))"] }) else {
            throw CLIError(.usage, "this store has no streams")
        }
        return known(request)
    }

    /// The file is one body.
    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse {
        var request = request
        let reader = try UploadFile.Reader(file)
        var (body, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while let count = buffer.withUnsafeMutableBytes({ reader.read(into: $0) }), count > 0 {
            body += buffer[..<count]
        }
        if let failure = reader.failure { throw failure }
        request.body = body
        return try await send(request)
    }

    /// A command line against this store.
    func run(
        _ arguments: String..., variables: [String: String] = [:], terminal: Terminal = .none, answer: String? = nil,
        onStop: @escaping @Sendable (@escaping @Sendable () -> Void) -> AnyObject = Recorder.neverStopped
    ) async -> (status: CLIExit, said: Recorder) {
        await Recorder.run(
            arguments, variables: ["STOREBUS_ADMIN_KEY": "admin"].merging(variables) { $1 }, terminal: terminal,
            transport: self, answer: answer, onStop: onStop)
    }
}

/// No answer.
struct SilentStore: StoreTransport {
    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse {
        throw CLIError(.serverUnreachable, "no Storebus here", retryable: true)
    }

    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream {
        throw CLIError(.serverUnreachable, "no Storebus here", retryable: true)
    }

    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse {
        throw CLIError(.serverUnreachable, "no Storebus here", retryable: true)
    }
}

extension FakeStore {
    private static let app = "/admin/v1/apps/com.example.app"

    /// One of everything that can be listed.
    static let usual = everyday.merging(promoted) { $1 }.merging(Notified.answers) { $1 }
        .merging(Signed.answers) { $1 }

    private static let everyday: [String: JSONValue] = [
        "POST /v1/sessions": JSONText.value(Fixtures.session),
        "POST /v1/products/query": JSONText.value(
            ProductsResponse(products: [products[0]], invalidProductIdentifiers: [], degraded: [])),
        "POST /v1/payments": JSONText.value(purchased),
        "GET /v1/transactions": JSONText.value(TransactionsPage(transactions: [purchased, restored])),
        "POST /v1/transactions/t_1/finish": JSONText.value(purchased),
        "POST /v1/restore": ["restoreIdentifier": "r_1"],
        "GET /v1/restores/r_1": ["state": "finished", "restored": 1],
        "POST /v1/downloads/d_1/start": JSONText.value(Fixtures.download(.active)),
        "POST /v1/downloads/d_1/pause": JSONText.value(Fixtures.download(.paused)),
        "POST /v1/downloads/d_1/resume": JSONText.value(Fixtures.download(.active)),
        "POST /v1/downloads/d_1/cancel": JSONText.value(Fixtures.download(.cancelled)),
        "POST /v1/downloads/d_1/finish": JSONText.value(Fixtures.download(.finished)),
        "PUT \(app)/products/hidden-beaches/content": JSONText.value(Fixtures.content),
        "GET \(app)/products/hidden-beaches/content": JSONText.value(Fixtures.content),
        "POST /admin/v1/transactions/t_1/redeliver": JSONText.value(redelivered),
        "POST /admin/v1/transactions/t_1/approve": JSONText.value(purchased),
        "POST /admin/v1/transactions/t_1/decline": JSONText.value(failed),
        "POST /admin/v1/transactions/t_1/resolve": JSONText.value(resolved),
        "DELETE /admin/v1/transactions/t_1": .object([:]),
        "GET \(app)/clock": clock(),
        "PUT \(app)/clock": clock(),
        "POST \(app)/clock/advance": JSONText.value(Subscribed.advance),
        "GET /admin/v1/subscriptions": ["subscriptions": .array([JSONText.value(Subscribed.subscription)])],
        "GET /admin/v1/subscriptions/2000000000000001/timeline": JSONText.value(Subscribed.timeline),
        "POST /admin/v1/transactions/t_4/disableAutoRenew": Subscribed.operated,
        "POST /admin/v1/transactions/t_4/enableAutoRenew": Subscribed.operated,
        "POST /admin/v1/transactions/t_4/renew": Subscribed.renewed,
        "POST /admin/v1/transactions/t_4/expire": Subscribed.operated,
        "POST /admin/v1/transactions/t_4/extend": Subscribed.operated,
        "POST /admin/v1/transactions/t_4/failNextRenewal": Subscribed.operated,
        "POST /admin/v1/transactions/t_4/resolveBilling": Subscribed.renewed,
        "PUT /v1/subscriptions/2000000000000001": JSONText.value(Subscribed.subscription),
        "POST /admin/v1/transactions/t_1/refund": JSONText.value(Subscribed.refunded),
        "POST /admin/v1/transactions/t_1/revoke": JSONText.value(Subscribed.refunded),
        "POST /admin/v1/transactions/t_1/refundRequest": JSONText.value(refundRequest(.open)),
        "GET \(app)/refund-requests": JSONText.value(RefundRequestsPage(refundRequests: [refundRequest(.open)])),
        "POST /admin/v1/refundRequests/q_01j2k9f/grant": JSONText.value(refundRequest(.granted)),
        "POST /admin/v1/refundRequests/q_01j2k9f/decline": JSONText.value(refundRequest(.declined)),
        "POST \(app)/purchases": JSONText.value(purchased),
        "GET /v1/eligibility": JSONText.value(Subscribed.eligibility),
        "GET /v1/receipt": ["receiptData": "MIITfakereceipt"],
        "POST /verifyReceipt": Subscribed.verified,
        "GET /readyz": ["bus": "connected", "ready": true, "services": ["catalog": "answering"]],
        "GET /admin/v1/services": services,
        "GET /admin/v1/traces": JSONText.value(Traced.response),
        "GET /admin/v1/chaos/runs": ["runs": [chaosRun]],
        "GET /admin/v1/stores": JSONText.value(IsolatedStoresResponse(stores: [isolatedStore])),
        "POST /admin/v1/stores": JSONText.value(madeStore),
        "POST /admin/v1/stores/file": JSONText.value(madeStore),
        "POST /admin/v1/stores/t-7/fork": JSONText.value(madeStore),
        "POST /admin/v1/stores/t-7/snapshot": JSONText.value(snapshot),
        "DELETE /admin/v1/stores/t-7": .object([:]),
        "GET /admin/v1/apps": JSONText.value(AppsPage(apps: [Promoted.app])),
        "GET \(app)/products": JSONText.value(ProductsPageResponse(products: products)),
        "GET \(app)/products/pro.monthly/explain": explanation,
        "GET \(app)/products/pro.month/explain": unknownProduct,
        "GET \(app)/products/pro.monthly/offers": JSONText.value(offers),
        "GET \(app)/products/pro.monthly/prices": prices,
        "GET \(app)/catalog": [
            "version": ["major": 4, "minor": 0],
            "products": [["productID": "hidden-beaches", "hostedContent": ["version": "1.0"]]],
            "subscriptionGroups": [
                [
                    "id": "pro", "name": "Pro",
                    "subscriptions": [
                        [
                            "productID": "pro.monthly", "groupNumber": 2, "adHocOffers": [["offerID": "loyal"]],
                            "codeOffers": [["referenceName": "SPRING"]], "winbackOffers": [["offerID": "back"]],
                        ],
                        ["productID": "pro.yearly", "groupNumber": 1], ["productID": "pro.weekly", "groupNumber": 2],
                    ],
                ]
            ],
        ],
        "DELETE \(app)": .object([:]),
        "PUT \(app)/catalog": importReport,
        "GET \(app)/keys": ["keys": [["keyIdentifier": "K1", "kind": "api", "createdAt": "2026-11-21T10:00:00.000Z"]]],
        "POST \(app)/keys": [
            "keyIdentifier": "K2", "kind": "api", "createdAt": "2026-11-21T10:00:00.000Z", "secret": "s3cret",
        ],
        "GET \(app)/codes": JSONText.value(OfferCodesPage(codes: [word, batch])),
        "POST \(app)/codes": JSONText.value(madeBatch),
        "PUT \(app)/codes/o_0": JSONText.value(word),
        "PUT \(app)/codes/o_1": JSONText.value(batch),
        "POST /v1/codes/SPRING26/redeem": JSONText.value(
            PurchaseResponse(outcome: .purchased, transaction: purchased, signedTransaction: "e30.e30.AA")),
        "GET \(app)/families": JSONText.value(FamiliesPage(families: [smith])),
        "PUT \(app)/families/smith": JSONText.value(smith),
        "DELETE \(app)/families/smith": .object([:]),
        "PUT \(app)/families/smith/members/bob": JSONText.value(smith),
        "DELETE \(app)/families/smith/members/bob": JSONText.value(smith),
        "DELETE \(app)/keys/K1": .object([:]),
        "GET /admin/v1/keys": [
            "keys": [["keyIdentifier": "K9", "kind": "inAppPurchase", "createdAt": "2026-11-21T10:00:00.000Z"]]
        ],
        "POST /admin/v1/keys": [
            "keyIdentifier": "K3", "kind": "inAppPurchase", "createdAt": "2026-11-21T10:00:00.000Z", "secret": "s3cret",
            "issuerId": "i1",
        ],
        "DELETE /admin/v1/keys/K9": .object([:]),
        "POST \(app)/reset": ["removedTransactions": 1],
        "DELETE \(app)/transactions": ["removed": 1],
        "GET /admin/v1/storefronts": storefronts,
        "GET /admin/v1/transactions": transactions,
        "GET /admin/v1/testers": ["testers": .array([alice])],
        "GET /admin/v1/testers/alice": alice,
        "PUT /admin/v1/testers/alice": alice,
        "DELETE /admin/v1/testers/alice": .object([:]),
        "GET /admin/v1/prompts": ["prompts": .array([prompt])],
        "POST /admin/v1/prompts/p_1": prompt,
        "POST /console/tickets": ["ticket": "AgAAAZtest", "expiresAt": "2026-11-22T10:00:00.000Z"],
        "GET /admin/v1/events/wait": ["events": .array([event]), "after": "e_8"],
    ]

    static let smith = Family(
        family: "smith",
        persons: ["alice", "bob"].map { account in
            FamilyPerson(
                account: account, isOrganiser: account == "alice", sharesPurchases: account == "alice",
                receivesPurchases: true, joinedAt: Timestamp(milliseconds: 1_795_000_000_000))
        })
    static let word = OfferCode(
        codeIdentifier: "o_0", kind: .custom, code: "SPRING26", productIdentifier: "pro.monthly", offer: "SPRING",
        redemptionsMax: 500, redemptions: 3, isActive: false, createdAt: Timestamp(milliseconds: 1_795_000_000_000))
    static let batch = OfferCode(
        codeIdentifier: "o_1", kind: .oneTime, productIdentifier: "pro.monthly", offer: "SPRING", redemptionsMax: 2,
        redemptions: 0, isActive: true, expiresAt: Timestamp(milliseconds: 1_802_776_000_000),
        createdAt: Timestamp(milliseconds: 1_795_000_000_000))
    static let madeBatch = with(batch) { $0.oneTimeCodes = ["00000000AAAAAAAA", "11111111BBBBBBBB"] }

    /// At real time, with something due in a week.
    static func clock(
        now: String = "2026-11-21T10:00:00.000Z", rate: JSONValue = "realTime", isFrozen: Bool = false,
        nextEvent: JSONValue = "2026-11-28T10:00:04.000Z"
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "bundleId": "com.example.app", "now": .string(now), "rate": rate, "frozen": .bool(isFrozen), "epoch": 3,
        ]
        if nextEvent != .null { members["nextEvent"] = nextEvent }
        return .object(members)
    }

    static let products = [
        Fixtures.product("pro.monthly", "9.99", period: .init(numberOfUnits: 1, unit: .month), trial: true),
        Fixtures.hosted("hidden-beaches", "1.99"),
    ]

    static let explanation = JSONText.value(
        ProductExplanation(
            productIdentifier: "pro.monthly", storefront: "FRA", reasons: [.notApproved],
            details: ["Set its state to approved."]))

    /// One of each kind.
    static let offers: ProductOffers = {
        func offer(_ identifier: String, _ amount: String, _ mode: ProductDiscount.PaymentMode, _ count: Int)
            -> ProductDiscount
        {
            ProductDiscount(
                identifier: identifier, type: .subscription, price: Fixtures.money(amount),
                priceLocale: "en_US@currency=USD", paymentMode: mode,
                subscriptionPeriod: .init(numberOfUnits: 1, unit: .month), numberOfPeriods: count)
        }
        return ProductOffers(
            productIdentifier: "pro.monthly", storefront: "USA", introductoryPrice: products[0].introductoryPrice,
            discounts: [offer("loyal", "1.99", .payAsYouGo, 3)],
            redeemableOffers: [
                RedeemableOffer(
                    type: .code, offer: offer("SPRING", "0.00", .freeTrial, 1), audiences: [.new, .expired],
                    isStackable: true),
                RedeemableOffer(
                    type: .winBack, offer: offer("back", "0.00", .freeTrial, 1),
                    winBack: .init(
                        paidMonthsMin: 6, monthsSinceExpiryMin: 2, monthsSinceExpiryMax: 24, monthsBetweenOffers: 3)),
                RedeemableOffer(
                    type: .winBack, offer: offer("closed", "0.00", .freeTrial, 1),
                    winBack: .init(paidMonthsMin: 0, monthsSinceExpiryMin: 0, isOffered: false)),
            ])
    }()

    static let unknownProduct = JSONText.value(
        ProductExplanation(
            productIdentifier: "pro.month", storefront: "USA", reasons: [.unknown], details: ["No app has it."]))

    static let prices = JSONText.value(
        ProductPrices(
            productIdentifier: "pro.monthly",
            prices: [
                .init(
                    storefront: "USA", available: true, price: Fixtures.money("9.99"),
                    priceLocale: "en_US@currency=USD", subscriptionPeriod: .init(numberOfUnits: 1, unit: .month)),
                .init(storefront: "CHN", available: false, reasons: ["storefrontUnavailable"]),
            ]))

    static let importReport = JSONText.value(
        ImportReport(
            bundleId: "com.example.app", catalogVersion: 7, fileVersion: "4.0", productCount: 3,
            subscriptionGroupCount: 1, introductoryOfferCount: 1, settingsApplied: ["_storefront"],
            settingsIgnored: ["_locale"], notes: ["prices exist for USA only"]))

    static let storefronts = JSONText.value(
        StorefrontDescriptions(storefronts: [
            .init(
                countryCode: "USA", identifier: "143441", name: "United States", currency: Fixtures.dollar,
                locale: "en_US", languages: ["en_US", "es_MX"]),
            .init(
                countryCode: "FRA", identifier: "143442", name: "France", currency: Fixtures.dollar, locale: "fr_FR",
                languages: ["fr_FR"]),
        ]))

    static let purchased = Fixtures.transaction(
        "t_1", .purchased, identifier: "2000000000000001", downloads: [Fixtures.download(.waiting)])

    static let redelivered = with(purchased) { $0.revision += 1 }

    static let failed: PaymentTransaction = {
        var transaction = Fixtures.transaction("t_1", .failed)
        transaction.error = TransactionError(.paymentInvalid, "Nobody pays like that.")
        return transaction
    }()

    /// In the place of one that was interrupted.
    static let resolved: PaymentTransaction = {
        var transaction = Fixtures.transaction("t_3", .purchased, identifier: "2000000000000003")
        transaction.supersedes = "t_1"
        return transaction
    }()

    static let restored: PaymentTransaction = {
        var transaction = Fixtures.transaction("t_2", .restored, identifier: "2000000000000002")
        transaction.original = OriginalTransaction(
            Fixtures.transaction("t_0", .purchased, identifier: "1000000000000009"))
        transaction.originalTransactionIdentifier = "1000000000000009"
        return transaction
    }()

    static let transactions = page(
        [purchased], of: "alice", in: "com.example.app", isFinished: false, after: nil)

    static let alice: JSONValue = [
        "account": "alice", "storefront": "FRA", "canMakePayments": true, "askToBuy": false,
        "interruptPurchases": false, "signIn": "ok", "sheet": "decline:paymentInvalid",
        "subscriptionRenewalRate": "realTime", "simulatedErrors": ["purchase": "unknown"],
        "overrides": ["storefront": "FRA", "sheet": "decline:paymentInvalid"],
    ]

    static let prompt = JSONText.value(
        Prompt(
            id: "p_1", kind: .sheet, bundleId: "com.example.app", account: "alice", transaction: purchased,
            createdAt: Timestamp(milliseconds: 1_795_255_204_000), answers: [.approve, .cancel, .decline]))

    static func refundRequest(_ state: CustomerRefundRequest.State) -> CustomerRefundRequest {
        CustomerRefundRequest(
            refundRequestIdentifier: "q_01j2k9f", transactionId: "t_1", transactionIdentifier: "2000000000000001",
            bundleId: "com.example.app", account: "alice", state: state, reason: .fulfillmentIssue,
            requestedAt: Timestamp(milliseconds: 1_795_255_204_000),
            decidedAt: state == .open ? nil : Timestamp(milliseconds: 1_795_255_264_000))
    }

    static let event = JSONText.value(
        StoreEvent(
            id: "e_8", type: .purchased, at: Timestamp(milliseconds: 1_795_255_204_000), bundleId: "com.example.app",
            account: "alice", transaction: purchased))

    static let isolatedStore = IsolatedStore(
        store: "t-7", bundleId: "com.example.app", state: .open, seed: 42,
        createdAt: Timestamp(milliseconds: 1_795_255_204_000), expiresAt: Timestamp(milliseconds: 1_795_258_804_000))

    static let snapshot = IsolatedStore(
        store: "t-8", bundleId: "com.example.app", state: .snapshot, snapshot: "subscribed", seed: 42,
        createdAt: Timestamp(milliseconds: 1_795_255_204_000), expiresAt: Timestamp(milliseconds: 1_795_258_804_000))

    static let madeStore = IsolatedStoreResponse(
        store: "t-7", url: "http://store/s/t-7", bundleId: "com.example.app", issuerId: "i7", keyId: "K7",
        privateKey: "s3cret", adminKey: "t-7_k3y", rootCertificate: "MIIB", seed: 42,
        expiresAt: Timestamp(milliseconds: 1_795_258_804_000))

    static let chaosRun: JSONValue = [
        "id": "5c1", "seed": "7", "startedAt": "2026-11-21T10:00:00.000Z", "updatedAt": "2026-11-21T10:01:00.000Z",
        "phase": "ended", "operations": 3100, "faultCount": 4, "verdict": "valid", "lost": 0, "doubleCharges": 0,
        "worstRecoveryMilliseconds": 1900,
    ]

    static let services: JSONValue = [
        "bus": "connected", "missing": ["eligibility"],
        "services": [
            [
                "name": "catalog", "id": "i1", "version": "0.1.0", "status": "warn",
                "startedAt": "2026-11-21T10:00:00.000Z",
                "checks": ["database": ["status": "warn", "message": "slow"], "bus": ["status": "pass"]],
                "endpoints": [
                    [
                        "name": "app.get", "subject": "sb.catalog.v1.app.get", "requests": 12, "errors": 1,
                        "averageProcessingMs": .number("0.25"), "lastError": "notFound",
                    ]
                ],
            ]
        ],
    ]
}

extension JSONValue: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}
