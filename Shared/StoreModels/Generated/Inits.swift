// Written by scripts/wire, which renews it: memberwise initialisers of structs that other modules create.
// swift-format-ignore-file

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AccountReply {
    @_disfavoredOverload
    public init(
        customerIdentifier: borrowing String, account: String, storefront: String, canMakePayments: Bool,
        simulatedProductsError: TransactionError? = nil, simulatedReceiptError: TransactionError? = nil
    ) {
        self.init(
            customerIdentifier: copy customerIdentifier, account: account, storefront: storefront,
            canMakePayments: canMakePayments, simulatedProductsError: simulatedProductsError,
            simulatedReceiptError: simulatedReceiptError)
    }
}

extension AcknowledgeRevocationsRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String, deviceId: String, seq: Int64) {
        self.init(bundleId: copy bundleId, customerIdentifier: customerIdentifier, deviceId: deviceId, seq: seq)
    }
}

extension AcknowledgeServerEventsRequest {
    @_disfavoredOverload
    public init(through: borrowing String) {
        self.init(through: copy through)
    }
}

extension ActivateOfferCodeRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, codeIdentifier: String, isActive: Bool) {
        self.init(bundleId: copy bundleId, codeIdentifier: codeIdentifier, isActive: isActive)
    }
}

extension AddAppKeyRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, kind: KeyKind) {
        self.init(bundleId: copy bundleId, kind: kind)
    }
}

extension AddIntentPaymentRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, deviceId: String, customerIdentifier: String, payment: Payment,
        discountCheck: DiscountCheck? = nil, offer: String? = nil
    ) {
        self.init(
            bundleId: copy bundleId, deviceId: deviceId, customerIdentifier: customerIdentifier, payment: payment,
            discountCheck: discountCheck, offer: offer)
    }
}

extension AddPaymentReplyOf {
    @_disfavoredOverload
    public init(status: borrowing Int, transaction: Item, isReplayed: Bool) {
        self.init(status: copy status, transaction: transaction, isReplayed: isReplayed)
    }
}

extension AddPaymentRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String, deviceId: String, payment: Payment,
        discountCheck: DiscountCheck? = nil, redeemedOffer: RedeemedOffer? = nil, redeemedCode: RedeemedCode? = nil,
        introductoryDecision: IntroductoryDecision? = nil, isTest: Bool? = nil, isRepeat: Bool? = nil,
        past: PastPurchase? = nil
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, deviceId: deviceId, payment: payment,
            discountCheck: discountCheck, redeemedOffer: redeemedOffer, redeemedCode: redeemedCode,
            introductoryDecision: introductoryDecision, isTest: isTest, isRepeat: isRepeat, past: past)
    }
}

extension AdvanceClockRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, requestKey: String, by: String? = nil, to: Timestamp? = nil, next: Int? = nil
    ) {
        self.init(bundleId: copy bundleId, requestKey: requestKey, by: by, to: to, next: next)
    }
}

extension AdvanceRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, advanceIdentifier: String) {
        self.init(bundleId: copy bundleId, advanceIdentifier: advanceIdentifier)
    }
}

extension AnswerPromptRequest {
    @_disfavoredOverload
    public init(_ prompt: borrowing ScopedIdentifier, answer: Prompt.Answer, error: SKErrorCode? = nil) {
        self.init(prompt: copy prompt, answer: answer, error: error)
    }
}

extension App {
    public init(
        bundleId: String, settings: AppSettings, catalogVersion: Int64, testerDefaults: TesterSettings? = nil,
        timeRate: Int? = nil, subscriptionOfferKeys: [SubscriptionOfferKey]? = nil
    ) {
        self.bundleId = bundleId; self.settings = settings; self.catalogVersion = catalogVersion;
        self.testerDefaults = testerDefaults; self.timeRate = timeRate;
        self.subscriptionOfferKeys = subscriptionOfferKeys
    }
}

extension AppClockState {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, now: Timestamp, rate: ClockRate, frozen: Bool, epoch: Int64,
        nextEvent: Timestamp? = nil, since: Timestamp? = nil
    ) {
        self.init(
            bundleId: copy bundleId, now: now, rate: rate, frozen: frozen, epoch: epoch, nextEvent: nextEvent,
            since: since)
    }
}

extension AppDeletion {
    @_disfavoredOverload
    public init(bundleId: borrowing String, begunAt: Timestamp, problem: String? = nil) {
        self.init(bundleId: copy bundleId, begunAt: begunAt, problem: problem)
    }
}

extension AppKeyRecord {
    @_disfavoredOverload
    public init(
        keyIdentifier: borrowing String, bundleId: String, kind: KeyKind, createdAt: Timestamp, isAccounts: Bool,
        publicKey: String? = nil, digest: String? = nil
    ) {
        self.init(
            keyIdentifier: copy keyIdentifier, bundleId: bundleId, kind: kind, createdAt: createdAt,
            isAccounts: isAccounts, publicKey: publicKey, digest: digest)
    }
}

extension AppKeyRequest {
    @_disfavoredOverload
    public init(keyIdentifier: borrowing String, bundleId: String) {
        self.init(keyIdentifier: copy keyIdentifier, bundleId: bundleId)
    }
}

extension AppKeys {
    @_disfavoredOverload
    public init(keys: borrowing [AppKeyRecord]) {
        self.init(keys: copy keys)
    }
}

extension AppLeaseRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, holder: String? = nil) {
        self.init(bundleId: copy bundleId, holder: holder)
    }
}

extension AppMark {
    @_disfavoredOverload
    public init(
        customers: borrowing Int64, changes: Int64, refundRequests: Int64, extensions: Int64, clockEpoch: Int64
    ) {
        self.init(
            customers: copy customers, changes: changes, refundRequests: refundRequests, extensions: extensions,
            clockEpoch: clockEpoch)
    }
}

extension AppRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String) {
        self.init(bundleId: copy bundleId)
    }
}

extension AppSettings {
    @_disfavoredOverload
    public init(
        name: borrowing String, appPrice: Money? = nil, currentVersion: String = "1.0",
        promotionsSupportedSince: String? = nil, released: Bool = true, agreementsActive: Bool = true,
        billingGracePeriod: Bool = false, unfinishedLimit: Int? = nil,
        subscriptionRenewalRate: SubscriptionRenewalRate? = nil
    ) {
        self.init(
            name: copy name, appPrice: appPrice, currentVersion: currentVersion,
            promotionsSupportedSince: promotionsSupportedSince, released: released, agreementsActive: agreementsActive,
            billingGracePeriod: billingGracePeriod, unfinishedLimit: unfinishedLimit,
            subscriptionRenewalRate: subscriptionRenewalRate)
    }
}

extension AppTransactionRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String) {
        self.init(bundleId: copy bundleId, customerIdentifier: customerIdentifier)
    }
}

extension AppVersion {
    @_disfavoredOverload
    public init(catalogVersion: borrowing Int64, settingsRevision: Int64) {
        self.init(catalogVersion: copy catalogVersion, settingsRevision: settingsRevision)
    }
}

extension AppliedOffer {
    @_disfavoredOverload
    public init(
        type: borrowing Kind, paymentMode: ProductDiscount.PaymentMode, identifier: String? = nil,
        period: SubscriptionPeriod? = nil
    ) {
        self.init(type: copy type, paymentMode: paymentMode, identifier: identifier, period: period)
    }
}

extension AppsPage {
    @_disfavoredOverload
    public init(apps: borrowing [App], after: String? = nil, deleting: [AppDeletion]? = nil) {
        self.init(apps: copy apps, after: after, deleting: deleting)
    }
}

extension AuthorizeChargesReply {
    @_disfavoredOverload
    public init(charges: borrowing [AuthorizedCharge]) {
        self.init(charges: copy charges)
    }
}

extension AuthorizeChargesRequest {
    @_disfavoredOverload
    public init(charges: borrowing [CreateChargeRequest], capturesAtOnce: Bool? = nil) {
        self.init(charges: copy charges, capturesAtOnce: capturesAtOnce)
    }
}

extension AuthorizedCharge {
    @_disfavoredOverload
    public init(charge: borrowing Charge? = nil, error: StoreError? = nil) {
        self.init(charge: copy charge, error: error)
    }
}

extension BeginContentReply {
    @_disfavoredOverload
    public init(uploadIdentifier: borrowing String) {
        self.init(uploadIdentifier: copy uploadIdentifier)
    }
}

extension BeginContentRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, productIdentifier: String, version: String) {
        self.init(bundleId: copy bundleId, productIdentifier: productIdentifier, version: version)
    }
}

extension BeginImageRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, productIdentifier: String) {
        self.init(bundleId: copy bundleId, productIdentifier: productIdentifier)
    }
}

extension BeginImportReply {
    @_disfavoredOverload
    public init(importIdentifier: borrowing String) {
        self.init(importIdentifier: copy importIdentifier)
    }
}

extension BeginImportRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, byteCount: Int, fileName: String? = nil, data: Data? = nil) {
        self.init(bundleId: copy bundleId, byteCount: byteCount, fileName: fileName, data: data)
    }
}

extension BillingTerms {
    @_disfavoredOverload
    public init(
        billingPlanType: borrowing BillingPlan, price: Money, displayPrice: String, period: SubscriptionPeriod,
        commitmentPrice: Money, commitmentDisplayPrice: String, commitmentPeriod: SubscriptionPeriod
    ) {
        self.init(
            billingPlanType: copy billingPlanType, price: price, displayPrice: displayPrice, period: period,
            commitmentPrice: commitmentPrice, commitmentDisplayPrice: commitmentDisplayPrice,
            commitmentPeriod: commitmentPeriod)
    }
}

extension BusRule {
    @_disfavoredOverload
    package init(
        match: borrowing String, from: String? = nil, to: String? = nil, p: Double, action: String, ms: Int? = nil,
        count: Int? = nil, matched: Int? = nil, struck: Int? = nil
    ) {
        self.init(
            match: copy match, from: from, to: to, p: p, action: action, ms: ms, count: count, matched: matched,
            struck: struck)
    }
}

extension BusRulesInForce {
    @_disfavoredOverload
    package init(seed: borrowing UInt64, rules: [BusRule], faults: [String: Int]) {
        self.init(seed: copy seed, rules: rules, faults: faults)
    }
}

extension BusinessDuration {
    @_disfavoredOverload
    public init(months: borrowing Int = 0, milliseconds: Int64 = 0) {
        self.init(months: copy months, milliseconds: milliseconds)
    }
}

extension CancelChargeRequest {
    @_disfavoredOverload
    public init(chargeKey: borrowing String) {
        self.init(chargeKey: copy chargeKey)
    }
}

extension CaptureChargesReply {
    @_disfavoredOverload
    public init(refused: borrowing [String] = []) {
        self.init(refused: copy refused)
    }
}

extension CaptureChargesRequest {
    @_disfavoredOverload
    public init(chargeKeys: borrowing [String]) {
        self.init(chargeKeys: copy chargeKeys)
    }
}

extension Certified {
    @_disfavoredOverload
    public init(chain: borrowing [String]) {
        self.init(chain: copy chain)
    }
}

extension CertifyRequest {
    @_disfavoredOverload
    public init(publicKey: borrowing String, hosts: [String]) {
        self.init(publicKey: copy publicKey, hosts: hosts)
    }
}

extension ChangesReply {
    @_disfavoredOverload
    public init(changes: borrowing [CustomerChange], head: Int64, snapshotRequired: Bool) {
        self.init(changes: copy changes, head: head, snapshotRequired: snapshotRequired)
    }
}

extension ChangesRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String, after: Int64, limit: Int = 100) {
        self.init(bundleId: copy bundleId, customerIdentifier: customerIdentifier, after: after, limit: limit)
    }
}

extension ChargeChanged {
    @_disfavoredOverload
    public init(chargeKey: borrowing String) {
        self.init(chargeKey: copy chargeKey)
    }
}

extension ChargeListRequest {
    @_disfavoredOverload
    public init(after: borrowing String? = nil, limit: Int = 100, bundleId: String? = nil) {
        self.init(after: copy after, limit: limit, bundleId: bundleId)
    }
}

extension ChargesPage {
    @_disfavoredOverload
    public init(charges: borrowing [Charge], after: String? = nil) {
        self.init(charges: copy charges, after: after)
    }
}

extension ClearHistoryReply {
    @_disfavoredOverload
    public init(removed: borrowing Int) {
        self.init(removed: copy removed)
    }
}

extension ClearHistoryRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, account: String? = nil, intents: [String]? = nil) {
        self.init(bundleId: copy bundleId, account: account, intents: intents)
    }
}

extension ClearIntentsReply {
    @_disfavoredOverload
    public init(cancelled: borrowing Int, continued: [String] = []) {
        self.init(cancelled: copy cancelled, continued: continued)
    }
}

extension ClearIntentsRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, account: String? = nil) {
        self.init(bundleId: copy bundleId, account: account)
    }
}

extension ClockAdvance {
    @_disfavoredOverload
    public init(
        advanceIdentifier: borrowing String, bundleId: String, from: Timestamp, to: Timestamp, isFinished: Bool,
        eventCount: Int, remaining: Int, events: [SubscriptionEvent], truncated: Bool
    ) {
        self.init(
            advanceIdentifier: copy advanceIdentifier, bundleId: bundleId, from: from, to: to, isFinished: isFinished,
            eventCount: eventCount, remaining: remaining, events: events, truncated: truncated)
    }
}

extension CommitContentReply {
    @_disfavoredOverload
    public init(content: borrowing HostedContent, isReplaced: Bool) {
        self.init(content: copy content, isReplaced: isReplaced)
    }
}

extension CommitContentRequest {
    @_disfavoredOverload
    public init(uploadIdentifier: borrowing String, length: Int64) {
        self.init(uploadIdentifier: copy uploadIdentifier, length: length)
    }
}

extension CommitImportRequest {
    @_disfavoredOverload
    public init(importIdentifier: borrowing String) {
        self.init(importIdentifier: copy importIdentifier)
    }
}

extension Commitment {
    @_disfavoredOverload
    public init(billingPeriodNumber: borrowing Int, totalBillingPeriods: Int, price: Money, expiresDate: Timestamp) {
        self.init(
            billingPeriodNumber: copy billingPeriodNumber, totalBillingPeriods: totalBillingPeriods, price: price,
            expiresDate: expiresDate)
    }
}

extension CommitmentRenewal {
    @_disfavoredOverload
    public init(
        willAutoRenew: borrowing Bool, autoRenewProductIdentifier: String, billingPlanType: BillingPlan,
        renewalDate: Timestamp, renewalPrice: Money? = nil
    ) {
        self.init(
            willAutoRenew: copy willAutoRenew, autoRenewProductIdentifier: autoRenewProductIdentifier,
            billingPlanType: billingPlanType, renewalDate: renewalDate, renewalPrice: renewalPrice)
    }
}

extension ConsumptionInformation {
    @_disfavoredOverload
    public init(bundleId: borrowing String, transactionIdentifier: String, consumption: JSONValue) {
        self.init(bundleId: copy bundleId, transactionIdentifier: transactionIdentifier, consumption: consumption)
    }
}

extension ContentPart {
    @_disfavoredOverload
    public init(data: borrowing String) {
        self.init(data: copy data)
    }
}

extension ContentPartRequest {
    @_disfavoredOverload
    public init(uploadIdentifier: borrowing String, offset: Int64, data: String) {
        self.init(uploadIdentifier: copy uploadIdentifier, offset: offset, data: data)
    }
}

extension ContentRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, productIdentifier: String, version: String? = nil) {
        self.init(bundleId: copy bundleId, productIdentifier: productIdentifier, version: version)
    }
}

extension ContinueTransactionRequest {
    @_disfavoredOverload
    public init(transaction: borrowing TransactionRequest, shouldContinue: Bool) {
        self.init(transaction: copy transaction, shouldContinue: shouldContinue)
    }
}

extension CopyAppRequest {
    @_disfavoredOverload
    public init(from: borrowing String, to: String) {
        self.init(from: copy from, to: to)
    }
}

extension CreateChargeRequest {
    @_disfavoredOverload
    public init(
        chargeKey: borrowing String, amount: Money, bundleId: String, customerIdentifier: String,
        productIdentifier: String, simulate: ProcessorMode? = nil
    ) {
        self.init(
            chargeKey: copy chargeKey, amount: amount, bundleId: bundleId, customerIdentifier: customerIdentifier,
            productIdentifier: productIdentifier, simulate: simulate)
    }
}

extension CreateRefundRequest {
    @_disfavoredOverload
    public init(refundKey: borrowing String, chargeKey: String, amount: Money) {
        self.init(refundKey: copy refundKey, chargeKey: chargeKey, amount: amount)
    }
}

extension CustomerChangeOf {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String, seq: Int64, kind: CustomerChangeKind,
        transaction: Item? = nil, restore: Restore? = nil, downloads: [Download]? = nil,
        productIdentifiers: [String]? = nil, deviceId: String? = nil, event: StoreEvent.Kind? = nil
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, seq: seq, kind: kind,
            transaction: transaction, restore: restore, downloads: downloads, productIdentifiers: productIdentifiers,
            deviceId: deviceId, event: event)
    }
}

extension CustomerReference {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String) {
        self.init(bundleId: copy bundleId, customerIdentifier: customerIdentifier)
    }
}

extension CustomerRefundRequest {
    @_disfavoredOverload
    public init(
        refundRequestIdentifier: borrowing String, transactionId: String, transactionIdentifier: String,
        bundleId: String, account: String, state: State, reason: ConsumptionRequestReason, requestedAt: Timestamp,
        decidedAt: Timestamp? = nil, consumption: JSONValue? = nil
    ) {
        self.init(
            refundRequestIdentifier: copy refundRequestIdentifier, transactionId: transactionId,
            transactionIdentifier: transactionIdentifier, bundleId: bundleId, account: account, state: state,
            reason: reason, requestedAt: requestedAt, decidedAt: decidedAt, consumption: consumption)
    }
}

extension DecideIntentReply {
    @_disfavoredOverload
    public init(intent: borrowing StorePurchaseIntent, added: AddPaymentReply? = nil, isRepeated: Bool = false) {
        self.init(intent: copy intent, added: added, isRepeated: isRepeated)
    }
}

extension DecideIntentRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, deviceId: String, customerIdentifier: String, intentIdentifier: String,
        decision: Decision, feedback: String? = nil
    ) {
        self.init(
            bundleId: copy bundleId, deviceId: deviceId, customerIdentifier: customerIdentifier,
            intentIdentifier: intentIdentifier, decision: decision, feedback: feedback)
    }
}

extension DeliverIntentsReply {
    @_disfavoredOverload
    public init(intents: borrowing [StorePurchaseIntent], seq: Int64) {
        self.init(intents: copy intents, seq: seq)
    }
}

extension DeliverIntentsRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, deviceId: String, customerIdentifier: String) {
        self.init(bundleId: copy bundleId, deviceId: deviceId, customerIdentifier: customerIdentifier)
    }
}

extension Device {
    @_disfavoredOverload
    public init(
        deviceId: borrowing String, platform: DeviceLaunch.Platform, osVersion: String, apps: [InstalledApp] = []
    ) {
        self.init(deviceId: copy deviceId, platform: platform, osVersion: osVersion, apps: apps)
    }
}

extension Device.InstalledApp {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, version: String, promotedPurchases: DeviceLaunch.PromotedPurchases? = nil,
        isLaunched: Bool, overrides: PromotionOverrides = PromotionOverrides()
    ) {
        self.init(
            bundleId: copy bundleId, version: version, promotedPurchases: promotedPurchases, isLaunched: isLaunched,
            overrides: overrides)
    }
}

extension DeviceLaunch {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, deviceId: String, platform: Platform, osVersion: String, appVersion: String,
        promotedPurchases: PromotedPurchases
    ) {
        self.init(
            bundleId: copy bundleId, deviceId: deviceId, platform: platform, osVersion: osVersion,
            appVersion: appVersion, promotedPurchases: promotedPurchases)
    }
}

extension DevicePromotions {
    @_disfavoredOverload
    public init(
        overrides: borrowing PromotionOverrides, isLaunched: Bool, unsupported: String? = nil, isKnown: Bool = true
    ) {
        self.init(overrides: copy overrides, isLaunched: isLaunched, unsupported: unsupported, isKnown: isKnown)
    }
}

extension DevicesPage {
    @_disfavoredOverload
    public init(devices: borrowing [Device], after: String? = nil) {
        self.init(devices: copy devices, after: after)
    }
}

extension Download {
    @_disfavoredOverload
    public init(
        id: borrowing String, transactionId: String, state: State, contentIdentifier: String, contentVersion: String,
        contentLength: Int64, error: TransactionError? = nil
    ) {
        self.init(
            id: copy id, transactionId: transactionId, state: state, contentIdentifier: contentIdentifier,
            contentVersion: contentVersion, contentLength: contentLength, error: error)
    }
}

extension DownloadReply {
    @_disfavoredOverload
    public init(download: borrowing Download, productIdentifier: String) {
        self.init(download: copy download, productIdentifier: productIdentifier)
    }
}

extension DownloadRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String, deviceId: String, downloadId: String) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, deviceId: deviceId, downloadId: downloadId)
    }
}

extension EligibilityBatch {
    @_disfavoredOverload
    public init(bundleId: borrowing String, storefront: String, customers: [Customer]) {
        self.init(bundleId: copy bundleId, storefront: storefront, customers: customers)
    }
}

extension EligibilityBatch.Customer {
    @_disfavoredOverload
    public init(customerIdentifier: borrowing String, productIdentifiers: [String]) {
        self.init(customerIdentifier: copy customerIdentifier, productIdentifiers: productIdentifiers)
    }
}

extension EligibilityBatchReply {
    @_disfavoredOverload
    public init(replies: borrowing [EligibilityReply]) {
        self.init(replies: copy replies)
    }
}

extension EligibilityReply {
    @_disfavoredOverload
    public init(eligibility: borrowing [ProductEligibility], degraded: [String]) {
        self.init(eligibility: copy eligibility, degraded: degraded)
    }
}

extension EligibilityRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String, storefront: String, productIdentifiers: [String]? = nil,
        receipt: ReceiptHistory? = nil
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, storefront: storefront,
            productIdentifiers: productIdentifiers, receipt: receipt)
    }
}

extension EndFamilyRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, family: String) {
        self.init(bundleId: copy bundleId, family: family)
    }
}

extension EventsReply {
    @_disfavoredOverload
    public init(events: borrowing [StoreEvent], after: String) {
        self.init(events: copy events, after: after)
    }
}

extension EventsRequest {
    @_disfavoredOverload
    public init(
        after: borrowing String? = nil, type: StoreEvent.Kind? = nil, account: String? = nil, bundleId: String? = nil,
        limit: Int = 1
    ) {
        self.init(after: copy after, type: type, account: account, bundleId: bundleId, limit: limit)
    }
}

extension ExchangeCustomer {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String, deviceId: String, deviceVerificationId: String
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, deviceId: deviceId,
            deviceVerificationId: deviceVerificationId)
    }
}

extension ExplainProductRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, productIdentifier: String, storefront: String? = nil) {
        self.init(bundleId: copy bundleId, productIdentifier: productIdentifier, storefront: storefront)
    }
}

extension ExportPartReply {
    @_disfavoredOverload
    public init(catalogVersion: borrowing Int64, partCount: Int, data: Data) {
        self.init(catalogVersion: copy catalogVersion, partCount: partCount, data: data)
    }
}

extension ExportPartRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, index: Int, catalogVersion: Int64? = nil) {
        self.init(bundleId: copy bundleId, index: index, catalogVersion: catalogVersion)
    }
}

extension ExtendSubscriptionReply {
    @_disfavoredOverload
    public init(
        outcome: borrowing Outcome, effectiveDate: Timestamp? = nil, webOrderLineItemIdentifier: String? = nil
    ) {
        self.init(
            outcome: copy outcome, effectiveDate: effectiveDate, webOrderLineItemIdentifier: webOrderLineItemIdentifier)
    }
}

extension ExtendSubscriptionRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, originalTransactionIdentifier: String, days: Int, requestIdentifier: String
    ) {
        self.init(
            bundleId: copy bundleId, originalTransactionIdentifier: originalTransactionIdentifier, days: days,
            requestIdentifier: requestIdentifier)
    }
}

extension ExtendSubscriptionsRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, productIdentifier: String, storefronts: [String]? = nil, days: Int,
        requestIdentifier: String, only: String? = nil
    ) {
        self.init(
            bundleId: copy bundleId, productIdentifier: productIdentifier, storefronts: storefronts, days: days,
            requestIdentifier: requestIdentifier, only: only)
    }
}

extension FamiliesPage {
    @_disfavoredOverload
    public init(families: borrowing [Family], after: String? = nil) {
        self.init(families: copy families, after: after)
    }
}

extension FamiliesRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, after: String? = nil, limit: Int = 100) {
        self.init(bundleId: copy bundleId, after: after, limit: limit)
    }
}

extension Family {
    @_disfavoredOverload
    public init(family: borrowing String, persons: [FamilyPerson]) {
        self.init(family: copy family, persons: persons)
    }
}

extension FamilyPerson {
    @_disfavoredOverload
    public init(
        account: borrowing String, isOrganiser: Bool, sharesPurchases: Bool, receivesPurchases: Bool,
        joinedAt: Timestamp
    ) {
        self.init(
            account: copy account, isOrganiser: isOrganiser, sharesPurchases: sharesPurchases,
            receivesPurchases: receivesPurchases, joinedAt: joinedAt)
    }
}

extension FamilySharing {
    @_disfavoredOverload
    public init(sharesPurchases: borrowing Bool? = nil, receivesPurchases: Bool? = nil) {
        self.init(sharesPurchases: copy sharesPurchases, receivesPurchases: receivesPurchases)
    }
}

extension FeaturedList {
    @_disfavoredOverload
    public init(products: borrowing [ProductReference]) {
        self.init(products: copy products)
    }
}

extension FeaturedRequest {
    @_disfavoredOverload
    public init(in scope: borrowing IsolationScope) {
        self.init(scope: copy scope)
    }
}

extension FindAppKeyRequest {
    @_disfavoredOverload
    public init(keyIdentifier: borrowing String) {
        self.init(keyIdentifier: copy keyIdentifier)
    }
}

extension FindOfferCodeRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, offerCode: String) {
        self.init(bundleId: copy bundleId, offerCode: offerCode)
    }
}

extension FoundAppKey {
    @_disfavoredOverload
    public init(key: borrowing AppKeyRecord? = nil) {
        self.init(key: copy key)
    }
}

extension GetAccountRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String? = nil, account: String? = nil) {
        self.init(bundleId: copy bundleId, customerIdentifier: customerIdentifier, account: account)
    }
}

extension GrantRefundRequest {
    @_disfavoredOverload
    public init(_ refundRequest: borrowing ScopedIdentifier, type: RevocationType? = nil, percentage: Int? = nil) {
        self.init(refundRequest: copy refundRequest, type: type, percentage: percentage)
    }
}

extension HTTPExchangeReply {
    @_disfavoredOverload
    public init(
        status: borrowing Int, headers: [String: String], data: HTTPBytes? = nil, rest: Rest? = nil,
        ending: Ending? = nil, bundleId: String? = nil, reason: String? = nil
    ) {
        self.init(
            status: copy status, headers: headers, data: data, rest: rest, ending: ending, bundleId: bundleId,
            reason: reason)
    }
}

extension HTTPExchangeReply.Rest {
    @_disfavoredOverload
    public init(instance: borrowing String, identifier: String, count: Int) {
        self.init(instance: copy instance, identifier: identifier, count: count)
    }
}

extension HTTPExchangeRequest {
    @_disfavoredOverload
    public init(
        operation: borrowing String, path: String, parameters: [String: HTTPBytes], query: String? = nil,
        host: String? = nil, accept: String? = nil, authorization: String? = nil, store: String? = nil,
        bundleId: String? = nil, customer: ExchangeCustomer? = nil, data: HTTPBytes? = nil
    ) {
        self.init(
            operation: copy operation, path: path, parameters: parameters, query: query, host: host, accept: accept,
            authorization: authorization, store: store, bundleId: bundleId, customer: customer, data: data)
    }
}

extension HTTPRestReply {
    @_disfavoredOverload
    public init(data: borrowing HTTPBytes) {
        self.init(data: copy data)
    }
}

extension HTTPRestRequest {
    @_disfavoredOverload
    public init(identifier: borrowing String, offset: Int) {
        self.init(identifier: copy identifier, offset: offset)
    }
}

extension HeadsReply {
    @_disfavoredOverload
    public init(heads: borrowing [Int64], storefronts: [String] = []) {
        self.init(heads: copy heads, storefronts: storefronts)
    }
}

extension HeadsRequest {
    @_disfavoredOverload
    public init(customers: borrowing [CustomerReference]) {
        self.init(customers: copy customers)
    }
}

extension HistoryRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String, after: String? = nil, limit: Int = 100) {
        self.init(bundleId: copy bundleId, customerIdentifier: customerIdentifier, after: after, limit: limit)
    }
}

extension HostedContent {
    @_disfavoredOverload
    public init(contentIdentifier: borrowing String, contentVersion: String, contentLength: Int64, sha256: String) {
        self.init(
            contentIdentifier: copy contentIdentifier, contentVersion: contentVersion, contentLength: contentLength,
            sha256: sha256)
    }
}

extension ImportPartRequest {
    @_disfavoredOverload
    public init(importIdentifier: borrowing String, index: Int, data: Data) {
        self.init(importIdentifier: copy importIdentifier, index: index, data: data)
    }
}

extension ImportReport {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, catalogVersion: Int64, fileVersion: String, productCount: Int,
        subscriptionGroupCount: Int, introductoryOfferCount: Int, settingsApplied: [String], settingsIgnored: [String],
        notes: [String], promotionalOfferCount: Int? = nil, winBackOfferCount: Int? = nil, offerCodeCount: Int? = nil
    ) {
        self.init(
            bundleId: copy bundleId, catalogVersion: catalogVersion, fileVersion: fileVersion,
            productCount: productCount, subscriptionGroupCount: subscriptionGroupCount,
            introductoryOfferCount: introductoryOfferCount, settingsApplied: settingsApplied,
            settingsIgnored: settingsIgnored, notes: notes, promotionalOfferCount: promotionalOfferCount,
            winBackOfferCount: winBackOfferCount, offerCodeCount: offerCodeCount)
    }
}

extension InstallationReference {
    @_disfavoredOverload
    public init(bundleId: borrowing String, deviceId: String) {
        self.init(bundleId: copy bundleId, deviceId: deviceId)
    }
}

extension IntentEvent {
    @_disfavoredOverload
    public init(
        id: borrowing String, type: Kind, at: Timestamp, bundleId: String, account: String, intent: StorePurchaseIntent
    ) {
        self.init(id: copy id, type: type, at: at, bundleId: bundleId, account: account, intent: intent)
    }
}

extension IntentEventsReply {
    @_disfavoredOverload
    public init(events: borrowing [IntentEvent], after: String) {
        self.init(events: copy events, after: after)
    }
}

extension IntentEventsRequest {
    @_disfavoredOverload
    public init(
        after: borrowing String? = nil, type: IntentEvent.Kind? = nil, account: String? = nil, bundleId: String? = nil,
        limit: Int = 1
    ) {
        self.init(after: copy after, type: type, account: account, bundleId: bundleId, limit: limit)
    }
}

extension IntentHeadsReply {
    @_disfavoredOverload
    public init(heads: borrowing [Int64]) {
        self.init(heads: copy heads)
    }
}

extension IntentHeadsRequest {
    @_disfavoredOverload
    public init(installations: borrowing [InstallationReference]) {
        self.init(installations: copy installations)
    }
}

extension IntentListRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String? = nil, account: String? = nil, deviceId: String? = nil,
        state: StorePurchaseIntent.State? = nil, after: String? = nil, limit: Int = 100
    ) {
        self.init(
            bundleId: copy bundleId, account: account, deviceId: deviceId, state: state, after: after, limit: limit)
    }
}

extension IntentRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, deviceId: String, customerIdentifier: String, intentIdentifier: String) {
        self.init(
            bundleId: copy bundleId, deviceId: deviceId, customerIdentifier: customerIdentifier,
            intentIdentifier: intentIdentifier)
    }
}

extension IntentsChanged {
    @_disfavoredOverload
    public init(bundleId: borrowing String, deviceId: String, seq: Int64) {
        self.init(bundleId: copy bundleId, deviceId: deviceId, seq: seq)
    }
}

extension IntentsPage {
    @_disfavoredOverload
    public init(intents: borrowing [StorePurchaseIntent], after: String? = nil) {
        self.init(intents: copy intents, after: after)
    }
}

extension IntentsRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, deviceId: String, customerIdentifier: String,
        states: [StorePurchaseIntent.State] = [], after: String? = nil, limit: Int = 100
    ) {
        self.init(
            bundleId: copy bundleId, deviceId: deviceId, customerIdentifier: customerIdentifier, states: states,
            after: after, limit: limit)
    }
}

extension IntroductoryDecision {
    @_disfavoredOverload
    public init(isAllowed: borrowing Bool, nonce: String? = nil, digest: String) {
        self.init(isAllowed: copy isAllowed, nonce: nonce, digest: digest)
    }
}

extension LastEventsRequest {
    @_disfavoredOverload
    public init(account: borrowing String? = nil, bundleId: String? = nil, limit: Int = 100) {
        self.init(account: copy account, bundleId: bundleId, limit: limit)
    }
}

extension LeaseNotificationsReply {
    @_disfavoredOverload
    public init(attempts: borrowing [Attempt]) {
        self.init(attempts: copy attempts)
    }
}

extension LeaseNotificationsReply.Attempt {
    @_disfavoredOverload
    public init(
        attemptIdentifier: borrowing String, notificationUUID: String, notificationType: NotificationType,
        subtype: NotificationSubtype? = nil, signedPayload: String
    ) {
        self.init(
            attemptIdentifier: copy attemptIdentifier, notificationUUID: notificationUUID,
            notificationType: notificationType, subtype: subtype, signedPayload: signedPayload)
    }
}

extension LeaseNotificationsRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, max: Int, waitMs: Int) {
        self.init(bundleId: copy bundleId, max: max, waitMs: waitMs)
    }
}

extension LeaseRecalled {
    @_disfavoredOverload
    public init(bundleId: borrowing String? = nil) {
        self.init(bundleId: copy bundleId)
    }
}

extension LeasedVersion {
    @_disfavoredOverload
    public init(version: borrowing Version, isLeased: Bool) {
        self.init(version: copy version, isLeased: isLeased)
    }
}

extension ModifiedTransactionsPage {
    @_disfavoredOverload
    public init(
        customer: borrowing TransactionLookupReply, transactions: [ServerTransaction], place: Int64, hasMore: Bool
    ) {
        self.init(customer: copy customer, transactions: transactions, place: place, hasMore: hasMore)
    }
}

extension ModifiedTransactionsRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String? = nil, identifier: String? = nil,
        order: Order = .changes, after: Int64? = nil, isDescending: Bool = false, limit: Int,
        filter: ServerTransactionFilter = ServerTransactionFilter()
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, identifier: identifier, order: order,
            after: after, isDescending: isDescending, limit: limit, filter: filter)
    }
}

extension Money {
    @_disfavoredOverload
    public init(minorUnits: borrowing Int64, currency: Currency) {
        self.init(minorUnits: copy minorUnits, currency: currency)
    }
}

extension NewAppKey {
    @_disfavoredOverload
    public init(key: borrowing AppKeyRecord, secret: String) {
        self.init(key: copy key, secret: secret)
    }
}

extension NewOfferCode {
    @_disfavoredOverload
    public init(
        productIdentifier: borrowing String, offer: String, code: String? = nil, redemptionsMax: Int? = nil,
        count: Int? = nil, expiresInDays: Int? = nil
    ) {
        self.init(
            productIdentifier: copy productIdentifier, offer: offer, code: code, redemptionsMax: redemptionsMax,
            count: count, expiresInDays: expiresInDays)
    }
}

extension NewOfferCodeRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, new: NewOfferCode) {
        self.init(bundleId: copy bundleId, new: new)
    }
}

extension NotificationAttempt {
    @_disfavoredOverload
    public init(
        attemptDate: borrowing Timestamp, url: String, sendAttemptResult: SendAttemptResult? = nil,
        httpStatus: Int? = nil, durationMs: Int? = nil, bodyStart: String? = nil
    ) {
        self.init(
            attemptDate: copy attemptDate, url: url, sendAttemptResult: sendAttemptResult, httpStatus: httpStatus,
            durationMs: durationMs, bodyStart: bodyStart)
    }
}

extension NotificationClaims.Data {
    @_disfavoredOverload
    public init(
        appAppleId: borrowing Int64? = nil, bundleId: String, bundleVersion: String? = nil, environment: String,
        signedTransactionInfo: String? = nil, signedRenewalInfo: String? = nil, status: Int? = nil,
        consumptionRequestReason: String? = nil
    ) {
        self.init(
            appAppleId: copy appAppleId, bundleId: bundleId, bundleVersion: bundleVersion, environment: environment,
            signedTransactionInfo: signedTransactionInfo, signedRenewalInfo: signedRenewalInfo, status: status,
            consumptionRequestReason: consumptionRequestReason)
    }
}

extension NotificationDraft {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, notificationUUID: String, notificationType: NotificationType,
        subtype: NotificationSubtype? = nil, signedDate: Timestamp, appTransactionIdentifier: String? = nil,
        transaction: ServerTransaction? = nil, subscription: ServerSubscription? = nil,
        consumptionRequestReason: ConsumptionRequestReason? = nil, extensions: SubscriptionExtensions? = nil,
        set: [String: JSONValue]? = nil, break: BrokenSignature? = nil
    ) {
        self.init(
            bundleId: copy bundleId, notificationUUID: notificationUUID, notificationType: notificationType,
            subtype: subtype, signedDate: signedDate, appTransactionIdentifier: appTransactionIdentifier,
            transaction: transaction, subscription: subscription, consumptionRequestReason: consumptionRequestReason,
            extensions: extensions, set: set, break: `break`)
    }
}

extension NotificationEndpoint {
    @_disfavoredOverload
    public init(
        url: borrowing String, retry: Retry, retryFollowsEnvironment: Bool? = nil, timeoutMs: Int = timeoutMsDefault,
        shuffle: Bool? = nil, duplicate: Bool? = nil
    ) {
        self.init(
            url: copy url, retry: retry, retryFollowsEnvironment: retryFollowsEnvironment, timeoutMs: timeoutMs,
            shuffle: shuffle, duplicate: duplicate)
    }
}

extension NotificationEndpointReply {
    @_disfavoredOverload
    public init(endpoint: borrowing NotificationEndpoint? = nil) {
        self.init(endpoint: copy endpoint)
    }
}

extension NotificationHistoryPage {
    @_disfavoredOverload
    public init(notifications: borrowing [ServerNotification], after: String? = nil) {
        self.init(notifications: copy notifications, after: after)
    }
}

extension NotificationHistoryRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, startDate: Timestamp, endDate: Timestamp, notificationType: NotificationType? = nil,
        subtype: NotificationSubtype? = nil, customerIdentifier: String? = nil, onlyFailures: Bool = false,
        after: String? = nil, limit: Int = 20
    ) {
        self.init(
            bundleId: copy bundleId, startDate: startDate, endDate: endDate, notificationType: notificationType,
            subtype: subtype, customerIdentifier: customerIdentifier, onlyFailures: onlyFailures, after: after,
            limit: limit)
    }
}

extension NotificationRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, notificationUUID: String) {
        self.init(bundleId: copy bundleId, notificationUUID: notificationUUID)
    }
}

extension NotificationsPage {
    @_disfavoredOverload
    public init(notifications: borrowing [ServerNotification], after: String? = nil) {
        self.init(notifications: copy notifications, after: after)
    }
}

extension NotificationsRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, notificationType: NotificationType? = nil, subtype: NotificationSubtype? = nil,
        account: String? = nil, state: ServerNotification.State? = nil, after: String? = nil, limit: Int = 100
    ) {
        self.init(
            bundleId: copy bundleId, notificationType: notificationType, subtype: subtype, account: account,
            state: state, after: after, limit: limit)
    }
}

extension NotificationsSettled {
    @_disfavoredOverload
    public init(settled: borrowing Bool, pending: Int, made: Int, delivered: Int) {
        self.init(settled: copy settled, pending: pending, made: made, delivered: delivered)
    }
}

extension NotificationsSettledRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, waitMs: Int) {
        self.init(bundleId: copy bundleId, waitMs: waitMs)
    }
}

extension OfferCode {
    @_disfavoredOverload
    public init(
        codeIdentifier: borrowing String, kind: Kind, code: String? = nil, productIdentifier: String, offer: String,
        redemptionsMax: Int, redemptions: Int, isActive: Bool, expiresAt: Timestamp? = nil, createdAt: Timestamp,
        oneTimeCodes: [String]? = nil
    ) {
        self.init(
            codeIdentifier: copy codeIdentifier, kind: kind, code: code, productIdentifier: productIdentifier,
            offer: offer, redemptionsMax: redemptionsMax, redemptions: redemptions, isActive: isActive,
            expiresAt: expiresAt, createdAt: createdAt, oneTimeCodes: oneTimeCodes)
    }
}

extension OfferCodePolicy.Decision {
    @_disfavoredOverload
    public init(isEligible: borrowing Bool, audience: RedeemableOffer.Audience) {
        self.init(isEligible: copy isEligible, audience: audience)
    }
}

extension OfferCodesPage {
    @_disfavoredOverload
    public init(codes: borrowing [OfferCode], after: String? = nil) {
        self.init(codes: copy codes, after: after)
    }
}

extension OfferCodesRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, after: String? = nil, limit: Int = 100) {
        self.init(bundleId: copy bundleId, after: after, limit: limit)
    }
}

extension OfferSummaries {
    @_disfavoredOverload
    public init(summaries: borrowing [OfferSummary?]) {
        self.init(summaries: copy summaries)
    }
}

extension OfferSummariesRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifiers: [String]) {
        self.init(bundleId: copy bundleId, customerIdentifiers: customerIdentifiers)
    }
}

extension OfferSummary {
    @_disfavoredOverload
    public init(history: borrowing SubscriptionHistory, businessNow: Timestamp) {
        self.init(history: copy history, businessNow: businessNow)
    }
}

extension OpenAccountReply {
    @_disfavoredOverload
    public init(customerIdentifier: borrowing String, storefront: String, canMakePayments: Bool, launch: Int64? = nil) {
        self.init(
            customerIdentifier: copy customerIdentifier, storefront: storefront, canMakePayments: canMakePayments,
            launch: launch)
    }
}

extension OpenAccountRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, account: String, deviceId: String, storefront: String? = nil,
        defaults: TesterSettings? = nil, launches: Bool? = nil
    ) {
        self.init(
            bundleId: copy bundleId, account: account, deviceId: deviceId, storefront: storefront, defaults: defaults,
            launches: launches)
    }
}

extension OpenRefundRequest {
    @_disfavoredOverload
    public init(_ transaction: borrowing ScopedIdentifier, reason: ConsumptionRequestReason) {
        self.init(transaction: copy transaction, reason: reason)
    }
}

extension OpenStoreRequest {
    @_disfavoredOverload
    public init(from: borrowing String, to: String, expiresAt: Timestamp) {
        self.init(from: copy from, to: to, expiresAt: expiresAt)
    }
}

extension OperateSubscriptionReply {
    @_disfavoredOverload
    public init(subscription: borrowing Subscription, transaction: PaymentTransaction? = nil) {
        self.init(subscription: copy subscription, transaction: transaction)
    }
}

extension OperateSubscriptionRequest {
    @_disfavoredOverload
    public init(
        _ transaction: borrowing ScopedIdentifier, operation: Operation, days: Int? = nil,
        reason: Subscription.ExpirationReason? = nil
    ) {
        self.init(transaction: copy transaction, operation: operation, days: days, reason: reason)
    }
}

extension OperateTransactionRequest {
    @_disfavoredOverload
    public init(_ transaction: borrowing ScopedIdentifier, error: SKErrorCode? = nil) {
        self.init(transaction: copy transaction, error: error)
    }
}

extension OverridesBatch {
    @_disfavoredOverload
    public init(installations: borrowing [InstallationReference]) {
        self.init(installations: copy installations)
    }
}

extension OverridesBatchReply {
    @_disfavoredOverload
    public init(promotions: borrowing [DevicePromotions]) {
        self.init(promotions: copy promotions)
    }
}

extension PageRequest {
    @_disfavoredOverload
    public init(in scope: borrowing IsolationScope, after: String? = nil, limit: Int = 100) {
        self.init(scope: copy scope, after: after, limit: limit)
    }
}

extension PastPurchase {
    @_disfavoredOverload
    public init(due: borrowing Due, at: Timestamp, price: Money? = nil, willAutoRenew: Bool? = nil) {
        self.init(due: copy due, at: at, price: price, willAutoRenew: willAutoRenew)
    }
}

extension Payment {
    @_disfavoredOverload
    public init(
        requestIdentifier: borrowing String, productIdentifier: String, quantity: Int = 1,
        applicationUsername: String? = nil, appAccountToken: String? = nil, simulatesAskToBuyInSandbox: Bool = false,
        paymentDiscount: PaymentDiscount? = nil, intentIdentifier: String? = nil, returnsOutcome: Bool? = nil,
        billingPlanType: BillingPlan? = nil
    ) {
        self.init(
            requestIdentifier: copy requestIdentifier, productIdentifier: productIdentifier, quantity: quantity,
            applicationUsername: applicationUsername, appAccountToken: appAccountToken,
            simulatesAskToBuyInSandbox: simulatesAskToBuyInSandbox, paymentDiscount: paymentDiscount,
            intentIdentifier: intentIdentifier, returnsOutcome: returnsOutcome, billingPlanType: billingPlanType)
    }
}

extension PaymentDiscount {
    @_disfavoredOverload
    public init(
        identifier: borrowing String, keyIdentifier: String, nonce: String, signature: String, timestamp: Int64
    ) {
        self.init(
            identifier: copy identifier, keyIdentifier: keyIdentifier, nonce: nonce, signature: signature,
            timestamp: timestamp)
    }
}

extension PaymentOutcome {
    @_disfavoredOverload
    public init(id: borrowing String, transaction: ServerTransaction, isHeld: Bool, wasDeferred: Bool) {
        self.init(id: copy id, transaction: transaction, isHeld: isHeld, wasDeferred: wasDeferred)
    }
}

extension PaymentOutcomes {
    @_disfavoredOverload
    public init(customer: borrowing TransactionLookupReply, outcomes: [PaymentOutcome]) {
        self.init(customer: copy customer, outcomes: outcomes)
    }
}

extension PaymentOutcomesRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String, ids: [String]) {
        self.init(bundleId: copy bundleId, customerIdentifier: customerIdentifier, ids: ids)
    }
}

extension PaymentTransaction {
    @_disfavoredOverload
    public init(
        id: borrowing String, transactionIdentifier: String? = nil, transactionState: TransactionState,
        transactionDate: Timestamp? = nil, payment: Payment, original: OriginalTransaction? = nil,
        originalTransactionIdentifier: String? = nil, error: TransactionError? = nil, downloads: [Download] = [],
        warnings: [String]? = nil, revision: Int, deliveries: Int = 0, originDeviceId: String,
        supersedes: String? = nil, expiresDate: Timestamp? = nil, isTrialPeriod: Bool? = nil,
        isInIntroOfferPeriod: Bool? = nil, isUpgraded: Bool? = nil, revocationDate: Timestamp? = nil,
        revocationReason: RefundRequest.Reason? = nil, revocationType: RevocationType? = nil,
        revocationPercentage: Int? = nil, effectiveDate: Timestamp? = nil, subscriptionGroupIdentifier: String? = nil,
        price: Money? = nil, offer: AppliedOffer? = nil, isFamilyShared: Bool? = nil, commitment: Commitment? = nil,
        storefrontChange: StorefrontChange? = nil, priceIncrease: PriceIncrease? = nil
    ) {
        self.init(
            id: copy id, transactionIdentifier: transactionIdentifier, transactionState: transactionState,
            transactionDate: transactionDate, payment: payment, original: original,
            originalTransactionIdentifier: originalTransactionIdentifier, error: error, downloads: downloads,
            warnings: warnings, revision: revision, deliveries: deliveries, originDeviceId: originDeviceId,
            supersedes: supersedes, expiresDate: expiresDate, isTrialPeriod: isTrialPeriod,
            isInIntroOfferPeriod: isInIntroOfferPeriod, isUpgraded: isUpgraded, revocationDate: revocationDate,
            revocationReason: revocationReason, revocationType: revocationType,
            revocationPercentage: revocationPercentage, effectiveDate: effectiveDate,
            subscriptionGroupIdentifier: subscriptionGroupIdentifier, price: price, offer: offer,
            isFamilyShared: isFamilyShared, commitment: commitment, storefrontChange: storefrontChange,
            priceIncrease: priceIncrease)
    }
}

extension PriceConsentQuestion {
    @_disfavoredOverload
    public init(
        originalTransactionIdentifier: borrowing String, productIdentifier: String, price: Money, formerPrice: Money
    ) {
        self.init(
            originalTransactionIdentifier: copy originalTransactionIdentifier, productIdentifier: productIdentifier,
            price: price, formerPrice: formerPrice)
    }
}

extension PriceIncrease {
    @_disfavoredOverload
    public init(status: borrowing Status, price: Money, formerPrice: Money) {
        self.init(status: copy status, price: price, formerPrice: formerPrice)
    }
}

extension Product {
    @_disfavoredOverload
    public init(
        productIdentifier: borrowing String, type: ProductType, localizedTitle: String, localizedDescription: String,
        price: Money, priceLocale: String, subscriptionPeriod: SubscriptionPeriod? = nil,
        subscriptionGroupIdentifier: String? = nil, introductoryPrice: ProductDiscount? = nil,
        discounts: [ProductDiscount] = [], isFamilyShareable: Bool = false, isDownloadable: Bool = false,
        downloadContentLengths: [Int64] = [], downloadContentVersion: String = "", displayPrice: String? = nil,
        winBackOffers: [ProductDiscount]? = nil, subscriptionGroupLevel: Int? = nil,
        subscriptionGroupDisplayName: String? = nil, pricingTerms: [BillingTerms]? = nil,
        introductoryOfferEligibility: OfferEligibility? = nil
    ) {
        self.init(
            productIdentifier: copy productIdentifier, type: type, localizedTitle: localizedTitle,
            localizedDescription: localizedDescription, price: price, priceLocale: priceLocale,
            subscriptionPeriod: subscriptionPeriod, subscriptionGroupIdentifier: subscriptionGroupIdentifier,
            introductoryPrice: introductoryPrice, discounts: discounts, isFamilyShareable: isFamilyShareable,
            isDownloadable: isDownloadable, downloadContentLengths: downloadContentLengths,
            downloadContentVersion: downloadContentVersion, displayPrice: displayPrice, winBackOffers: winBackOffers,
            subscriptionGroupLevel: subscriptionGroupLevel, subscriptionGroupDisplayName: subscriptionGroupDisplayName,
            pricingTerms: pricingTerms, introductoryOfferEligibility: introductoryOfferEligibility)
    }
}

extension ProductDiscount {
    @_disfavoredOverload
    public init(
        identifier: borrowing String? = nil, type: Kind, price: Money, priceLocale: String, paymentMode: PaymentMode,
        subscriptionPeriod: SubscriptionPeriod, numberOfPeriods: Int, displayPrice: String? = nil
    ) {
        self.init(
            identifier: copy identifier, type: type, price: price, priceLocale: priceLocale, paymentMode: paymentMode,
            subscriptionPeriod: subscriptionPeriod, numberOfPeriods: numberOfPeriods, displayPrice: displayPrice)
    }
}

extension ProductEligibility {
    @_disfavoredOverload
    public init(
        productIdentifier: borrowing String, subscriptionGroupIdentifier: String, eligibility: OfferEligibility,
        rule: IntroductoryOfferPolicy.Rule, transactionIdentifier: String? = nil, usedProductIdentifier: String? = nil
    ) {
        self.init(
            productIdentifier: copy productIdentifier, subscriptionGroupIdentifier: subscriptionGroupIdentifier,
            eligibility: eligibility, rule: rule, transactionIdentifier: transactionIdentifier,
            usedProductIdentifier: usedProductIdentifier)
    }
}

extension ProductOffers {
    @_disfavoredOverload
    public init(
        productIdentifier: borrowing String, storefront: String, introductoryPrice: ProductDiscount? = nil,
        discounts: [ProductDiscount], redeemableOffers: [RedeemableOffer]
    ) {
        self.init(
            productIdentifier: copy productIdentifier, storefront: storefront, introductoryPrice: introductoryPrice,
            discounts: discounts, redeemableOffers: redeemableOffers)
    }
}

extension ProductOffersRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, productIdentifier: String, storefront: String? = nil) {
        self.init(bundleId: copy bundleId, productIdentifier: productIdentifier, storefront: storefront)
    }
}

extension ProductPromotionRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, productIdentifier: String, storefront: String) {
        self.init(bundleId: copy bundleId, productIdentifier: productIdentifier, storefront: storefront)
    }
}

extension ProductReference {
    @_disfavoredOverload
    public init(bundleId: borrowing String, productIdentifier: String) {
        self.init(bundleId: copy bundleId, productIdentifier: productIdentifier)
    }
}

extension ProductsPage {
    @_disfavoredOverload
    public init(products: borrowing [Product], after: String? = nil, catalogVersion: Int64) {
        self.init(products: copy products, after: after, catalogVersion: catalogVersion)
    }
}

extension ProductsPageRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, storefront: String? = nil, after: String? = nil, limit: Int = 100,
        type: ProductType? = nil
    ) {
        self.init(bundleId: copy bundleId, storefront: storefront, after: after, limit: limit, type: type)
    }
}

extension ProductsReplyOf {
    @_disfavoredOverload
    public init(products: borrowing [Item], invalidProductIdentifiers: [String], catalogVersion: Int64) {
        self.init(
            products: copy products, invalidProductIdentifiers: invalidProductIdentifiers,
            catalogVersion: catalogVersion)
    }
}

extension ProductsRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, productIdentifiers: [String], storefront: String, language: String? = nil) {
        self.init(
            bundleId: copy bundleId, productIdentifiers: productIdentifiers, storefront: storefront, language: language)
    }
}

extension PromotedProductFacts {
    @_disfavoredOverload
    public init(
        product: borrowing Product, isPromoted: Bool, isAvailable: Bool, appPrice: Money? = nil, currentVersion: String,
        promotionsSupportedSince: String? = nil, isHidden: Bool? = nil
    ) {
        self.init(
            product: copy product, isPromoted: isPromoted, isAvailable: isAvailable, appPrice: appPrice,
            currentVersion: currentVersion, promotionsSupportedSince: promotionsSupportedSince, isHidden: isHidden)
    }
}

extension PromotedProductsReplyOf {
    @_disfavoredOverload
    public init(
        products: borrowing [Item], hiddenProductIdentifiers: [String] = [], featuredProductIdentifiers: [String] = [],
        appName: String = "", catalogVersion: Int64
    ) {
        self.init(
            products: copy products, hiddenProductIdentifiers: hiddenProductIdentifiers,
            featuredProductIdentifiers: featuredProductIdentifiers, appName: appName, catalogVersion: catalogVersion)
    }
}

extension PromotedProductsRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, storefront: String) {
        self.init(bundleId: copy bundleId, storefront: storefront)
    }
}

extension Promotion {
    @_disfavoredOverload
    public init(product: borrowing Product, owned: Bool? = nil) {
        self.init(product: copy product, owned: owned)
    }
}

extension PromotionEntry {
    @_disfavoredOverload
    public init(productIdentifier: borrowing String, visible: Bool) {
        self.init(productIdentifier: copy productIdentifier, visible: visible)
    }
}

extension PromotionExplanation {
    @_disfavoredOverload
    public init(reasons: borrowing [Reason], details: [String]) {
        self.init(reasons: copy reasons, details: details)
    }
}

extension PromotionImage {
    @_disfavoredOverload
    public init(
        productIdentifier: borrowing String, state: State, format: Format, width: Int, height: Int, length: Int64,
        sha256: String, reason: String? = nil
    ) {
        self.init(
            productIdentifier: copy productIdentifier, state: state, format: format, width: width, height: height,
            length: length, sha256: sha256, reason: reason)
    }
}

extension PromotionSetup {
    @_disfavoredOverload
    public init(bundleId: borrowing String, isPreview: Bool, promotions: [Item]) {
        self.init(bundleId: copy bundleId, isPreview: isPreview, promotions: promotions)
    }
}

extension PromotionalOfferPolicy.Decision {
    @_disfavoredOverload
    public init(isEligible: borrowing Bool, rule: PromotionalOfferPolicy.Rule) {
        self.init(isEligible: copy isEligible, rule: rule)
    }
}

extension Prompt {
    @_disfavoredOverload
    public init(
        id: borrowing String, kind: Kind, bundleId: String, account: String, transaction: PaymentTransaction? = nil,
        productIdentifier: String? = nil, appPrice: Money? = nil, times: Int? = nil,
        priceIncrease: PriceIncrease? = nil, createdAt: Timestamp, askedAt: Timestamp? = nil, answers: [Answer]
    ) {
        self.init(
            id: copy id, kind: kind, bundleId: bundleId, account: account, transaction: transaction,
            productIdentifier: productIdentifier, appPrice: appPrice, times: times, priceIncrease: priceIncrease,
            createdAt: createdAt, askedAt: askedAt, answers: answers)
    }
}

extension PromptsPage {
    @_disfavoredOverload
    public init(prompts: borrowing [Prompt], after: String? = nil) {
        self.init(prompts: copy prompts, after: after)
    }
}

extension PromptsRequest {
    @_disfavoredOverload
    public init(account: borrowing String? = nil, bundleId: String? = nil, after: String? = nil, limit: Int = 100) {
        self.init(account: copy account, bundleId: bundleId, after: after, limit: limit)
    }
}

extension PutAppRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, settings: AppSettings) {
        self.init(bundleId: copy bundleId, settings: settings)
    }
}

extension PutClockRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, rate: ClockRate? = nil, now: Timestamp? = nil, frozen: Bool? = nil) {
        self.init(bundleId: copy bundleId, rate: rate, now: now, frozen: frozen)
    }
}

extension PutDeviceRequest {
    @_disfavoredOverload
    public init(_ device: borrowing ScopedIdentifier, platform: DeviceLaunch.Platform, osVersion: String) {
        self.init(device: copy device, platform: platform, osVersion: osVersion)
    }
}

extension PutFamilyMemberRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, family: String, account: String, sharing: FamilySharing) {
        self.init(bundleId: copy bundleId, family: family, account: account, sharing: sharing)
    }
}

extension PutFamilyRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, family: String, organiser: String) {
        self.init(bundleId: copy bundleId, family: family, organiser: organiser)
    }
}

extension PutInstallationRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, deviceId: String, version: String,
        promotedPurchases: DeviceLaunch.PromotedPurchases? = nil
    ) {
        self.init(bundleId: copy bundleId, deviceId: deviceId, version: version, promotedPurchases: promotedPurchases)
    }
}

extension PutNotificationEndpointRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, endpoint: NotificationEndpoint) {
        self.init(bundleId: copy bundleId, endpoint: endpoint)
    }
}

extension PutPromotionOrderRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, deviceId: String, productIdentifiers: [String]) {
        self.init(bundleId: copy bundleId, deviceId: deviceId, productIdentifiers: productIdentifiers)
    }
}

extension PutPromotionVisibilityRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, deviceId: String, productIdentifier: String, visibility: StorePromotionVisibility
    ) {
        self.init(
            bundleId: copy bundleId, deviceId: deviceId, productIdentifier: productIdentifier, visibility: visibility)
    }
}

extension PutPromotionsRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, entries: [PromotionEntry]) {
        self.init(bundleId: copy bundleId, entries: entries)
    }
}

extension PutTesterRequest {
    @_disfavoredOverload
    public init(_ account: borrowing ScopedIdentifier, settings: TesterSettings) {
        self.init(account: copy account, settings: settings)
    }
}

extension Quote {
    @_disfavoredOverload
    public init(
        catalogVersion: borrowing Int64, settingsRevision: Int64, availability: Availability, product: Product? = nil,
        subscriptionLevel: Int? = nil, subscriptionGroupProducts: [String]? = nil, unfinishedLimit: Int? = nil,
        testerDefaults: TesterSettings? = nil, billingGracePeriod: Bool? = nil,
        redeemableOffers: [RedeemableOffer]? = nil
    ) {
        self.init(
            catalogVersion: copy catalogVersion, settingsRevision: settingsRevision, availability: availability,
            product: product, subscriptionLevel: subscriptionLevel,
            subscriptionGroupProducts: subscriptionGroupProducts, unfinishedLimit: unfinishedLimit,
            testerDefaults: testerDefaults, billingGracePeriod: billingGracePeriod, redeemableOffers: redeemableOffers)
    }
}

extension QuoteRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, productIdentifier: String, storefront: String, isTest: Bool? = nil) {
        self.init(bundleId: copy bundleId, productIdentifier: productIdentifier, storefront: storefront, isTest: isTest)
    }
}

extension ReadContentRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, productIdentifier: String, version: String, sha256: String, offset: Int64,
        length: Int
    ) {
        self.init(
            bundleId: copy bundleId, productIdentifier: productIdentifier, version: version, sha256: sha256,
            offset: offset, length: length)
    }
}

extension ReadImageRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, productIdentifier: String, sha256: String, offset: Int64) {
        self.init(bundleId: copy bundleId, productIdentifier: productIdentifier, sha256: sha256, offset: offset)
    }
}

extension ReadReceiptRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, receiptData: String) {
        self.init(bundleId: copy bundleId, receiptData: receiptData)
    }
}

extension ReceiptFactsPage {
    @_disfavoredOverload
    public init(
        items: borrowing [ReceiptItem], subscriptions: [Subscription], after: String? = nil, firstSeen: Timestamp,
        businessNow: Timestamp
    ) {
        self.init(
            items: copy items, subscriptions: subscriptions, after: after, firstSeen: firstSeen,
            businessNow: businessNow)
    }
}

extension ReceiptFactsRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String, after: String? = nil, limit: Int = 500) {
        self.init(bundleId: copy bundleId, customerIdentifier: customerIdentifier, after: after, limit: limit)
    }
}

extension ReceiptHistory {
    @_disfavoredOverload
    public init(items: borrowing [ReceiptItem], now: Timestamp, renewals: [ReceiptRenewal]? = nil) {
        self.init(items: copy items, now: now, renewals: renewals)
    }
}

extension ReceiptItem {
    @_disfavoredOverload
    public init(
        transactionIdentifier: borrowing String, originalTransactionIdentifier: String, productIdentifier: String,
        type: ProductType, quantity: Int, purchaseDate: Timestamp, originalPurchaseDate: Timestamp,
        expiresDate: Timestamp? = nil, webOrderLineItemIdentifier: String? = nil,
        subscriptionGroupIdentifier: String? = nil, isTrialPeriod: Bool? = nil, isInIntroOfferPeriod: Bool? = nil,
        isUpgraded: Bool? = nil, cancellationDate: Timestamp? = nil, cancellationReason: RefundRequest.Reason? = nil,
        revocationType: RevocationType? = nil, revocationPercentage: Int? = nil, offer: AppliedOffer? = nil,
        appAccountToken: String? = nil, isFamilyShared: Bool? = nil, billingPlanType: BillingPlan? = nil,
        commitment: Commitment? = nil
    ) {
        self.init(
            transactionIdentifier: copy transactionIdentifier,
            originalTransactionIdentifier: originalTransactionIdentifier, productIdentifier: productIdentifier,
            type: type, quantity: quantity, purchaseDate: purchaseDate, originalPurchaseDate: originalPurchaseDate,
            expiresDate: expiresDate, webOrderLineItemIdentifier: webOrderLineItemIdentifier,
            subscriptionGroupIdentifier: subscriptionGroupIdentifier, isTrialPeriod: isTrialPeriod,
            isInIntroOfferPeriod: isInIntroOfferPeriod, isUpgraded: isUpgraded, cancellationDate: cancellationDate,
            cancellationReason: cancellationReason, revocationType: revocationType,
            revocationPercentage: revocationPercentage, offer: offer, appAccountToken: appAccountToken,
            isFamilyShared: isFamilyShared, billingPlanType: billingPlanType, commitment: commitment)
    }
}

extension ReceiptRenewal {
    @_disfavoredOverload
    public init(
        originalTransactionIdentifier: borrowing String, subscriptionGroupIdentifier: String? = nil,
        isInBillingRetryPeriod: Bool = false, gracePeriodExpiresDate: Timestamp? = nil
    ) {
        self.init(
            originalTransactionIdentifier: copy originalTransactionIdentifier,
            subscriptionGroupIdentifier: subscriptionGroupIdentifier, isInBillingRetryPeriod: isInBillingRetryPeriod,
            gracePeriodExpiresDate: gracePeriodExpiresDate)
    }
}

extension RecordedTransaction {
    public init(transaction: PaymentTransaction, record: TransactionsPage.Record) {
        self.transaction = transaction; self.record = record
    }
}

extension RedeemableOffer {
    @_disfavoredOverload
    public init(
        type: borrowing Kind, offer: ProductDiscount, audiences: [Audience]? = nil, isStackable: Bool? = nil,
        winBack: WinBackConditions? = nil
    ) {
        self.init(type: copy type, offer: offer, audiences: audiences, isStackable: isStackable, winBack: winBack)
    }
}

extension RedeemableOffer.WinBackConditions {
    @_disfavoredOverload
    public init(
        paidMonthsMin: borrowing Int, monthsSinceExpiryMin: Int, monthsSinceExpiryMax: Int? = nil,
        monthsBetweenOffers: Int? = nil, isOffered: Bool? = nil
    ) {
        self.init(
            paidMonthsMin: copy paidMonthsMin, monthsSinceExpiryMin: monthsSinceExpiryMin,
            monthsSinceExpiryMax: monthsSinceExpiryMax, monthsBetweenOffers: monthsBetweenOffers, isOffered: isOffered)
    }
}

extension RedeemedCode {
    @_disfavoredOverload
    public init(codeIdentifier: borrowing String, digest: String, productIdentifier: String, offer: String) {
        self.init(
            codeIdentifier: copy codeIdentifier, digest: digest, productIdentifier: productIdentifier, offer: offer)
    }
}

extension RedeemedOffer {
    @_disfavoredOverload
    public init(type: borrowing AppliedOffer.Kind, identifier: String? = nil) {
        self.init(type: copy type, identifier: identifier)
    }
}

extension RefundRequest {
    @_disfavoredOverload
    public init(_ transaction: borrowing ScopedIdentifier, reason: Reason? = nil) {
        self.init(transaction: copy transaction, reason: reason)
    }
}

extension RefundRequestsPage {
    @_disfavoredOverload
    public init(refundRequests: borrowing [CustomerRefundRequest], after: String? = nil) {
        self.init(refundRequests: copy refundRequests, after: after)
    }
}

extension RefundRequestsRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, after: String? = nil, limit: Int = 100) {
        self.init(bundleId: copy bundleId, after: after, limit: limit)
    }
}

extension RefundsPage {
    @_disfavoredOverload
    public init(refunds: borrowing [Refund], after: String? = nil) {
        self.init(refunds: copy refunds, after: after)
    }
}

extension RemoveAppReply {
    @_disfavoredOverload
    public init(isDone: borrowing Bool) {
        self.init(isDone: copy isDone)
    }
}

extension RemoveAppRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, deletion: Int64? = nil, isLast: Bool = false) {
        self.init(bundleId: copy bundleId, deletion: deletion, isLast: isLast)
    }
}

extension RemoveFamilyMemberRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, family: String, account: String) {
        self.init(bundleId: copy bundleId, family: family, account: account)
    }
}

extension ReportAttemptRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, attemptIdentifier: String, sendAttemptResult: SendAttemptResult,
        httpStatus: Int? = nil, durationMs: Int? = nil, bodyStart: String? = nil
    ) {
        self.init(
            bundleId: copy bundleId, attemptIdentifier: attemptIdentifier, sendAttemptResult: sendAttemptResult,
            httpStatus: httpStatus, durationMs: durationMs, bodyStart: bodyStart)
    }
}

extension ResetReply {
    @_disfavoredOverload
    public init(removedTransactions: borrowing Int) {
        self.init(removedTransactions: copy removedTransactions)
    }
}

extension ResetRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, intents: [String]? = nil) {
        self.init(bundleId: copy bundleId, intents: intents)
    }
}

extension Restore {
    @_disfavoredOverload
    public init(
        restoreIdentifier: borrowing String, state: State, error: TransactionError? = nil, restored: Int,
        applicationUsername: String? = nil
    ) {
        self.init(
            restoreIdentifier: copy restoreIdentifier, state: state, error: error, restored: restored,
            applicationUsername: applicationUsername)
    }
}

extension RestoreRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String, deviceId: String, restoreIdentifier: String) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, deviceId: deviceId,
            restoreIdentifier: restoreIdentifier)
    }
}

extension ReverseRefundRequest {
    @_disfavoredOverload
    public init(refundKey: borrowing String) {
        self.init(refundKey: copy refundKey)
    }
}

extension ReviewImageRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, productIdentifier: String, isApproved: Bool, reason: String? = nil) {
        self.init(bundleId: copy bundleId, productIdentifier: productIdentifier, isApproved: isApproved, reason: reason)
    }
}

extension Revocation {
    @_disfavoredOverload
    public init(seq: borrowing Int64, productIdentifiers: [String]) {
        self.init(seq: copy seq, productIdentifiers: productIdentifiers)
    }
}

extension ServerApp {
    @_disfavoredOverload
    public init(bundleId: borrowing String, environment: AppStoreEnvironment, appAppleId: Int64? = nil) {
        self.init(bundleId: copy bundleId, environment: environment, appAppleId: appAppleId)
    }
}

extension ServerEvent {
    @_disfavoredOverload
    public init(
        position: borrowing String, bundleId: String, customerIdentifier: String? = nil, account: String? = nil,
        appTransactionIdentifier: String? = nil, at: Timestamp, changes: [Change],
        extensions: SubscriptionExtensions? = nil
    ) {
        self.init(
            position: copy position, bundleId: bundleId, customerIdentifier: customerIdentifier, account: account,
            appTransactionIdentifier: appTransactionIdentifier, at: at, changes: changes, extensions: extensions)
    }
}

extension ServerEvent.Change {
    @_disfavoredOverload
    public init(
        kind: borrowing ServerEvent.Kind, transaction: ServerTransaction, subscription: ServerSubscription? = nil,
        level: ServerEvent.LevelChange? = nil, endsRenewal: Bool? = nil,
        consumptionRequestReason: ConsumptionRequestReason? = nil
    ) {
        self.init(
            kind: copy kind, transaction: transaction, subscription: subscription, level: level,
            endsRenewal: endsRenewal, consumptionRequestReason: consumptionRequestReason)
    }
}

extension ServerEventsPage {
    @_disfavoredOverload
    public init(events: borrowing [ServerEvent], after: String? = nil, hasMore: Bool, clock: AppClockState? = nil) {
        self.init(events: copy events, after: after, hasMore: hasMore, clock: clock)
    }
}

extension ServerEventsRequest {
    @_disfavoredOverload
    public init(after: borrowing String? = nil, limit: Int = 100, clockOf: String? = nil) {
        self.init(after: copy after, limit: limit, clockOf: clockOf)
    }
}

extension ServerNotification {
    @_disfavoredOverload
    public init(
        notificationUUID: borrowing String, bundleId: String, notificationType: NotificationType,
        subtype: NotificationSubtype? = nil, account: String? = nil, at: Timestamp, state: State,
        signedPayload: String? = nil, attempts: [NotificationAttempt] = [], nextAttemptAt: Timestamp? = nil
    ) {
        self.init(
            notificationUUID: copy notificationUUID, bundleId: bundleId, notificationType: notificationType,
            subtype: subtype, account: account, at: at, state: state, signedPayload: signedPayload, attempts: attempts,
            nextAttemptAt: nextAttemptAt)
    }
}

extension ServerSubscription {
    @_disfavoredOverload
    public init(
        subscription: borrowing Subscription, transaction: ServerTransaction, recentStart: Timestamp,
        nextOffer: AppliedOffer? = nil
    ) {
        self.init(
            subscription: copy subscription, transaction: transaction, recentStart: recentStart, nextOffer: nextOffer)
    }
}

extension ServerTransaction {
    @_disfavoredOverload
    public init(
        item: borrowing ReceiptItem, price: Money? = nil, storefront: String, reason: Reason, modifiedSeq: Int64
    ) {
        self.init(item: copy item, price: price, storefront: storefront, reason: reason, modifiedSeq: modifiedSeq)
    }
}

extension SetAppAccountTokenRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, originalTransactionIdentifier: String, appAccountToken: String) {
        self.init(
            bundleId: copy bundleId, originalTransactionIdentifier: originalTransactionIdentifier,
            appAccountToken: appAccountToken)
    }
}

extension ShowPriceConsentRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String, originalTransactionIdentifier: String, show: Bool
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier,
            originalTransactionIdentifier: originalTransactionIdentifier, show: show)
    }
}

extension SignChangesRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String, deviceVerificationId: String, ids: [String] = [],
        subscriptionGroups: [String] = []
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, deviceVerificationId: deviceVerificationId,
            ids: ids, subscriptionGroups: subscriptionGroups)
    }
}

extension SignedChanges {
    @_disfavoredOverload
    public init(outcomes: borrowing [Outcome], statuses: [Status]) {
        self.init(outcomes: copy outcomes, statuses: statuses)
    }
}

extension SignedChanges.Outcome {
    @_disfavoredOverload
    public init(id: borrowing String, isHeld: Bool, wasDeferred: Bool, isRenewal: Bool, signedTransaction: String) {
        self.init(
            id: copy id, isHeld: isHeld, wasDeferred: wasDeferred, isRenewal: isRenewal,
            signedTransaction: signedTransaction)
    }
}

extension SignedChanges.Status {
    @_disfavoredOverload
    public init(groupID: borrowing String, transactionId: String, status: SignedSubscriptionStatus) {
        self.init(groupID: copy groupID, transactionId: transactionId, status: status)
    }
}

extension SignedSubscriptionStatus {
    @_disfavoredOverload
    public init(state: borrowing Int, signedTransaction: String, signedRenewalInfo: String) {
        self.init(state: copy state, signedTransaction: signedTransaction, signedRenewalInfo: signedRenewalInfo)
    }
}

extension SnapshotOf {
    @_disfavoredOverload
    public init(
        transactions: borrowing [Item], seq: Int64, after: String? = nil, restores: [Restore] = [],
        revocations: [Revocation] = [], priceConsents: [PriceConsentQuestion]? = nil
    ) {
        self.init(
            transactions: copy transactions, seq: seq, after: after, restores: restores, revocations: revocations,
            priceConsents: priceConsents)
    }
}

extension SnapshotRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String, deviceId: String, countsDelivery: Bool,
        after: String? = nil, limit: Int = 100, opening: StreamOpening? = nil
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, deviceId: deviceId,
            countsDelivery: countsDelivery, after: after, limit: limit, opening: opening)
    }
}

extension SpanRequest {
    @_disfavoredOverload
    package init(
        traceIds: borrowing [String]? = nil, text: String? = nil, atLeastMicros: Int64? = nil, rootsOnly: Bool? = nil,
        limit: Int, after: [String: Int64]? = nil
    ) {
        self.init(
            traceIds: copy traceIds, text: text, atLeastMicros: atLeastMicros, rootsOnly: rootsOnly, limit: limit,
            after: after)
    }
}

extension StartPurchaseReply {
    @_disfavoredOverload
    public init(outcome: borrowing Outcome, intentIdentifier: String? = nil) {
        self.init(outcome: copy outcome, intentIdentifier: intentIdentifier)
    }
}

extension StartPurchaseRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, deviceId: String, customerIdentifier: String, account: String,
        source: StorePurchaseIntent.Source, facts: PromotedProductFacts, offer: String? = nil, requestIdentifier: String
    ) {
        self.init(
            bundleId: copy bundleId, deviceId: deviceId, customerIdentifier: customerIdentifier, account: account,
            source: source, facts: facts, offer: offer, requestIdentifier: requestIdentifier)
    }
}

extension StartRestoreRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String, deviceId: String, requestIdentifier: String,
        applicationUsername: String? = nil
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, deviceId: deviceId,
            requestIdentifier: requestIdentifier, applicationUsername: applicationUsername)
    }
}

extension StoreAddress {
    @_disfavoredOverload
    public init(url: borrowing String) {
        self.init(url: copy url)
    }
}

extension StoreEvent {
    @_disfavoredOverload
    public init(
        id: borrowing String, type: Kind, at: Timestamp, bundleId: String, account: String,
        transaction: PaymentTransaction
    ) {
        self.init(id: copy id, type: type, at: at, bundleId: bundleId, account: account, transaction: transaction)
    }
}

extension StorePageCustomer {
    @_disfavoredOverload
    public init(
        storefront: borrowing String, ownedProductIdentifiers: [String], isTruncated: Bool? = nil,
        businessNow: Timestamp
    ) {
        self.init(
            storefront: copy storefront, ownedProductIdentifiers: ownedProductIdentifiers, isTruncated: isTruncated,
            businessNow: businessNow)
    }
}

extension StorePageCustomerRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String) {
        self.init(bundleId: copy bundleId, customerIdentifier: customerIdentifier)
    }
}

extension StorePageCustomers {
    @_disfavoredOverload
    public init(standings: borrowing [StorePageCustomer?]) {
        self.init(standings: copy standings)
    }
}

extension StorePageCustomersRequest {
    @_disfavoredOverload
    public init(customers: borrowing [StorePageCustomerRequest]) {
        self.init(customers: copy customers)
    }
}

extension StorePurchaseIntent {
    @_disfavoredOverload
    public init(
        intentIdentifier: borrowing String, state: State, payment: Payment, product: Product, offer: String? = nil,
        source: Source, answerBy: Timestamp? = nil, expiresAt: Timestamp, deferredBy: Deferral? = nil,
        feedback: String? = nil, transactionId: String? = nil, bundleId: String? = nil, account: String? = nil,
        deviceId: String? = nil, warning: String? = nil
    ) {
        self.init(
            intentIdentifier: copy intentIdentifier, state: state, payment: payment, product: product, offer: offer,
            source: source, answerBy: answerBy, expiresAt: expiresAt, deferredBy: deferredBy, feedback: feedback,
            transactionId: transactionId, bundleId: bundleId, account: account, deviceId: deviceId, warning: warning)
    }
}

extension StorePurchaseIntent.Life {
    @_disfavoredOverload
    public init(
        state: borrowing StorePurchaseIntent.State = .pending, answerBy: Timestamp? = nil, expiresAt: Timestamp,
        deferredBy: StorePurchaseIntent.Deferral? = nil, feedback: String? = nil, isAdded: Bool = false
    ) {
        self.init(
            state: copy state, answerBy: answerBy, expiresAt: expiresAt, deferredBy: deferredBy, feedback: feedback,
            isAdded: isAdded)
    }
}

extension StorePurchaseIntent.Life.Now {
    @_disfavoredOverload
    public init(wall: borrowing Timestamp, business: Timestamp) {
        self.init(wall: copy wall, business: business)
    }
}

extension Storefront {
    @_disfavoredOverload
    public init(countryCode: borrowing String, identifier: String, currency: Currency? = nil) {
        self.init(countryCode: copy countryCode, identifier: identifier, currency: currency)
    }
}

extension StorefrontChange {
    @_disfavoredOverload
    public init(storefront: borrowing Storefront, answerBy: Timestamp) {
        self.init(storefront: copy storefront, answerBy: answerBy)
    }
}

extension StorefrontDescription {
    @_disfavoredOverload
    public init(
        countryCode: borrowing String, identifier: String, name: String, currency: Currency, locale: String,
        languages: [String]
    ) {
        self.init(
            countryCode: copy countryCode, identifier: identifier, name: name, currency: currency, locale: locale,
            languages: languages)
    }
}

extension StorefrontDescriptions {
    @_disfavoredOverload
    public init(storefronts: borrowing [StorefrontDescription]) {
        self.init(storefronts: copy storefronts)
    }
}

extension StorefrontsReply {
    @_disfavoredOverload
    public init(storefronts: borrowing [Storefront]) {
        self.init(storefronts: copy storefronts)
    }
}

extension StreamOpening {
    @_disfavoredOverload
    public init(through: borrowing Int64? = nil) {
        self.init(through: copy through)
    }
}

extension StrictJSONError {
    @_disfavoredOverload
    public init(offset: borrowing Int, path: String, reason: String) {
        self.init(offset: copy offset, path: path, reason: reason)
    }
}

extension Subscription.Period {
    @_disfavoredOverload
    public init(
        index: borrowing Int, start: Timestamp, end: Timestamp, transactionID: String, transactionIdentifier: String
    ) {
        self.init(
            index: copy index, start: start, end: end, transactionID: transactionID,
            transactionIdentifier: transactionIdentifier)
    }
}

extension SubscriptionEvent {
    @_disfavoredOverload
    public init(
        at: borrowing Timestamp, kind: Kind, account: String? = nil, originalTransactionIdentifier: String,
        productIdentifier: String, amount: Money? = nil, offer: AppliedOffer? = nil,
        transactionIdentifier: String? = nil, period: Int, expiresDate: Timestamp? = nil, detail: String? = nil
    ) {
        self.init(
            at: copy at, kind: kind, account: account, originalTransactionIdentifier: originalTransactionIdentifier,
            productIdentifier: productIdentifier, amount: amount, offer: offer,
            transactionIdentifier: transactionIdentifier, period: period, expiresDate: expiresDate, detail: detail)
    }
}

extension SubscriptionExtensions {
    @_disfavoredOverload
    public init(
        requestIdentifier: borrowing String, productIdentifier: String, storefronts: [String]? = nil,
        succeededCount: Int64, failedCount: Int64, completedAt: Timestamp? = nil
    ) {
        self.init(
            requestIdentifier: copy requestIdentifier, productIdentifier: productIdentifier, storefronts: storefronts,
            succeededCount: succeededCount, failedCount: failedCount, completedAt: completedAt)
    }
}

extension SubscriptionExtensionsRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, productIdentifier: String, requestIdentifier: String) {
        self.init(bundleId: copy bundleId, productIdentifier: productIdentifier, requestIdentifier: requestIdentifier)
    }
}

extension SubscriptionGroupHistory {
    @_disfavoredOverload
    public init(
        subscriptionGroupIdentifier: borrowing String, introductoryOfferTransaction: String? = nil,
        introductoryOfferProduct: String? = nil, introductoryOfferReserved: Bool = false, activeUntil: Timestamp? = nil,
        activeTransaction: String? = nil, state: SubscriptionState? = nil, isRenewalDue: Bool = false
    ) {
        self.init(
            subscriptionGroupIdentifier: copy subscriptionGroupIdentifier,
            introductoryOfferTransaction: introductoryOfferTransaction,
            introductoryOfferProduct: introductoryOfferProduct, introductoryOfferReserved: introductoryOfferReserved,
            activeUntil: activeUntil, activeTransaction: activeTransaction, state: state, isRenewalDue: isRenewalDue)
    }
}

extension SubscriptionHistory {
    @_disfavoredOverload
    public init(subscriptions: borrowing [Entry] = [], offers: [Offer] = []) {
        self.init(subscriptions: copy subscriptions, offers: offers)
    }
}

extension SubscriptionHistory.Entry {
    @_disfavoredOverload
    public init(
        originalTransactionIdentifier: borrowing String, productIdentifier: String, groups: [String],
        activeUntil: Timestamp? = nil, activeTransaction: String? = nil, state: SubscriptionState,
        isRenewalDue: Bool = false
    ) {
        self.init(
            originalTransactionIdentifier: copy originalTransactionIdentifier, productIdentifier: productIdentifier,
            groups: groups, activeUntil: activeUntil, activeTransaction: activeTransaction, state: state,
            isRenewalDue: isRenewalDue)
    }
}

extension SubscriptionHistory.Offer {
    @_disfavoredOverload
    public init(productIdentifier: borrowing String, groups: [String], transactionIdentifier: String? = nil) {
        self.init(
            productIdentifier: copy productIdentifier, groups: groups, transactionIdentifier: transactionIdentifier)
    }
}

extension SubscriptionListRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String? = nil, account: String? = nil, state: SubscriptionState? = nil,
        after: String? = nil, limit: Int = 100
    ) {
        self.init(bundleId: copy bundleId, account: account, state: state, after: after, limit: limit)
    }
}

extension SubscriptionOfferKey {
    @_disfavoredOverload
    public init(keyIdentifier: borrowing String, publicKey: String) {
        self.init(keyIdentifier: copy keyIdentifier, publicKey: publicKey)
    }
}

extension SubscriptionPeriod {
    @_disfavoredOverload
    public init(numberOfUnits: borrowing Int, unit: Unit) {
        self.init(numberOfUnits: copy numberOfUnits, unit: unit)
    }
}

extension SubscriptionProduct {
    @_disfavoredOverload
    public init(productIdentifier: borrowing String, subscriptionGroupIdentifier: String, isAvailable: Bool) {
        self.init(
            productIdentifier: copy productIdentifier, subscriptionGroupIdentifier: subscriptionGroupIdentifier,
            isAvailable: isAvailable)
    }
}

extension SubscriptionProductsPage {
    @_disfavoredOverload
    public init(subscriptions: borrowing [SubscriptionProduct], after: String? = nil, catalogVersion: Int64) {
        self.init(subscriptions: copy subscriptions, after: after, catalogVersion: catalogVersion)
    }
}

extension SubscriptionProductsRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, storefront: String, after: String? = nil, limit: Int = 500) {
        self.init(bundleId: copy bundleId, storefront: storefront, after: after, limit: limit)
    }
}

extension SubscriptionStatuses {
    @_disfavoredOverload
    public init(seq: borrowing Int64, subscriptions: [ServerSubscription], businessNow: Timestamp) {
        self.init(seq: copy seq, subscriptions: subscriptions, businessNow: businessNow)
    }
}

extension SubscriptionStatusesRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String) {
        self.init(bundleId: copy bundleId, customerIdentifier: customerIdentifier)
    }
}

extension SubscriptionTimeline {
    @_disfavoredOverload
    public init(subscription: borrowing Subscription, events: [SubscriptionEvent], after: String? = nil) {
        self.init(subscription: copy subscription, events: events, after: after)
    }
}

extension SubscriptionsPage {
    @_disfavoredOverload
    public init(subscriptions: borrowing [Subscription], after: String? = nil, businessNow: Timestamp? = nil) {
        self.init(subscriptions: copy subscriptions, after: after, businessNow: businessNow)
    }
}

extension SubscriptionsRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String, after: String? = nil, limit: Int = 100) {
        self.init(bundleId: copy bundleId, customerIdentifier: customerIdentifier, after: after, limit: limit)
    }
}

extension TestNotificationReply {
    @_disfavoredOverload
    public init(notificationUUID: borrowing String, at: Timestamp) {
        self.init(notificationUUID: copy notificationUUID, at: at)
    }
}

extension TesterSettings {
    @_disfavoredOverload
    public init(
        storefront: borrowing String? = nil, canMakePayments: Bool? = nil, askToBuy: Bool? = nil,
        interruptPurchases: Bool? = nil, signIn: SignIn? = nil, sheet: PaymentSheetAnswer? = nil,
        priceConsent: PriceConsent? = nil, billingGracePeriod: Bool? = nil,
        subscriptionRenewalRate: SubscriptionRenewalRate? = nil, unlimitedRenewals: Bool? = nil,
        failRenewals: Bool? = nil, simulatedErrors: SimulatedErrors? = nil, processor: ProcessorMode? = nil
    ) {
        self.init(
            storefront: copy storefront, canMakePayments: canMakePayments, askToBuy: askToBuy,
            interruptPurchases: interruptPurchases, signIn: signIn, sheet: sheet, priceConsent: priceConsent,
            billingGracePeriod: billingGracePeriod, subscriptionRenewalRate: subscriptionRenewalRate,
            unlimitedRenewals: unlimitedRenewals, failRenewals: failRenewals, simulatedErrors: simulatedErrors,
            processor: processor)
    }
}

extension TesterSettings.SimulatedErrors {
    @_disfavoredOverload
    public init(
        loadProducts: borrowing String? = nil, purchase: String? = nil, restore: String? = nil,
        receiptRefresh: String? = nil, download: String? = nil
    ) {
        self.init(
            loadProducts: copy loadProducts, purchase: purchase, restore: restore, receiptRefresh: receiptRefresh,
            download: download)
    }
}

extension TestersLeaseRequest {
    @_disfavoredOverload
    public init(holder: borrowing String? = nil) {
        self.init(holder: copy holder)
    }
}

extension TestersPage {
    @_disfavoredOverload
    public init(testers: borrowing [Tester], after: String? = nil) {
        self.init(testers: copy testers, after: after)
    }
}

extension TestersVersion {
    @_disfavoredOverload
    public init(version: borrowing Int64) {
        self.init(version: copy version)
    }
}

extension TimelineRequest {
    @_disfavoredOverload
    public init(_ transaction: borrowing ScopedIdentifier, after: String? = nil, limit: Int = 100) {
        self.init(transaction: copy transaction, after: after, limit: limit)
    }
}

extension TraceSpan {
    @_disfavoredOverload
    package init(
        traceId: borrowing String, spanId: String, parentSpanId: String? = nil, name: String, kind: Kind,
        service: String, instance: String, startedAtMicros: Int64, durationMicros: Int64, error: String? = nil,
        attributes: [String: String] = [:]
    ) {
        self.init(
            traceId: copy traceId, spanId: spanId, parentSpanId: parentSpanId, name: name, kind: kind, service: service,
            instance: instance, startedAtMicros: startedAtMicros, durationMicros: durationMicros, error: error,
            attributes: attributes)
    }
}

extension TransactionListRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String? = nil, account: String? = nil, state: TransactionState? = nil,
        isFinished: Bool? = nil, after: String? = nil, limit: Int = 100
    ) {
        self.init(
            bundleId: copy bundleId, account: account, state: state, isFinished: isFinished, after: after, limit: limit)
    }
}

extension TransactionLookupReply {
    @_disfavoredOverload
    public init(
        customerIdentifier: borrowing String, appTransactionIdentifier: String, firstSeen: Timestamp,
        transaction: ServerTransaction? = nil, businessNow: Timestamp
    ) {
        self.init(
            customerIdentifier: copy customerIdentifier, appTransactionIdentifier: appTransactionIdentifier,
            firstSeen: firstSeen, transaction: transaction, businessNow: businessNow)
    }
}

extension TransactionLookupRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, identifier: String) {
        self.init(bundleId: copy bundleId, identifier: identifier)
    }
}

extension TransactionRequest {
    @_disfavoredOverload
    public init(bundleId: borrowing String, customerIdentifier: String, deviceId: String, id: String) {
        self.init(bundleId: copy bundleId, customerIdentifier: customerIdentifier, deviceId: deviceId, id: id)
    }
}

extension TransactionsPage {
    @_disfavoredOverload
    public init(transactions: borrowing [PaymentTransaction], records: [Record]? = nil, after: String? = nil) {
        self.init(transactions: copy transactions, records: records, after: after)
    }
}

extension TransactionsPage.Record {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, account: String, customerIdentifier: String, isFinished: Bool,
        orderId: String? = nil
    ) {
        self.init(
            bundleId: copy bundleId, account: account, customerIdentifier: customerIdentifier, isFinished: isFinished,
            orderId: orderId)
    }
}

extension TriggerNotificationRequest {
    @_disfavoredOverload
    public init(draft: borrowing NotificationDraft, customerIdentifier: String? = nil, account: String? = nil) {
        self.init(draft: copy draft, customerIdentifier: customerIdentifier, account: account)
    }
}

extension TrustFacts {
    @_disfavoredOverload
    public init(rootCertificate: borrowing String? = nil, environment: AppStoreEnvironment, issuerId: String) {
        self.init(rootCertificate: copy rootCertificate, environment: environment, issuerId: issuerId)
    }
}

extension UnfinishedListsRequest {
    @_disfavoredOverload
    public init(lists: borrowing [SnapshotRequest]) {
        self.init(lists: copy lists)
    }
}

extension UpdateDownloadRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String, deviceId: String, downloadId: String,
        action: DownloadAction, error: SKErrorCode? = nil
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, deviceId: deviceId, downloadId: downloadId,
            action: action, error: error)
    }
}

extension UpdateSubscriptionRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String, originalTransactionIdentifier: String,
        willAutoRenew: Bool? = nil, autoRenewProductIdentifier: String? = nil
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier,
            originalTransactionIdentifier: originalTransactionIdentifier, willAutoRenew: willAutoRenew,
            autoRenewProductIdentifier: autoRenewProductIdentifier)
    }
}

extension VerificationFacts {
    @_disfavoredOverload
    public init(rootCertificate: borrowing String, issuerId: String, keyIdentifier: String? = nil) {
        self.init(rootCertificate: copy rootCertificate, issuerId: issuerId, keyIdentifier: keyIdentifier)
    }
}

extension ViewedTransactions {
    @_disfavoredOverload
    public init(
        customer: borrowing TransactionLookupReply, seq: Int64, revision: String, isUnchanged: Bool,
        transactions: [ServerTransaction], after: Int64? = nil
    ) {
        self.init(
            customer: copy customer, seq: seq, revision: revision, isUnchanged: isUnchanged, transactions: transactions,
            after: after)
    }
}

extension ViewedTransactionsRequest {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String, view: SignedView = .all,
        productIdentifier: String? = nil, hasFinishedConsumables: Bool? = nil, revision: String? = nil,
        after: Int64? = nil, limit: Int = 100
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, view: view,
            productIdentifier: productIdentifier, hasFinishedConsumables: hasFinishedConsumables, revision: revision,
            after: after, limit: limit)
    }
}

extension WinBackFacts {
    @_disfavoredOverload
    public init(
        history: borrowing SubscriptionGroupHistory? = nil, paidMonths: Int, expiredAt: Timestamp? = nil,
        lastWinBackAt: Timestamp? = nil
    ) {
        self.init(history: copy history, paidMonths: paidMonths, expiredAt: expiredAt, lastWinBackAt: lastWinBackAt)
    }
}

extension WinBackOfferPolicy.Decision {
    @_disfavoredOverload
    public init(rule: borrowing WinBackOfferPolicy.Rule) {
        self.init(rule: copy rule)
    }
}
