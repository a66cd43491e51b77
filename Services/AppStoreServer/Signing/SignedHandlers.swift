import BusService
import StoreHTTP
import StoreModels

extension AppleServer {
    /// Signed data for an app on a device, as StoreKit gives it to the app.
    var signedRoutes: [ServerRoute] {
        [
            ServerRoute(SignedRoutes.transactions) { [self] in try await signedTransactions($0) },
            ServerRoute(SignedRoutes.subscriptions) { [self] in try await signedSubscriptions($0) },
            ServerRoute(AppStoreServerRoutes.signedTransaction) { [self] in try await signedTransaction($0) },
            ServerRoute(AppStoreServerRoutes.signedAppTransaction) { [self] in try await signedAppTransaction($0) },
        ]
    }

    /// Maximum number of transactions of a page. Each is about 5 KB with its chain, so that a page is one response of
    /// half a megabyte.
    private static let pageMax = 100
    /// Characters of a revision. Those that the store gives are shorter.
    private static let revisionLengthMax = 64
    /// Characters of a product's or a group's identifier.
    private static let nameLengthMax = 255

    /// Reads a parameter of a bounded length without control characters.
    private func text(_ name: String, in lengths: ClosedRange<Int>, _ call: ServerCall) throws -> String? {
        guard let text = try call.query.single(name) else { return nil }
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        guard lengths.contains(text.unicodeScalars.count), !text.unicodeScalars.contains(where: isControl) else {
            throw StoreError.invalid(
                "query \(name)", "must have 1 to \(lengths.upperBound) characters, none of them a control character")
        }
        return text
    }

    private func signedTransactions(_ call: ServerCall) async throws -> SignedTransactionsPage {
        let session = try call.customer()
        let signer = try await PayloadSigner(
            signing, app: serverApps.app(session.bundleId), device: session.device)
        let known = try text("revision", in: 1...Self.revisionLengthMax, call)
        _ = try text("after", in: 1...Self.nameLengthMax, call)
        let page = try await services.call(
            ServerAPIEndpoints.viewed,
            ViewedTransactionsRequest(
                bundleId: session.bundleId, customerIdentifier: session.customerIdentifier,
                view: try call.query.choice("view", SignedView.self) ?? .all,
                productIdentifier: try text("product", in: 1...Self.nameLengthMax, call),
                hasFinishedConsumables: try call.query.boolean("finishedConsumables"),
                revision: known.flatMap { SignedRevision($0, of: signer) }?.purchases, after: try call.place(),
                limit: try call.query.integer("limit", in: 1...Self.pageMax, default: Self.pageMax)),
            for: call)
        return SignedTransactionsPage(
            seq: page.seq, revision: SignedRevision(purchases: page.revision).text(of: signer),
            isUnchanged: page.isUnchanged ? true : nil,
            signedTransactions: try await sign(page.transactions, page.customer, by: signer, call),
            after: page.after.map { "\($0)" })
    }

    private func signedSubscriptions(_ call: ServerCall) async throws -> SignedSubscriptionsResponse {
        let session = try call.customer()
        let group = try text("group", in: 1...Self.nameLengthMax, call)
        var original: String?
        if let identifier = try call.query.single("transaction") {
            guard (1...19).contains(identifier.utf8.count),
                identifier.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { throw StoreError.invalid("query transaction", "must be a transaction's number, of 1 to 19 digits") }
            original = try await originalTransaction(identifier, call)
        }
        let found = try await download(of: session.customerIdentifier, in: session.bundleId, call)
        let statuses = try await services.call(
            ServerAPIEndpoints.statuses,
            SubscriptionStatusesRequest(bundleId: session.bundleId, customerIdentifier: session.customerIdentifier),
            for: call)
        let signer = try await CustomerSigner(
            PayloadSigner(signing, app: serverApps.app(session.bundleId), device: session.device), of: found,
            storefronts.all(call.context))
        let wanted = statuses.subscriptions.filter { [original] in
            (group?.isExactly($0.subscription.subscriptionGroupIdentifier) ?? true)
                && (original?.isExactly($0.subscription.originalTransactionIdentifier) ?? true)
        }
        return SignedSubscriptionsResponse(
            seq: statuses.seq,
            groups: try wanted.groups.map { group in
                .init(
                    groupID: group[0].subscription.subscriptionGroupIdentifier,
                    statuses: try group.map { try signer.status($0, at: statuses.businessNow) })
            })
    }

    /// Finds the original transaction of one of the customer's transactions.
    /// - Returns: An empty text for any other transaction, which belongs to no subscription.
    private func originalTransaction(_ identifier: String, _ call: ServerCall) async throws -> String {
        let session = try call.customer()
        let found: TransactionLookupReply
        do throws(StoreError) {
            found = try await services.call(
                ServerAPIEndpoints.lookup,
                TransactionLookupRequest(bundleId: session.bundleId, identifier: identifier), for: call)
        } catch {
            guard error.code == .notFound else { throw error }
            return ""
        }
        guard found.customerIdentifier.isExactly(session.customerIdentifier) else { return "" }
        return found.transaction?.item.originalTransactionIdentifier ?? ""
    }

    private func signedTransaction(_ call: ServerCall) async throws -> TransactionInfoResponse {
        let session = try call.customer()
        let transaction = try await services.call(
            PaymentEndpoints.getTransaction,
            TransactionRequest(
                bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
                id: try call.parameter(.id, of: "transaction")), for: call)
        guard let identifier = transaction.transactionIdentifier, transaction.isVisible(to: session.deviceId) else {
            throw StoreError.notFound("purchased transaction")
        }
        let found = try await services.call(
            ServerAPIEndpoints.lookup, TransactionLookupRequest(bundleId: session.bundleId, identifier: identifier),
            for: call)
        guard let value = found.transaction else { throw StoreError.notFound("purchased transaction") }
        let signer = try await PayloadSigner(
            signing, app: serverApps.app(session.bundleId), device: session.device)
        let signed = try await sign([value], found, by: signer, call)
        return TransactionInfoResponse(signedTransactionInfo: signed[0])
    }

    private func signedAppTransaction(_ call: ServerCall) async throws -> AppTransactionInfoResponse {
        let session = try call.customer()
        let found = try await download(of: session.customerIdentifier, in: session.bundleId, call)
        return AppTransactionInfoResponse(
            signedAppTransactionInfo: try await signedAppTransaction(
                found, try await serverApps.app(session.bundleId), for: session.device, call))
    }

    // MARK: Changes

    /// Signs outcomes of payments, and the status of subscriptions that have changed.
    func signChanges(
        _ request: SignChangesRequest, deadline: ContinuousClock.Instant
    ) async throws -> SignedChanges {
        let context = CallContext(deadline: deadline - NotificationService.replyMargin)
        let (bundleId, customer) = (request.bundleId, request.customerIdentifier)
        let bought = try await services.call(
            ServerAPIEndpoints.outcomes,
            PaymentOutcomesRequest(bundleId: bundleId, customerIdentifier: customer, ids: request.ids),
            context: context)
        let signer = try await CustomerSigner(
            PayloadSigner(
                signing, app: serverApps.app(bundleId),
                device: DeviceBinding(identifier: request.deviceVerificationId)),
            of: bought.customer, storefronts.all(context))
        var signed = SignedChanges(
            outcomes: try bought.outcomes.map {
                .init(
                    id: $0.id, isHeld: $0.isHeld, wasDeferred: $0.wasDeferred,
                    isRenewal: $0.transaction.reason == .renewal,
                    signedTransaction: try signer.transaction($0.transaction, at: bought.customer.businessNow))
            }, statuses: [])
        guard !request.subscriptionGroups.isEmpty else { return signed }
        let statuses = try await services.call(
            ServerAPIEndpoints.statuses,
            SubscriptionStatusesRequest(bundleId: bundleId, customerIdentifier: customer), context: context)
        for value in statuses.subscriptions {
            let group = value.subscription.subscriptionGroupIdentifier
            guard request.subscriptionGroups.containsExactly(group) else { continue }
            signed.statuses.append(
                .init(
                    groupID: group, transactionId: value.subscription.id,
                    status: try signer.status(value, at: statuses.businessNow)))
        }
        return signed
    }
}

/// The revision of a signed list: that of the purchases, and behind a hyphen that of their signer.
private struct SignedRevision {
    /// As ``ViewedTransactions/revision``.
    let purchases: String

    init(purchases: String) { self.purchases = purchases }

    /// Reads a revision that a client knows.
    /// - Returns: Nil for one of another signer, whose signatures the client has to read again.
    init?(_ text: String, of signer: PayloadSigner) {
        let end = Array("-\(signer.revision)".utf8)
        guard text.utf8.suffix(end.count).elementsEqual(end) else { return nil }
        purchases = String(Substring(text.utf8.dropLast(end.count)))
    }

    func text(of signer: PayloadSigner) -> String { "\(purchases)-\(signer.revision)" }
}

extension ExchangeCustomer {
    /// The device that the session's signed data is bound to.
    fileprivate var device: DeviceBinding { DeviceBinding(identifier: deviceVerificationId) }
}

extension ServerCall {
    /// The place behind which the page begins. Nil for the first page.
    /// - Throws: `requestInvalid`.
    fileprivate func place() throws(StoreError) -> Int64? {
        guard let text = try query.single("after") else { return nil }
        guard let place = Int64(text), place >= 0 else { throw .invalid("query after", "is not the `after` of a page") }
        return place
    }
}
