import StoreHTTP
import StoreModels
import Testing

@testable import Gateway

/// The schemas of `openapi.json` are the models' shapes.
@Suite struct OpenAPIShapeTests {
    private let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument() }

    private func values(_ schema: String) -> [String] {
        (document.schema(schema)?["enum"]?.arrayValue ?? []).compactMap(\.stringValue)
    }

    @Test func `enumerations have the models' names, in StoreKit's order`() throws {
        #expect(values("TransactionState") == TransactionState.allCases.map(\.rawValue))
        #expect(values("ProductType") == ProductType.allCases.map(\.rawValue))
        #expect(values("OfferEligibility") == OfferEligibility.allCases.map(\.rawValue))
        #expect(values("PeriodUnit") == SubscriptionPeriod.Unit.allCases.map(\.rawValue))
        #expect(values("PaymentMode") == ProductDiscount.PaymentMode.allCases.map(\.rawValue))
        #expect(values("DiscountType") == ProductDiscount.Kind.allCases.map(\.rawValue))
        #expect(values("DownloadState") == Download.State.allCases.map(\.rawValue))
        #expect(values("SKErrorName") == SKErrorCode.allCases.map(\.name))
        #expect(values("Platform") == DeviceLaunch.Platform.allCases.map(\.rawValue))
        #expect(values("PromotedPurchases") == DeviceLaunch.PromotedPurchases.allCases.map(\.rawValue))
        #expect(values("SignIn") == TesterSettings.SignIn.allCases.map(\.rawValue))
        #expect(values("PriceConsent") == TesterSettings.PriceConsent.allCases.map(\.rawValue))
        #expect(values("PriceIncreaseStatus") == PriceIncrease.Status.allCases.map(\.rawValue))
        #expect(values("SubscriptionRenewalRate") == SubscriptionRenewalRate.allCases.map(\.rawValue))
        #expect(values("PromptKind") == Prompt.Kind.allCases.map(\.rawValue))
        #expect(values("PromptChoice") == Prompt.Answer.allCases.map(\.rawValue))
        #expect(values("KeyKind") == KeyKind.allCases.map(\.rawValue))
        #expect(values("ProcessorMode") == ProcessorMode.allCases.map(\.rawValue))
        #expect(values("RestoreState") == Restore.State.allCases.map(\.rawValue))
        #expect(values("SubscriptionState") == SubscriptionState.allCases.map(\.rawValue))
        #expect(values("ExpirationReason") == Subscription.ExpirationReason.allCases.map(\.rawValue))
        #expect(values("SubscriptionEventKind") == SubscriptionEvent.Kind.allCases.map(\.rawValue))
        #expect(values("OfferType") == AppliedOffer.Kind.allCases.map(\.rawValue))
        #expect(values("EligibilityRule") == IntroductoryOfferPolicy.Rule.allCases.map(\.rawValue))
        #expect(values("StoreEventType") == StoreEvent.Kind.allCases.map(\.rawValue))
        #expect(values("IntentState") == PurchaseIntent.State.allCases.map(\.rawValue))
        #expect(values("IntentSource") == PurchaseIntent.Source.allCases.map(\.rawValue))
        #expect(values("IntentDeferral") == PurchaseIntent.Deferral.allCases.map(\.rawValue))
        #expect(values("IntentEventType") == IntentEvent.Kind.allCases.map(\.rawValue))
        #expect(values("DecisionName") == DecideIntentRequest.Decision.allCases.map(\.rawValue))
        #expect(values("StartOutcome") == StartPurchaseReply.Outcome.allCases.map(\.rawValue))
        #expect(values("TapSource") == StorePurchase.Source.allCases.map(\.rawValue))
        #expect(values("Visibility") == StorePromotionVisibility.allCases.map(\.rawValue))
        #expect(values("PromotionReason") == PromotionExplanation.Reason.allCases.map(\.rawValue))
        #expect(values("ImageState") == PromotionImage.State.allCases.map(\.rawValue))
        #expect(values("ImageFormat") == PromotionImage.Format.allCases.map(\.rawValue))
        #expect(values("UnavailabilityReason") == ProductExplanation.Reason.allCases.map(\.rawValue))
    }

    @Test(arguments: [
        "TransactionState", "PeriodUnit", "PaymentMode", "DiscountType", "DownloadState", "SKErrorName", "Visibility",
    ])
    func `StoreKit's raw values count from 0`(schema: String) throws {
        let numbers = document.schema(schema)?["x-enum-values"]?.objectValue ?? [:]
        let expected = Dictionary(uniqueKeysWithValues: values(schema).enumerated().map { ($1, $0) })
        #expect(numbers.compactMapValues(\.intValue) == expected)
    }

    @Test(arguments: ["SubscriptionState", "ExpirationReason", "OfferType"])
    func `the raw values of Apple's server count from 1`(schema: String) throws {
        let numbers = document.schema(schema)?["x-enum-values"]?.objectValue ?? [:]
        let expected = Dictionary(uniqueKeysWithValues: values(schema).enumerated().map { ($1, $0 + 1) })
        #expect(numbers.compactMapValues(\.intValue) == expected)
    }

    @Test func `the payment sheet's errors are SKError's`() throws {
        let pattern = try #require(document.schema("Sheet")?["pattern"]?.stringValue)
        let expression = try Regex(pattern)
        for code in SKErrorCode.allCases {
            for text in ["decline:\(code.name)", "decline:\(code.rawValue)"] {
                #expect(text.wholeMatch(of: expression) != nil && PaymentSheetAnswer(text) != nil, "\(text)")
            }
        }
        for text in ["auto", "approve", "cancel", "interactive", "decline"] {
            #expect(text.wholeMatch(of: expression) != nil && PaymentSheetAnswer(text) != nil, "\(text)")
        }
        for text in ["", "Auto", "decline:", "decline:21", "decline:nonsense"] {
            #expect(text.wholeMatch(of: expression) == nil && PaymentSheetAnswer(text) == nil, "\(text)")
        }
    }

    @Test func `the stream's events are those the gateway writes`() throws {
        let usa = Storefront(countryCode: "USA", identifier: "143441")
        let failure = TransactionError(.paymentCancelled, "cancelled")
        let written = try [
            StreamEventEncoder.bytes(
                .restoreEnded(seq: 1, Restore(restoreIdentifier: "r", state: .finished, restored: 0))),
            StreamEventEncoder.bytes(
                .restoreEnded(
                    seq: 1, Restore(restoreIdentifier: "r", state: .failed, error: failure, restored: 0))),
            StreamEventEncoder.bytes(.downloadsUpdated(seq: 1, [])),
            StreamEventEncoder.bytes(.entitlementsRevoked(seq: 1, Revocation(seq: 1, productIdentifiers: []))),
            StreamEventEncoder.bytes(.updated(seq: 1, [])), StreamEventEncoder.bytes(.removed(seq: 1, [])),
            StreamEventEncoder.bytes(.synchronized(seq: 1)), StreamEventEncoder.bytes(.storefrontChanged(seq: 1, usa)),
            StreamEventEncoder.superseded(seq: 1),
            StreamEventEncoder.bytes(
                .priceConsentPending(
                    seq: 1,
                    PriceConsentQuestion(
                        originalTransactionIdentifier: "1", productIdentifier: "p", price: Sample.pro.price,
                        formerPrice: Sample.pro.price))),
            StreamEventEncoder.bytes(.openApp(seq: 1, intentIdentifier: "i")),
            StreamEventEncoder.bytes(.promotedPurchase(seq: 1, Sample.intent("i"))),
        ].map { bytes in
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
            let data = try StrictJSON.parse(Array(lines[2][1].utf8)).objectValue ?? [:]
            return "\(lines[0][1]): \(data.keys.sorted().joined(separator: " "))"
        }
        let response = document.operations["GET /v1/transactions/stream"]?.value["responses"]?["200"]
        let documented = response?["content"]?["text/event-stream"]?["schema"]?["oneOf"]?.arrayValue ?? []
        let events = try documented.map { event in
            let properties = try #require(event["properties"])
            let name = properties["event"]?["const"]?.stringValue ?? ""
            let data = properties["data"]?["contentSchema"].flatMap(document.resolved)
            let members = (data?["properties"]?.objectValue ?? [:]).keys
            return "\(name): \(members.sorted().joined(separator: " "))"
        }
        #expect(events.sorted() == written.sorted())
    }

    private func members(_ schema: String) -> Set<String> {
        Set((document.schema(schema)?["properties"]?.objectValue ?? [:]).keys)
    }

    private func written(_ value: some Encodable) throws -> Set<String> {
        Set((try StrictJSON.parse(try StoreJSON.encode(value)).objectValue ?? [:]).keys)
    }

    /// Checks that models and schemas have the same members.
    @Test func `purchases have the members the models write`() throws {
        var transaction = with(
            PaymentTransaction(
                id: "t", transactionState: .purchased, payment: Sample.payment("t"), revision: 1, originDeviceId: "d",
                price: Money(minorUnits: 1, currency: Sample.dollars))
        ) {
            $0.supersedes = "x"
            $0.expiresDate = .wallClock()
            $0.isTrialPeriod = true
            $0.isInIntroOfferPeriod = true
            $0.isUpgraded = true
            $0.revocationDate = .wallClock()
            $0.revocationReason = .other
            ($0.revocationType, $0.revocationPercentage) = (.refundFull, 100_000)
            $0.offer = AppliedOffer(type: .introductory, paymentMode: .freeTrial)
        }
        transaction.warnings = ["finishedWithPendingDownloads"]
        let increase = PriceIncrease(status: .pending, price: Sample.pro.price, formerPrice: Sample.pro.price)
        let moved = StorefrontChange(
            storefront: Storefront(countryCode: "FRA", identifier: "143442"), answerBy: .wallClock())
        (transaction.priceIncrease, transaction.storefrontChange) = (increase, moved)
        #expect(try members("PriceIncrease") == written(increase))
        #expect(try members("StorefrontChange") == written(moved))
        #expect(try members("Transaction") == written(transaction))
        let payment = Payment(
            requestIdentifier: "k", productIdentifier: "p", applicationUsername: "u", appAccountToken: "a",
            paymentDiscount: PaymentDiscount(
                identifier: "i", keyIdentifier: "k", nonce: "n", signature: "s", timestamp: 1),
            intentIdentifier: "i")
        #expect(try members("Payment") == written(payment))
        let error = TransactionError(.unknown, "", reason: "r", underlying: 3532).dueTo("sheet")
        #expect(try members("TransactionError") == written(error))
        #expect(
            try members("StoreEvent")
                == written(
                    StoreEvent(id: "e", type: .purchased, bundleId: "a", account: "b", transaction: transaction)))
        #expect(
            try members("Prompt")
                == written(
                    with(
                        Prompt(
                            id: "p", kind: .sheet, bundleId: "a", account: "b", transaction: transaction,
                            createdAt: .wallClock(), answers: [])
                    ) {
                        $0.productIdentifier = "p"
                        $0.appPrice = Sample.pro.price
                        $0.times = 1
                        $0.priceIncrease = increase
                    }))
    }

    @Test func `what operators read has the members the models write`() throws {
        let record = TransactionsPage.Record(
            bundleId: "a", account: "b", customerIdentifier: "c", isFinished: true, orderId: "M1")
        #expect(try members("TransactionRecord") == written(record))
        let transaction = Sample.purchased("t")
        let recorded = RecordedTransaction(transaction: transaction, record: record)
        #expect(try written(recorded).subtracting(written(transaction)) == ["record"])
        let parts = document.schema("RecordedTransaction")?["allOf"]?.arrayValue ?? []
        #expect(parts.first?["$ref"] == "#/components/schemas/Transaction")
        #expect(parts.last?["properties"]?.objectValue?.keys.sorted() == ["record"])
        #expect(try StoreJSON.decode(RecordedTransaction.self, from: StoreJSON.encode(recorded)) == recorded)
        #expect(try members("LastEvents") == written(EventsReply(events: [], after: "1.")))
        #expect(
            try members("RefundRequests") == written(RefundRequestsPage(refundRequests: [], after: "q_1")))
    }

    @Test func `what clearing answers has the members the gateway writes`() throws {
        #expect(try members("ResetReport") == written(ResetResponse(removedTransactions: 1, cancelledIntents: 1)))
        #expect(try members("ClearReport") == written(HistoryResponse(removed: 1, cancelledIntents: 1)))
    }

    @Test func `restores and downloads have the members the models write`() throws {
        let error = TransactionError(.unknown, "")
        let restore = Restore(
            restoreIdentifier: "r", state: .failed, error: error, restored: 0, applicationUsername: "u")
        #expect(try members("Restore") == written(restore))
        #expect(try members("RestoreAccepted") == written(RestoreAccepted(restoreIdentifier: "r")))
        let download = Download(
            id: "d", transactionId: "t", state: .failed, contentIdentifier: "c", contentVersion: "1.0",
            contentLength: 1, error: error)
        #expect(try members("Download") == written(download))
        let content = HostedContent(contentIdentifier: "c", contentVersion: "1.0", contentLength: 1, sha256: "")
        #expect(try members("HostedContent") == written(content))
    }

    @Test func `subscriptions have the members the models write`() throws {
        let offer = AppliedOffer(type: .winBack, paymentMode: .freeTrial, identifier: "o")
        var subscription = Sample.subscription
        subscription.gracePeriodExpiresDate = .wallClock()
        subscription.renewalPrice = Sample.pro.price
        subscription.priceIncrease = PriceIncrease(
            status: .agreed, price: Sample.pro.price, formerPrice: Sample.pro.price)
        subscription.expirationReason = .other
        subscription.offer = offer
        subscription.bundleId = "a"
        subscription.account = "b"
        #expect(try members("Subscription") == written(subscription))
        let page = SubscriptionsPage(subscriptions: [], after: "a", businessNow: .wallClock())
        #expect(try members("Subscriptions") == written(page))
        let event = with(
            SubscriptionEvent(
                at: .wallClock(), kind: .renewed, account: "a", originalTransactionIdentifier: "1",
                productIdentifier: "p", amount: Sample.pro.price, transactionIdentifier: "2", period: 1,
                expiresDate: .wallClock())
        ) {
            $0.offer = offer
            $0.detail = "d"
        }
        #expect(try members("SubscriptionEvent") == written(event))
        let timeline = SubscriptionTimeline(subscription: subscription, events: [event], after: "a")
        #expect(try members("Timeline") == written(timeline))
        let reply = OperateSubscriptionReply(subscription: subscription, transaction: Sample.purchased("t"))
        #expect(try members("OperatedSubscription") == written(reply))
    }

    @Test func `the App Store Server API has the members the gateway writes`() throws {
        let app = ServerApp(bundleId: "a", environment: .production, appAppleId: 1)
        let history = ServerHistoryResponse(revision: "r", hasMore: false, app: app, signedTransactions: [])
        #expect(try members("ServerHistory") == written(history))
        let refunds = RefundHistoryResponse(signedTransactions: [], revision: "r", hasMore: false)
        #expect(try members("ServerRefundHistory") == written(refunds))
        #expect(try members("ServerRefunds") == written(RefundLookupResponse(signedTransactions: [])))
        #expect(try members("ServerOrder") == written(OrderLookupResponse(status: 0, signedTransactions: [])))
        #expect(try members("ServerSubscriptionStatuses") == written(SubscriptionStatusesResponse(app: app, data: [])))
        let groups = document.schema("ServerSubscriptionStatuses")?["properties"]?["data"]?["items"]?["properties"]
        let item = SubscriptionStatusesResponse.Item(
            status: 1, originalTransactionId: "1", signedTransactionInfo: "", signedRenewalInfo: "")
        let items = groups?["lastTransactions"]?["items"]?["properties"]?.objectValue ?? [:]
        #expect(try Set(items.keys) == written(item))
        let group = SubscriptionStatusesResponse.Group(subscriptionGroupIdentifier: "g", lastTransactions: [])
        #expect(try Set((groups?.objectValue ?? [:]).keys) == written(group))
        #expect(try members("ServerTransactionInfo") == written(TransactionInfoResponse(signedTransactionInfo: "")))
        let download = AppTransactionInfoResponse(signedAppTransactionInfo: "")
        #expect(try members("ServerAppTransactionInfo") == written(download))
        #expect(
            try members("ServerAPIError") == written(ServerAPIErrorResponse(errorCode: 1, errorMessage: "")))
        #expect(
            try members("ServerAPISettings")
                == written(
                    ServerAPISettings(environment: .xcode, appAppleId: 1, rateLimits: .sandbox)))
        #expect(members("ServerAPISettings") == known(ServerAPISettings.self))
        #expect(values("AppStoreEnvironment") == AppStoreEnvironment.allCases.map(\.rawValue))
    }

    @Test func `signing has the members the gateway reads and writes`() throws {
        #expect(values("CertificateRotation") == CertificateRotation.allCases.map(\.rawValue))
        #expect(values("OCSPMode") == OCSPMode.allCases.map(\.rawValue))
        #expect(values("BrokenSignature") == BrokenSignature.allCases.map(\.rawValue))
        let kinds = document.schema("IssueRequest")?["properties"]?["kind"]?["enum"]?.arrayValue ?? []
        #expect(kinds.compactMap(\.stringValue) == IssueRequest.Kind.allCases.map(\.rawValue))
        #expect(members("IssueRequest") == known(IssueRequest.self, #"{"kind":"transaction","of":"1"}"#))
        #expect(members("RotateRequest") == known(RotateRequest.self, #"{"authority":"leaf"}"#))
        #expect(members("OCSPSetting") == known(OCSPSetting.self, #"{"mode":"good"}"#))
        let state = SigningResponse(chain: [], ocsp: .init(mode: .good, url: "u"))
        #expect(try members("SigningState") == written(state))
        let responder = document.schema("SigningState")?["properties"]?["ocsp"]?["properties"]?.objectValue ?? [:]
        #expect(try Set(responder.keys) == written(state.ocsp))
        #expect(try members("IssuedPayload") == written(IssueResponse(jws: "")))
    }

    @Test func `signed payloads have the members the gateway signs`() throws {
        let app = ServerApp(bundleId: "a", environment: .production, appAppleId: 1)
        let instant = Timestamp(milliseconds: 1)
        let offer = AppliedOffer(
            type: .winBack, paymentMode: .freeTrial, identifier: "o",
            period: SubscriptionPeriod(numberOfUnits: 1, unit: .month))
        let item = with(
            ReceiptItem(
                transactionIdentifier: "1", originalTransactionIdentifier: "1", productIdentifier: "p",
                type: .autoRenewable, quantity: 1, purchaseDate: instant, originalPurchaseDate: instant,
                expiresDate: instant, subscriptionGroupIdentifier: "g")
        ) {
            $0.webOrderLineItemIdentifier = "1"
            $0.appAccountToken = "t"
            $0.cancellationDate = instant
            $0.cancellationReason = .other
            ($0.revocationType, $0.revocationPercentage) = (.refundFull, 100_000)
            $0.isUpgraded = true
            $0.offer = offer
        }
        let transaction = ServerTransaction(
            item: item, price: Sample.pro.price, storefront: "USA", reason: .renewal, modifiedSeq: 1)
        let claims = TransactionClaims(
            transaction, of: app, storefrontId: "1", appTransactionId: "7", signedDate: instant)
        #expect(try members("TransactionClaims") == written(claims))
        let lookup = TransactionLookup(
            customerIdentifier: "c", appTransactionIdentifier: "7", firstSeen: instant, businessNow: instant)
        let download = AppTransactionClaims(
            lookup, of: app, applicationVersion: "1", originalApplicationVersion: "1")
        #expect(try members("AppTransactionClaims") == written(download))
        let renewal = RenewalClaims(
            ServerSubscription(
                subscription: Sample.subscription, transaction: transaction, recentStart: instant, nextOffer: offer),
            environment: .production, appTransactionId: "7", signedDate: instant)
        #expect(try written(renewal).isSubset(of: members("RenewalClaims")))
        let body = String(decoding: try StoreJSON.encode(renewal), as: UTF8.self)
        #expect(members("RenewalClaims") == known(RenewalClaims.self, body))
    }

    @Test func `clocks have the members the models write`() throws {
        let clock = AppClockState(
            bundleId: "a", now: .wallClock(), rate: .realTime, frozen: false, epoch: 1, nextEvent: .wallClock(),
            since: .wallClock())
        #expect(try members("Clock") == written(clock))
        let advance = ClockAdvance(
            advanceIdentifier: "a", bundleId: "b", from: .wallClock(), to: .wallClock(), isFinished: false,
            eventCount: 0, remaining: 0, events: [], truncated: false)
        #expect(try members("ClockAdvance") == written(ClockAdvanceAnswer(advance)))
    }

    @Test func `products and apps have the members the models write`() throws {
        let discount = ProductDiscount(
            identifier: nil, type: .introductory, price: Money(minorUnits: 0, currency: Sample.dollars),
            priceLocale: "en_US@currency=USD", paymentMode: .freeTrial,
            subscriptionPeriod: .init(numberOfUnits: 1, unit: .week), numberOfPeriods: 1)
        #expect(try members("ProductDiscount") == written(discount))
        var product = Sample.pro
        product.introductoryPrice = discount
        product.introductoryOfferEligibility = .eligible
        #expect(try members("Product") == written(product))
        #expect(
            try members("App")
                == written(
                    App(
                        bundleId: "a", settings: .init(name: "A"), catalogVersion: 1, testerDefaults: .init(),
                        timeRate: 15, subscriptionOfferKeys: [])))
        #expect(
            try members("SubscriptionOfferKey") == written(SubscriptionOfferKey(keyIdentifier: "k", publicKey: "p")))
        var tester = TesterSettings(processor: .slow)
        tester.billingGracePeriod = true
        #expect(try members("Tester") == written(TesterAnswer(Tester(account: "a", settings: tester))))
        #expect(
            try members("Explanation")
                == written(
                    ProductExplanation(
                        productIdentifier: "p", storefront: "USA", reasons: [], details: [],
                        promotion: PromotionExplanation(reasons: [], details: []))))
        let key = NewKey(.inAppPurchase, bundleId: "a", now: .wallClock())
        var made = key.response
        (made.issuerId, made.bundleId) = ("i", "a")
        #expect(try members("NewKey") == written(made))
        #expect(try members("Key") == written(key.record.appKey))
        #expect(
            try members("StorefrontDescription")
                == written(
                    StorefrontDescription(
                        countryCode: "USA", identifier: "1", name: "n", currency: Sample.dollars, locale: "l",
                        languages: [])))
    }

    @Test func `requests have the members the gateway reads`() throws {
        #expect(members("AppSettings") == AppSettings.memberNames)
        #expect(members("AppSettings") == known(AppSettings.self))
        #expect(members("TesterSettings") == TesterSettings.memberNames)
        #expect(members("TesterSettings") == known(TesterSettings.self))
        #expect(members("SimulatedErrors") == TesterSettings.SimulatedErrors.memberNames)
        #expect(members("KeyRequest") == known(KeyRequest.self, #"{"kind":"subscriptionOffer"}"#))
        #expect(members("PromptAnswer") == known(PromptAnswer.self, #"{"answer":"approve"}"#))
        let session = known(
            SessionRequest.self,
            #"{"bundleId":"b","deviceId":"d","account":"a","platform":"iOS","osVersion":"1"}"#)
        #expect(members("AppSession") == session)
        #expect(members("StoreSession").isSubset(of: session))
        #expect(members("PaymentRequest") == known(PaymentRequest.self, #"{"productIdentifier":"p"}"#))
        #expect(members("NewRestore") == known(NewRestore.self))
        #expect(members("DiscountParts") == known(DiscountParts.self))
        #expect(members("ClockSetting") == known(ClockSetting.self))
        #expect(members("SubscriptionChange") == known(SubscriptionChange.self))
        #expect(members("RefundReason") == known(RefundReason.self))
        #expect(members("Extension") == known(Extension.self, #"{"days":1}"#))
        #expect(members("ReceiptQuestion") == known(ReceiptQuestion.self, #"{"receiptData":""}"#))
        #expect(members("OutsidePurchase") == known(OutsidePurchase.self, #"{"account":"a","productIdentifier":"p"}"#))
        let moves = document.schema("ClockMove")?["oneOf"]?.arrayValue ?? []
        let measures = moves.flatMap { ($0["properties"]?.objectValue ?? [:]).keys }
        #expect(moves.count == 3 && Set(measures) == known(ClockMove.self))
        #expect(members("Decision") == known(DecisionRequest.self, #"{"decision":"continue"}"#))
        #expect(members("NewOrder") == known(NewOrder.self, #"{"productIdentifiers":[]}"#))
        #expect(members("NewVisibility") == known(NewVisibility.self, #"{"visibility":"show"}"#))
        #expect(members("StorePurchase") == known(StorePurchase.self, #"{"productIdentifier":"p"}"#))
        #expect(members("URLToOpen") == known(URLToOpen.self, #"{"url":"u"}"#))
        #expect(members("ReviewReason") == known(ReviewReason.self))
        #expect(members("DeviceSetting") == known(DeviceSetting.self, #"{"platform":"iOS","osVersion":"1"}"#))
        #expect(members("InstallationSetting") == known(InstallationSetting.self, #"{"version":"1"}"#))
        #expect(members("FailureReason") == known(OptionalError.self))
        #expect(members("ProductsQuery") == known(ProductsQuery.self, #"{"productIdentifiers":[]}"#))
    }

    /// Whether a body may have unknown members: a catalogue's, and those of Apple's operations, which ignore them.
    private func isOpen(_ name: String) -> Bool {
        ["PUT /admin/v1/apps/{bundleId}/catalog", "POST /verifyReceipt"].contains(name) || name.contains(" /inApps/")
    }

    @Test func `request bodies are closed and have an example`() throws {
        for operation in document.operations.values {
            guard let body = operation.value["requestBody"]?["content"]?["application/json"] else { continue }
            let schema = try #require(body["schema"].flatMap(document.resolved), "\(operation.name)")
            let alternatives = try (schema["oneOf"]?.arrayValue ?? [schema]).map {
                try #require(document.resolved($0))
            }
            for alternative in alternatives where !isOpen(operation.name) {
                // A list is closed when its objects are.
                let object = alternative["items"].flatMap(document.resolved) ?? alternative
                #expect(object["additionalProperties"] == .bool(false), "\(operation.name): closed")
            }
            #expect(body["example"] != nil || body["examples"] != nil, "\(operation.name): example")
        }
    }
}
