// Written by scripts/wire, which renews it: memberwise initialisers of structs that other modules create.
// swift-format-ignore-file

import StoreModels

extension AppAccountTokenBody {
    @_disfavoredOverload
    package init(appAccountToken: borrowing String? = nil) {
        self.init(appAccountToken: copy appAccountToken)
    }
}

extension AppTransactionInfoResponse {
    @_disfavoredOverload
    package init(signedAppTransactionInfo: borrowing String) {
        self.init(signedAppTransactionInfo: copy signedAppTransactionInfo)
    }
}

extension BusConnectionsResponse {
    @_disfavoredOverload
    package init(connections: borrowing [Connection], total: Int) {
        self.init(connections: copy connections, total: total)
    }
}

extension BusConnectionsResponse.Connection {
    @_disfavoredOverload
    package init(
        cid: borrowing Int, name: String, user: String, address: String, instance: String? = nil, language: String,
        version: String, startedAt: Timestamp, lastActivityAt: Timestamp, stoppedAt: Timestamp? = nil,
        reason: String? = nil, pendingBytes: Int, messagesIn: Int, messagesOut: Int, bytesIn: Int, bytesOut: Int,
        subscriptions: Int
    ) {
        self.init(
            cid: copy cid, name: name, user: user, address: address, instance: instance, language: language,
            version: version, startedAt: startedAt, lastActivityAt: lastActivityAt, stoppedAt: stoppedAt,
            reason: reason, pendingBytes: pendingBytes, messagesIn: messagesIn, messagesOut: messagesOut,
            bytesIn: bytesIn, bytesOut: bytesOut, subscriptions: subscriptions)
    }
}

extension BusState {
    @_disfavoredOverload
    package init(
        serverId: borrowing String, version: String, startedAt: Timestamp, uptimeSeconds: Int, connections: Int,
        totalConnections: Int, subscriptions: Int, messagesIn: Int, messagesOut: Int, bytesIn: Int, bytesOut: Int,
        pendingBytes: Int, slowConsumers: Int, staleConnections: Int, noResponders: Int, noInterest: Int,
        noEligible: Int, dropped: Int, permissionsDenied: Int, authFailures: Int, replaced: Int, cpuPercent: Double,
        memoryBytes: Int, loopLagMicroseconds: Int, isDraining: Bool, hasFaultInjection: Bool
    ) {
        self.init(
            serverId: copy serverId, version: version, startedAt: startedAt, uptimeSeconds: uptimeSeconds,
            connections: connections, totalConnections: totalConnections, subscriptions: subscriptions,
            messagesIn: messagesIn, messagesOut: messagesOut, bytesIn: bytesIn, bytesOut: bytesOut,
            pendingBytes: pendingBytes, slowConsumers: slowConsumers, staleConnections: staleConnections,
            noResponders: noResponders, noInterest: noInterest, noEligible: noEligible, dropped: dropped,
            permissionsDenied: permissionsDenied, authFailures: authFailures, replaced: replaced,
            cpuPercent: cpuPercent, memoryBytes: memoryBytes, loopLagMicroseconds: loopLagMicroseconds,
            isDraining: isDraining, hasFaultInjection: hasFaultInjection)
    }
}

extension BusSubjectsResponse {
    @_disfavoredOverload
    package init(subjects: borrowing [Subject]) {
        self.init(subjects: copy subjects)
    }
}

extension BusSubjectsResponse.Subject {
    @_disfavoredOverload
    package init(subject: borrowing String, queue: String? = nil, subscribers: Int, messages: Int) {
        self.init(subject: copy subject, queue: queue, subscribers: subscribers, messages: messages)
    }
}

extension BusTapMessages {
    @_disfavoredOverload
    package init(messages: borrowing [Message], ends: [End], missed: Int) {
        self.init(messages: copy messages, ends: ends, missed: missed)
    }
}

extension BusTapMessages.End {
    @_disfavoredOverload
    package init(request: borrowing Int, outcome: BusRequestOutcome, durationMs: Double, error: String? = nil) {
        self.init(request: copy request, outcome: outcome, durationMs: durationMs, error: error)
    }
}

extension BusTapMessages.Message {
    @_disfavoredOverload
    package init(
        at: borrowing Timestamp, subject: String, reply: Bool, request: Int? = nil, service: ServiceName? = nil,
        isPoll: Bool, headers: [String: String], body: JSONValue, bytes: Int
    ) {
        self.init(
            at: copy at, subject: subject, reply: reply, request: request, service: service, isPoll: isPoll,
            headers: headers, body: body, bytes: bytes)
    }
}

extension BusTapState {
    @_disfavoredOverload
    package init(subject: borrowing String) {
        self.init(subject: copy subject)
    }
}

extension ChaosRun {
    @_disfavoredOverload
    package init(
        setup: borrowing Setup? = nil, updatedAt: Timestamp? = nil, phase: Phase, elapsedSeconds: Int,
        counts: Counts = .init(), operationKinds: [OperationKind] = [], availability: Double? = nil,
        availabilityInFaults: Double? = nil, latency: Latency? = nil, latencyInFaults: Latency? = nil,
        services: [Service] = [], faults: [Fault] = [], faultKinds: [FaultKind] = [], steps: [Step] = [],
        stepSeconds: Int = 1, money: [Money] = [], notifications: [Number]? = nil, isolatedStores: [Number]? = nil,
        invariants: [Invariant] = [], verdict: Verdict? = nil, gaps: [String]? = nil, violations: [Violation]? = nil,
        lost: Int? = nil, doubleCharges: Int? = nil, worstRecoveryMilliseconds: Int? = nil, line: String? = nil,
        report: String? = nil
    ) {
        self.init(
            setup: copy setup, updatedAt: updatedAt, phase: phase, elapsedSeconds: elapsedSeconds, counts: counts,
            operationKinds: operationKinds, availability: availability, availabilityInFaults: availabilityInFaults,
            latency: latency, latencyInFaults: latencyInFaults, services: services, faults: faults,
            faultKinds: faultKinds, steps: steps, stepSeconds: stepSeconds, money: money, notifications: notifications,
            isolatedStores: isolatedStores, invariants: invariants, verdict: verdict, gaps: gaps,
            violations: violations, lost: lost, doubleCharges: doubleCharges,
            worstRecoveryMilliseconds: worstRecoveryMilliseconds, line: line, report: report)
    }
}

extension ChaosRun.Counts {
    @_disfavoredOverload
    package init(succeeded: borrowing Int = 0, declined: Int = 0, refused: Int = 0, unknown: Int = 0) {
        self.init(succeeded: copy succeeded, declined: declined, refused: refused, unknown: unknown)
    }
}

extension ChaosRun.Fault {
    @_disfavoredOverload
    package init(
        number: borrowing Int, fault: String, service: String, process: Int? = nil, beganAtSecond: Double,
        endedAtSecond: Double? = nil, recoveryMilliseconds: Int? = nil, notInjected: String? = nil, operations: Int = 0,
        refused: Int = 0, unknown: Int = 0, retried: Int = 0, slow: Int = 0
    ) {
        self.init(
            number: copy number, fault: fault, service: service, process: process, beganAtSecond: beganAtSecond,
            endedAtSecond: endedAtSecond, recoveryMilliseconds: recoveryMilliseconds, notInjected: notInjected,
            operations: operations, refused: refused, unknown: unknown, retried: retried, slow: slow)
    }
}

extension ChaosRun.FaultKind {
    @_disfavoredOverload
    package init(
        fault: borrowing String, count: Int = 0, services: [String] = [], recoveryP50Milliseconds: Int? = nil,
        recoveryMaxMilliseconds: Int? = nil, reason: String? = nil
    ) {
        self.init(
            fault: copy fault, count: count, services: services, recoveryP50Milliseconds: recoveryP50Milliseconds,
            recoveryMaxMilliseconds: recoveryMaxMilliseconds, reason: reason)
    }
}

extension ChaosRun.Invariant {
    @_disfavoredOverload
    package init(invariant: borrowing String, statement: String, outcome: Outcome, examined: Int, violations: Int) {
        self.init(
            invariant: copy invariant, statement: statement, outcome: outcome, examined: examined,
            violations: violations)
    }
}

extension ChaosRun.Latency {
    @_disfavoredOverload
    package init(answers: borrowing Int, p50Milliseconds: Double, p99Milliseconds: Double) {
        self.init(answers: copy answers, p50Milliseconds: p50Milliseconds, p99Milliseconds: p99Milliseconds)
    }
}

extension ChaosRun.LeftOut {
    @_disfavoredOverload
    package init(name: borrowing String, reason: String) {
        self.init(name: copy name, reason: reason)
    }
}

extension ChaosRun.Machine {
    @_disfavoredOverload
    package init(cores: borrowing Int, processor: String? = nil, memoryBytes: Int) {
        self.init(cores: copy cores, processor: processor, memoryBytes: memoryBytes)
    }
}

extension ChaosRun.Money {
    @_disfavoredOverload
    package init(
        currency: borrowing String, transactions: Int = 0, priced: Int = 0, charges: Int = 0, charged: Int = 0,
        refunded: Int = 0
    ) {
        self.init(
            currency: copy currency, transactions: transactions, priced: priced, charges: charges, charged: charged,
            refunded: refunded)
    }
}

extension ChaosRun.Number {
    @_disfavoredOverload
    package init(name: borrowing String, count: Int) {
        self.init(name: copy name, count: count)
    }
}

extension ChaosRun.OperationKind {
    @_disfavoredOverload
    package init(operation: borrowing String, counts: ChaosRun.Counts) {
        self.init(operation: copy operation, counts: counts)
    }
}

extension ChaosRun.Processes {
    @_disfavoredOverload
    package init(service: borrowing String, count: Int) {
        self.init(service: copy service, count: count)
    }
}

extension ChaosRun.Service {
    @_disfavoredOverload
    package init(
        service: borrowing String, isUp: Bool = true, faults: [String] = [], restarts: Int = 0,
        lastRecoveryMilliseconds: Int? = nil, worstRecoveryMilliseconds: Int? = nil
    ) {
        self.init(
            service: copy service, isUp: isUp, faults: faults, restarts: restarts,
            lastRecoveryMilliseconds: lastRecoveryMilliseconds, worstRecoveryMilliseconds: worstRecoveryMilliseconds)
    }
}

extension ChaosRun.Setup {
    @_disfavoredOverload
    package init(
        id: borrowing String, seed: String, app: String, startedAt: Timestamp, durationSeconds: Double,
        workload: String, rate: Int, customers: Int, devices: Int, driver: String, targets: [String],
        faultNames: [String], leftOut: [ChaosRun.LeftOut] = [], database: String, processes: [ChaosRun.Processes] = [],
        version: String, commit: String? = nil, machine: ChaosRun.Machine, command: String
    ) {
        self.init(
            id: copy id, seed: seed, app: app, startedAt: startedAt, durationSeconds: durationSeconds,
            workload: workload, rate: rate, customers: customers, devices: devices, driver: driver, targets: targets,
            faultNames: faultNames, leftOut: leftOut, database: database, processes: processes, version: version,
            commit: commit, machine: machine, command: command)
    }
}

extension ChaosRun.Step {
    @_disfavoredOverload
    package init(
        second: borrowing Int, counts: ChaosRun.Counts, p50Milliseconds: Double? = nil, p99Milliseconds: Double? = nil
    ) {
        self.init(
            second: copy second, counts: counts, p50Milliseconds: p50Milliseconds, p99Milliseconds: p99Milliseconds)
    }
}

extension ChaosRun.Violation {
    @_disfavoredOverload
    package init(invariant: borrowing String, subject: String, expected: String, found: String, lines: [String] = []) {
        self.init(invariant: copy invariant, subject: subject, expected: expected, found: found, lines: lines)
    }
}

extension ChaosRunsResponse {
    @_disfavoredOverload
    package init(runs: borrowing [ChaosRunSummary]) {
        self.init(runs: copy runs)
    }
}

extension ClockMove {
    @_disfavoredOverload
    package init(by: borrowing String? = nil, to: Timestamp? = nil, next: Int? = nil) {
        self.init(by: copy by, to: to, next: next)
    }
}

extension ClockSetting {
    @_disfavoredOverload
    package init(rate: borrowing ClockRate? = nil, now: Timestamp? = nil, frozen: Bool? = nil) {
        self.init(rate: copy rate, now: now, frozen: frozen)
    }
}

extension CodeRedemption {
    @_disfavoredOverload
    package init(appAccountToken: borrowing String? = nil) {
        self.init(appAccountToken: copy appAccountToken)
    }
}

extension ConsoleSession {
    @_disfavoredOverload
    package init(csrfToken: borrowing String) {
        self.init(csrfToken: copy csrfToken)
    }
}

extension ConsoleSignIn {
    @_disfavoredOverload
    package init(key: borrowing String? = nil, ticket: String? = nil) {
        self.init(key: copy key, ticket: ticket)
    }
}

extension ConsoleTicket {
    @_disfavoredOverload
    package init(ticket: borrowing String, expiresAt: Timestamp) {
        self.init(ticket: copy ticket, expiresAt: expiresAt)
    }
}

extension ConsumptionBody {
    @_disfavoredOverload
    package init(
        customerConsented: borrowing Bool? = nil, consumptionPercentage: Int? = nil, deliveryStatus: String? = nil,
        refundPreference: String? = nil, sampleContentProvided: Bool? = nil
    ) {
        self.init(
            customerConsented: copy customerConsented, consumptionPercentage: consumptionPercentage,
            deliveryStatus: deliveryStatus, refundPreference: refundPreference,
            sampleContentProvided: sampleContentProvided)
    }
}

extension ConsumptionBodyV1 {
    @_disfavoredOverload
    package init(
        customerConsented: borrowing Bool? = nil, consumptionStatus: Int? = nil, platform: Int? = nil,
        sampleContentProvided: Bool? = nil, deliveryStatus: Int? = nil, appAccountToken: String? = nil,
        accountTenure: Int? = nil, playTime: Int? = nil, lifetimeDollarsRefunded: Int? = nil,
        lifetimeDollarsPurchased: Int? = nil, userStatus: Int? = nil, refundPreference: Int? = nil
    ) {
        self.init(
            customerConsented: copy customerConsented, consumptionStatus: consumptionStatus, platform: platform,
            sampleContentProvided: sampleContentProvided, deliveryStatus: deliveryStatus,
            appAccountToken: appAccountToken, accountTenure: accountTenure, playTime: playTime,
            lifetimeDollarsRefunded: lifetimeDollarsRefunded, lifetimeDollarsPurchased: lifetimeDollarsPurchased,
            userStatus: userStatus, refundPreference: refundPreference)
    }
}

extension ContinueTransactionBody {
    @_disfavoredOverload
    package init(shouldContinue: borrowing Bool) {
        self.init(shouldContinue: copy shouldContinue)
    }
}

extension DecisionRequest {
    @_disfavoredOverload
    package init(decision: borrowing DecideIntentRequest.Decision, feedback: String? = nil) {
        self.init(decision: copy decision, feedback: feedback)
    }
}

extension DeviceSetting {
    @_disfavoredOverload
    package init(platform: borrowing DeviceLaunch.Platform, osVersion: String) {
        self.init(platform: copy platform, osVersion: osVersion)
    }
}

extension DiscountParts {
    @_disfavoredOverload
    package init(
        identifier: borrowing String? = nil, keyIdentifier: String? = nil, nonce: String? = nil,
        signature: String? = nil, timestamp: Int64? = nil
    ) {
        self.init(
            identifier: copy identifier, keyIdentifier: keyIdentifier, nonce: nonce, signature: signature,
            timestamp: timestamp)
    }
}

extension DownloadsEvent {
    @_disfavoredOverload
    package init(seq: borrowing Int64?, downloads: [Element]) {
        self.init(seq: copy seq, downloads: downloads)
    }
}

extension DrainResponse {
    @_disfavoredOverload
    package init(name: borrowing String, id: String) {
        self.init(name: copy name, id: id)
    }
}

extension ErrorResponse {
    @_disfavoredOverload
    package init(
        name: borrowing String, status: Int, content: Content, description: String, members: [String: [String]],
        isRepeatable: Bool
    ) {
        self.init(
            name: copy name, status: status, content: content, description: description, members: members,
            isRepeatable: isRepeatable)
    }
}

extension EventList {
    @_disfavoredOverload
    package init(events: borrowing [Event]) {
        self.init(events: copy events)
    }
}

extension EventStreamState {
    @_disfavoredOverload
    package init(version: borrowing String, now: Timestamp) {
        self.init(version: copy version, now: now)
    }
}

extension ExtendRenewalDateBody {
    @_disfavoredOverload
    package init(extendByDays: borrowing Int? = nil, extendReasonCode: Int? = nil, requestIdentifier: String? = nil) {
        self.init(
            extendByDays: copy extendByDays, extendReasonCode: extendReasonCode, requestIdentifier: requestIdentifier)
    }
}

extension ExtendRenewalDateResponse {
    @_disfavoredOverload
    package init(
        originalTransactionId: borrowing String, webOrderLineItemId: String? = nil, success: Bool,
        effectiveDate: Int64? = nil
    ) {
        self.init(
            originalTransactionId: copy originalTransactionId, webOrderLineItemId: webOrderLineItemId, success: success,
            effectiveDate: effectiveDate)
    }
}

extension Extension {
    @_disfavoredOverload
    package init(days: borrowing Int) {
        self.init(days: copy days)
    }
}

extension FaultRequest {
    @_disfavoredOverload
    package init(fault: borrowing BusFault, service: String) {
        self.init(fault: copy fault, service: service)
    }
}

extension FaultsResponse {
    @_disfavoredOverload
    package init(
        isEnabled: borrowing Bool, seed: UInt64? = nil, faults: [Fault], rules: [BusRule], struck: [String: Int]
    ) {
        self.init(isEnabled: copy isEnabled, seed: seed, faults: faults, rules: rules, struck: struck)
    }
}

extension FaultsResponse.Fault {
    @_disfavoredOverload
    package init(fault: borrowing BusFault, service: String, matched: Int, struck: Int) {
        self.init(fault: copy fault, service: service, matched: matched, struck: struck)
    }
}

extension ForkedStore {
    @_disfavoredOverload
    package init(running: borrowing Bool? = nil, ttl: String? = nil) {
        self.init(running: copy running, ttl: ttl)
    }
}

extension HistoryResponse {
    @_disfavoredOverload
    package init(removed: borrowing Int, cancelledIntents: Int? = nil) {
        self.init(removed: copy removed, cancelledIntents: cancelledIntents)
    }
}

extension InstallationSetting {
    @_disfavoredOverload
    package init(version: borrowing String, promotedPurchases: DeviceLaunch.PromotedPurchases? = nil) {
        self.init(version: copy version, promotedPurchases: promotedPurchases)
    }
}

extension IntentDecisionResponse {
    @_disfavoredOverload
    package init(intent: borrowing StorePurchaseIntent, transaction: PaymentTransaction? = nil) {
        self.init(intent: copy intent, transaction: transaction)
    }
}

extension IsolatedStore {
    @_disfavoredOverload
    package init(
        store: borrowing String, bundleId: String, state: State, snapshot: String? = nil, seed: Int64,
        createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.init(
            store: copy store, bundleId: bundleId, state: state, snapshot: snapshot, seed: seed, createdAt: createdAt,
            expiresAt: expiresAt)
    }
}

extension IsolatedStoreResponse {
    @_disfavoredOverload
    package init(
        store: borrowing String, url: String, bundleId: String, issuerId: String, keyId: String, privateKey: String,
        adminKey: String, rootCertificate: String, seed: Int64, expiresAt: Timestamp
    ) {
        self.init(
            store: copy store, url: url, bundleId: bundleId, issuerId: issuerId, keyId: keyId, privateKey: privateKey,
            adminKey: adminKey, rootCertificate: rootCertificate, seed: seed, expiresAt: expiresAt)
    }
}

extension IsolatedStoresResponse {
    @_disfavoredOverload
    package init(stores: borrowing [IsolatedStore], after: String? = nil) {
        self.init(stores: copy stores, after: after)
    }
}

extension IssueRequest {
    @_disfavoredOverload
    package init(kind: borrowing Kind, of: String, set: [String: JSONValue]? = nil, break: BrokenSignature? = nil) {
        self.init(kind: copy kind, of: of, set: set, break: `break`)
    }
}

extension IssueResponse {
    @_disfavoredOverload
    package init(jws: borrowing String) {
        self.init(jws: copy jws)
    }
}

extension KeyRequest {
    @_disfavoredOverload
    package init(kind: borrowing KeyKind) {
        self.init(kind: copy kind)
    }
}

extension KeysResponse {
    @_disfavoredOverload
    package init(keys: borrowing [AppKey]) {
        self.init(keys: copy keys)
    }
}

extension LeaseNotificationsBody {
    @_disfavoredOverload
    package init(max: borrowing Int, waitMs: Int) {
        self.init(max: copy max, waitMs: waitMs)
    }
}

extension MassExtendRenewalDateBody {
    @_disfavoredOverload
    package init(
        extendByDays: borrowing Int? = nil, extendReasonCode: Int? = nil, requestIdentifier: String? = nil,
        storefrontCountryCodes: [String]? = nil, productId: String? = nil
    ) {
        self.init(
            extendByDays: copy extendByDays, extendReasonCode: extendReasonCode, requestIdentifier: requestIdentifier,
            storefrontCountryCodes: storefrontCountryCodes, productId: productId)
    }
}

extension MassExtendRenewalDateResponse {
    @_disfavoredOverload
    package init(requestIdentifier: borrowing String) {
        self.init(requestIdentifier: copy requestIdentifier)
    }
}

extension NewFamily {
    @_disfavoredOverload
    package init(organiser: borrowing String) {
        self.init(organiser: copy organiser)
    }
}

extension NewIsolatedStore {
    @_disfavoredOverload
    package init(
        from: borrowing Source, clock: Timestamp? = nil, running: Bool? = nil, ttl: String? = nil, seed: Int64? = nil
    ) {
        self.init(from: copy from, clock: clock, running: running, ttl: ttl, seed: seed)
    }
}

extension NewIsolatedStore.Source {
    @_disfavoredOverload
    package init(bundleId: borrowing String) {
        self.init(bundleId: copy bundleId)
    }
}

extension NewOrder {
    @_disfavoredOverload
    package init(productIdentifiers: borrowing [String]) {
        self.init(productIdentifiers: copy productIdentifiers)
    }
}

extension NewRefundRequest {
    @_disfavoredOverload
    package init(reason: borrowing ConsumptionRequestReason? = nil) {
        self.init(reason: copy reason)
    }
}

extension NewRestore {
    @_disfavoredOverload
    package init(applicationUsername: borrowing String? = nil) {
        self.init(applicationUsername: copy applicationUsername)
    }
}

extension NewSnapshot {
    @_disfavoredOverload
    package init(name: borrowing String, ttl: String? = nil) {
        self.init(name: copy name, ttl: ttl)
    }
}

extension NewVisibility {
    @_disfavoredOverload
    package init(visibility: borrowing StorePromotionVisibility) {
        self.init(visibility: copy visibility)
    }
}

extension NotificationEndpointBody {
    @_disfavoredOverload
    package init(
        url: borrowing String, retry: NotificationEndpoint.Retry? = nil, timeoutMs: Int? = nil, shuffle: Bool? = nil,
        duplicate: Bool? = nil
    ) {
        self.init(url: copy url, retry: retry, timeoutMs: timeoutMs, shuffle: shuffle, duplicate: duplicate)
    }
}

extension NotificationHistoryBody {
    @_disfavoredOverload
    package init(
        startDate: borrowing Int64? = nil, endDate: Int64? = nil, notificationType: String? = nil,
        notificationSubtype: String? = nil, transactionId: String? = nil, originalTransactionId: String? = nil,
        onlyFailures: Bool? = nil
    ) {
        self.init(
            startDate: copy startDate, endDate: endDate, notificationType: notificationType,
            notificationSubtype: notificationSubtype, transactionId: transactionId,
            originalTransactionId: originalTransactionId, onlyFailures: onlyFailures)
    }
}

extension OCSPSetting {
    @_disfavoredOverload
    package init(mode: borrowing OCSPMode) {
        self.init(mode: copy mode)
    }
}

extension OfferCodeState {
    @_disfavoredOverload
    package init(isActive: borrowing Bool) {
        self.init(isActive: copy isActive)
    }
}

extension OpenAppEvent {
    @_disfavoredOverload
    package init(seq: borrowing Int64?, intentIdentifier: String) {
        self.init(seq: copy seq, intentIdentifier: intentIdentifier)
    }
}

extension OperationNotes {
    @_disfavoredOverload
    package init(
        id: borrowing String, summary: String?, tag: String?, needs: Needs, parameters: [Parameter],
        content: RequestContent, responses: [SuccessResponse], errors: [ErrorResponse], file: String, line: Int
    ) {
        self.init(
            id: copy id, summary: summary, tag: tag, needs: needs, parameters: parameters, content: content,
            responses: responses, errors: errors, file: file, line: line)
    }
}

extension OptionalError {
    @_disfavoredOverload
    package init(error: borrowing NamedError? = nil) {
        self.init(error: copy error)
    }
}

extension OrderLookupResponse {
    @_disfavoredOverload
    package init(status: borrowing Int, signedTransactions: [String]?) {
        self.init(status: copy status, signedTransactions: signedTransactions)
    }
}

extension OrderResponse {
    @_disfavoredOverload
    package init(productIdentifiers: borrowing [String], products: [Item]) {
        self.init(productIdentifiers: copy productIdentifiers, products: products)
    }
}

extension OutsidePurchase {
    @_disfavoredOverload
    package init(
        account: borrowing String, productIdentifier: String, quantity: Quantity? = nil, appAccountToken: String? = nil,
        offer: RedeemedOffer? = nil, billingPlanType: BillingPlan? = nil, purchaseDate: Timestamp? = nil,
        willAutoRenew: Bool? = nil
    ) {
        self.init(
            account: copy account, productIdentifier: productIdentifier, quantity: quantity,
            appAccountToken: appAccountToken, offer: offer, billingPlanType: billingPlanType,
            purchaseDate: purchaseDate, willAutoRenew: willAutoRenew)
    }
}

extension PaymentRequest {
    @_disfavoredOverload
    package init(
        productIdentifier: borrowing String, quantity: NonNull<Quantity>? = nil, applicationUsername: String? = nil,
        appAccountToken: String? = nil, simulatesAskToBuyInSandbox: Bool? = nil, paymentDiscount: DiscountParts? = nil,
        intentIdentifier: String? = nil, offer: PurchaseOffer? = nil, introductoryEligibility: String? = nil,
        billingPlanType: BillingPlan? = nil
    ) {
        self.init(
            productIdentifier: copy productIdentifier, quantity: quantity, applicationUsername: applicationUsername,
            appAccountToken: appAccountToken, simulatesAskToBuyInSandbox: simulatesAskToBuyInSandbox,
            paymentDiscount: paymentDiscount, intentIdentifier: intentIdentifier, offer: offer,
            introductoryEligibility: introductoryEligibility, billingPlanType: billingPlanType)
    }
}

extension PositionEvent {
    @_disfavoredOverload
    package init(seq: borrowing Int64?) {
        self.init(seq: copy seq)
    }
}

extension PriceConsentBody {
    @_disfavoredOverload
    package init(show: borrowing Bool) {
        self.init(show: copy show)
    }
}

extension ProductPrices {
    @_disfavoredOverload
    package init(productIdentifier: borrowing String, prices: [Price]) {
        self.init(productIdentifier: copy productIdentifier, prices: prices)
    }
}

extension ProductPrices.Price {
    @_disfavoredOverload
    package init(
        storefront: borrowing String, available: Bool, price: Money? = nil, priceLocale: String? = nil,
        introductoryPrice: ProductDiscount? = nil, subscriptionPeriod: SubscriptionPeriod? = nil,
        reasons: [String]? = nil
    ) {
        self.init(
            storefront: copy storefront, available: available, price: price, priceLocale: priceLocale,
            introductoryPrice: introductoryPrice, subscriptionPeriod: subscriptionPeriod, reasons: reasons)
    }
}

extension ProductsPageResponse {
    @_disfavoredOverload
    package init(products: borrowing [Product], after: String? = nil) {
        self.init(products: copy products, after: after)
    }
}

extension ProductsQuery {
    @_disfavoredOverload
    package init(productIdentifiers: borrowing [String], language: String? = nil) {
        self.init(productIdentifiers: copy productIdentifiers, language: language)
    }
}

extension ProductsResponse {
    @_disfavoredOverload
    package init(products: borrowing [Item], invalidProductIdentifiers: [String], degraded: [String]? = nil) {
        self.init(products: copy products, invalidProductIdentifiers: invalidProductIdentifiers, degraded: degraded)
    }
}

extension PromotedPurchaseEvent {
    @_disfavoredOverload
    package init(seq: borrowing Int64?, intent: StorePurchaseIntent) {
        self.init(seq: copy seq, intent: intent)
    }
}

extension PromptAnswerBody {
    @_disfavoredOverload
    package init(answer: borrowing Prompt.Answer, error: NamedError? = nil) {
        self.init(answer: copy answer, error: error)
    }
}

extension PromptsResponse {
    @_disfavoredOverload
    package init(prompts: borrowing [Prompt], after: String? = nil, degraded: [String]? = []) {
        self.init(prompts: copy prompts, after: after, degraded: degraded)
    }
}

extension PurchaseOffer {
    @_disfavoredOverload
    package init(promotional: borrowing Promotional? = nil, winBack: String? = nil) {
        self.init(promotional: copy promotional, winBack: winBack)
    }
}

extension PurchaseOffer.Promotional {
    @_disfavoredOverload
    package init(identifier: borrowing String, jws: String) {
        self.init(identifier: copy identifier, jws: jws)
    }
}

extension PurchaseResponse {
    @_disfavoredOverload
    package init(outcome: borrowing Outcome, transaction: PaymentTransaction, signedTransaction: String? = nil) {
        self.init(outcome: copy outcome, transaction: transaction, signedTransaction: signedTransaction)
    }
}

extension ReadinessResponse {
    @_disfavoredOverload
    package init(
        ready: borrowing Bool, bus: String?, degraded: [String]?, services: [String: String]?, imports: [ImportedFile]?
    ) {
        self.init(ready: copy ready, bus: bus, degraded: degraded, services: services, imports: imports)
    }
}

extension ReadinessResponse.ImportedFile {
    @_disfavoredOverload
    package init(file: borrowing String, bundleId: String, status: Status, error: String? = nil) {
        self.init(file: copy file, bundleId: bundleId, status: status, error: error)
    }
}

extension ReceiptQuestion {
    @_disfavoredOverload
    package init(receiptData: borrowing String, productIdentifiers: [String]? = nil) {
        self.init(receiptData: copy receiptData, productIdentifiers: productIdentifiers)
    }
}

extension ReceiptResponse {
    @_disfavoredOverload
    package init(receiptData: borrowing String) {
        self.init(receiptData: copy receiptData)
    }
}

extension RefundHistoryResponse {
    @_disfavoredOverload
    package init(signedTransactions: borrowing [String], revision: String, hasMore: Bool) {
        self.init(signedTransactions: copy signedTransactions, revision: revision, hasMore: hasMore)
    }
}

extension RefundLookupResponse {
    @_disfavoredOverload
    package init(signedTransactions: borrowing [String]) {
        self.init(signedTransactions: copy signedTransactions)
    }
}

extension RefundReason {
    @_disfavoredOverload
    package init(reason: borrowing RefundRequest.Reason? = nil) {
        self.init(reason: copy reason)
    }
}

extension RefundRequestBody {
    @_disfavoredOverload
    package init(reason: borrowing ConsumptionRequestReason) {
        self.init(reason: copy reason)
    }
}

extension RefundShare {
    @_disfavoredOverload
    package init(type: borrowing RevocationType? = nil, percentage: Int? = nil) {
        self.init(type: copy type, percentage: percentage)
    }
}

extension ReportAttemptBody {
    @_disfavoredOverload
    package init(
        sendAttemptResult: borrowing SendAttemptResult, httpStatus: Int? = nil, durationMs: Int? = nil,
        bodyStart: String? = nil
    ) {
        self.init(
            sendAttemptResult: copy sendAttemptResult, httpStatus: httpStatus, durationMs: durationMs,
            bodyStart: bodyStart)
    }
}

extension ResetResponse {
    @_disfavoredOverload
    package init(removedTransactions: borrowing Int, cancelledIntents: Int? = nil) {
        self.init(removedTransactions: copy removedTransactions, cancelledIntents: cancelledIntents)
    }
}

extension RestoreAccepted {
    @_disfavoredOverload
    package init(restoreIdentifier: borrowing String) {
        self.init(restoreIdentifier: copy restoreIdentifier)
    }
}

extension RestoreEndEvent {
    @_disfavoredOverload
    package init(seq: borrowing Int64?, restoreIdentifier: String, error: TransactionError?) {
        self.init(seq: copy seq, restoreIdentifier: restoreIdentifier, error: error)
    }
}

extension ReviewReason {
    @_disfavoredOverload
    package init(reason: borrowing String? = nil) {
        self.init(reason: copy reason)
    }
}

extension RevocationEvent {
    @_disfavoredOverload
    package init(seq: borrowing Int64?, productIdentifiers: [String]) {
        self.init(seq: copy seq, productIdentifiers: productIdentifiers)
    }
}

extension RotateRequest {
    @_disfavoredOverload
    package init(authority: borrowing CertificateRotation) {
        self.init(authority: copy authority)
    }
}

extension ServerAPIErrorResponse {
    @_disfavoredOverload
    package init(errorCode: borrowing Int, errorMessage: String) {
        self.init(errorCode: copy errorCode, errorMessage: errorMessage)
    }
}

extension ServerAPIFault {
    @_disfavoredOverload
    package init(path: borrowing String? = nil, errorCode: Int? = nil, outcome: Outcome? = nil, times: Int? = nil) {
        self.init(path: copy path, errorCode: errorCode, outcome: outcome, times: times)
    }
}

extension ServerAPIFaultsResponse {
    @_disfavoredOverload
    package init(faults: borrowing [ServerAPIFault]) {
        self.init(faults: copy faults)
    }
}

extension ServerAPISettings {
    package init(
        environment: AppStoreEnvironment = .sandbox, appAppleId: Int64? = nil, rateLimits: ServerAPIRateLimits? = nil
    ) {
        self.environment = environment; self.appAppleId = appAppleId; self.rateLimits = rateLimits
    }
}

extension ServerSentEvent {
    @_disfavoredOverload
    package init(id: borrowing String? = nil, name: String = "message", data: [UInt8] = []) {
        self.init(id: copy id, name: name, data: data)
    }
}

extension ServicesResponse {
    package init(bus: String? = nil, services: [Instance], missing: [String]) {
        self.bus = bus; self.services = services; self.missing = missing
    }
}

extension ServicesResponse.Check {
    @_disfavoredOverload
    package init(status: borrowing ServicesResponse.Health? = nil, message: String? = nil) {
        self.init(status: copy status, message: message)
    }
}

extension ServicesResponse.Endpoint {
    @_disfavoredOverload
    package init(
        name: borrowing String, subject: String? = nil, requests: Int? = nil, errors: Int? = nil,
        averageProcessingMs: Double? = nil, lastError: String? = nil
    ) {
        self.init(
            name: copy name, subject: subject, requests: requests, errors: errors,
            averageProcessingMs: averageProcessingMs, lastError: lastError)
    }
}

extension ServicesResponse.Instance {
    package init(
        name: String, id: String, version: String? = nil, status: ServicesResponse.Health? = nil,
        checks: [String: ServicesResponse.Check], startedAt: Timestamp? = nil, inFlight: Int? = nil,
        endpoints: [ServicesResponse.Endpoint]
    ) {
        self.name = name; self.id = id; self.version = version; self.status = status; self.checks = checks;
        self.startedAt = startedAt; self.inFlight = inFlight; self.endpoints = endpoints
    }
}

extension SessionRequest {
    @_disfavoredOverload
    package init(
        client: borrowing Client? = nil, bundleId: String, deviceId: String, account: String,
        platform: DeviceLaunch.Platform, osVersion: String, appVersion: String? = nil, storefront: String? = nil,
        promotedPurchases: DeviceLaunch.PromotedPurchases? = nil
    ) {
        self.init(
            client: copy client, bundleId: bundleId, deviceId: deviceId, account: account, platform: platform,
            osVersion: osVersion, appVersion: appVersion, storefront: storefront, promotedPurchases: promotedPurchases)
    }
}

extension SessionResponse {
    @_disfavoredOverload
    package init(
        token: borrowing String, expiresAt: Timestamp, storefront: Storefront, canMakePayments: Bool,
        deviceVerificationId: String, environment: AppStoreEnvironment? = nil, rootCertificate: String? = nil,
        degraded: [String]? = nil
    ) {
        self.init(
            token: copy token, expiresAt: expiresAt, storefront: storefront, canMakePayments: canMakePayments,
            deviceVerificationId: deviceVerificationId, environment: environment, rootCertificate: rootCertificate,
            degraded: degraded)
    }
}

extension SignedSubscriptionsResponse {
    @_disfavoredOverload
    package init(seq: borrowing Int64, groups: [Group]) {
        self.init(seq: copy seq, groups: groups)
    }
}

extension SignedSubscriptionsResponse.Group {
    @_disfavoredOverload
    package init(groupID: borrowing String, statuses: [SignedSubscriptionStatus]) {
        self.init(groupID: copy groupID, statuses: statuses)
    }
}

extension SignedTransactionEvent {
    @_disfavoredOverload
    package init(
        seq: borrowing Int64?, id: String, cause: Cause, requestIdentifier: String? = nil, originDeviceId: String,
        signedTransaction: String
    ) {
        self.init(
            seq: copy seq, id: id, cause: cause, requestIdentifier: requestIdentifier, originDeviceId: originDeviceId,
            signedTransaction: signedTransaction)
    }
}

extension SignedTransactionsPage {
    @_disfavoredOverload
    package init(
        seq: borrowing Int64, revision: String, isUnchanged: Bool? = nil, signedTransactions: [String],
        after: String? = nil
    ) {
        self.init(
            seq: copy seq, revision: revision, isUnchanged: isUnchanged, signedTransactions: signedTransactions,
            after: after)
    }
}

extension SigningResponse {
    @_disfavoredOverload
    package init(chain: borrowing [String], ocsp: Responder) {
        self.init(chain: copy chain, ocsp: ocsp)
    }
}

extension SigningResponse.Responder {
    @_disfavoredOverload
    package init(mode: borrowing OCSPMode, url: String? = nil) {
        self.init(mode: copy mode, url: url)
    }
}

extension StoreEnvironment {
    @_disfavoredOverload
    package init(url: borrowing String, bundleId: String, issuerId: String, keyId: String?, rootCertificate: String) {
        self.init(url: copy url, bundleId: bundleId, issuerId: issuerId, keyId: keyId, rootCertificate: rootCertificate)
    }
}

extension StorePageResponse {
    @_disfavoredOverload
    package init(promotions: borrowing [Entry], degraded: [String] = []) {
        self.init(promotions: copy promotions, degraded: degraded)
    }
}

extension StorePurchase {
    @_disfavoredOverload
    package init(productIdentifier: borrowing String, source: Source? = nil, offer: String? = nil) {
        self.init(productIdentifier: copy productIdentifier, source: source, offer: offer)
    }
}

extension StorefrontEvent {
    @_disfavoredOverload
    package init(seq: borrowing Int64?, storefront: Storefront) {
        self.init(seq: copy seq, storefront: storefront)
    }
}

extension StreamedEvent {
    @_disfavoredOverload
    package init(name: borrowing String, data: Schema, id: Schema?) {
        self.init(name: copy name, data: data, id: id)
    }
}

extension SubscriptionChange {
    @_disfavoredOverload
    package init(willAutoRenew: borrowing Bool? = nil, autoRenewProductIdentifier: String? = nil) {
        self.init(willAutoRenew: copy willAutoRenew, autoRenewProductIdentifier: autoRenewProductIdentifier)
    }
}

extension SubscriptionStatusEvent {
    @_disfavoredOverload
    package init(seq: borrowing Int64?, groupID: String, status: SignedSubscriptionStatus) {
        self.init(seq: copy seq, groupID: groupID, status: status)
    }
}

extension SubscriptionStatusesResponse.Group {
    @_disfavoredOverload
    package init(subscriptionGroupIdentifier: borrowing String, lastTransactions: [SubscriptionStatusesResponse.Item]) {
        self.init(subscriptionGroupIdentifier: copy subscriptionGroupIdentifier, lastTransactions: lastTransactions)
    }
}

extension SubscriptionStatusesResponse.Item {
    @_disfavoredOverload
    package init(
        status: borrowing Int, originalTransactionId: String, signedTransactionInfo: String, signedRenewalInfo: String
    ) {
        self.init(
            status: copy status, originalTransactionId: originalTransactionId,
            signedTransactionInfo: signedTransactionInfo, signedRenewalInfo: signedRenewalInfo)
    }
}

extension TestNotificationResponse {
    @_disfavoredOverload
    package init(testNotificationToken: borrowing String) {
        self.init(testNotificationToken: copy testNotificationToken)
    }
}

extension TestersResponse {
    @_disfavoredOverload
    package init(testers: borrowing [Entry], after: String? = nil) {
        self.init(testers: copy testers, after: after)
    }
}

extension TracesResponse {
    @_disfavoredOverload
    package init(traces: borrowing [Trace]) {
        self.init(traces: copy traces)
    }
}

extension TracesResponse.Trace {
    @_disfavoredOverload
    package init(traceId: borrowing String, spans: [TraceSpan]) {
        self.init(traceId: copy traceId, spans: spans)
    }
}

extension TransactionInfoResponse {
    @_disfavoredOverload
    package init(signedTransactionInfo: borrowing String) {
        self.init(signedTransactionInfo: copy signedTransactionInfo)
    }
}

extension TransactionsEvent {
    @_disfavoredOverload
    package init(seq: borrowing Int64?, transactions: [Transaction]) {
        self.init(seq: copy seq, transactions: transactions)
    }
}

extension TriggerCause {
    @_disfavoredOverload
    package init(
        account: borrowing String, isNewAccount: Bool, steps: [TriggerStep], before: TriggerState?, after: TriggerState
    ) {
        self.init(account: copy account, isNewAccount: isNewAccount, steps: steps, before: before, after: after)
    }
}

extension TriggerNotificationBody {
    @_disfavoredOverload
    package init(
        notificationType: borrowing NotificationType, subtype: NotificationSubtype? = nil, account: String? = nil,
        of: String? = nil, productIdentifier: String? = nil, onlySend: Bool? = nil, set: [String: JSONValue]? = nil,
        break: BrokenSignature? = nil
    ) {
        self.init(
            notificationType: copy notificationType, subtype: subtype, account: account, of: of,
            productIdentifier: productIdentifier, onlySend: onlySend, set: set, break: `break`)
    }
}

extension TriggerResponse {
    package init(notification: ServerNotification, cause: TriggerCause? = nil) {
        self.notification = notification; self.cause = cause
    }
}

extension TriggerState {
    @_disfavoredOverload
    package init(transaction: borrowing PaymentTransaction, subscription: Subscription? = nil) {
        self.init(transaction: copy transaction, subscription: subscription)
    }
}

extension URLToOpen {
    @_disfavoredOverload
    package init(url: borrowing String) {
        self.init(url: copy url)
    }
}

extension VisibilityResponse {
    @_disfavoredOverload
    package init(
        productIdentifier: borrowing String? = nil, visibility: StorePromotionVisibility, products: [Item]? = nil
    ) {
        self.init(productIdentifier: copy productIdentifier, visibility: visibility, products: products)
    }
}
