internal import StoreHTTP
package import StoreModels

/// Controls the default queue of a test's process.
package enum ClientUnderTest {
    /// Whether a purchase of this process has no outcome yet.
    package static var hasOpenPurchases: Bool { core?.state.withLock { !$0.purchases.isEmpty } ?? false }

    private static var core: QueueCore? { SKPaymentQueue.default().startedCore }

    /// Points the default queue at a store. Observers and iterators go along.
    package static func use(_ connection: StoreConnection) { SKPaymentQueue.redirectDefault(to: connection) }

    /// Reads the store's changes and delivers them before the stream does. It blocks its caller. Without an iterator or
    /// a purchase it does nothing.
    /// - Parameter product: A product whose transactions may be revoked.
    package static func catchUp(revoked product: String? = nil) {
        guard let core, core.state.withLock({ $0.stream != nil && $0.usesSignedData }) else { return }
        do {
            try core.catchUp(revoked: product)
        } catch {
            StoreConnection.warn(
                "the store's changes come by the stream only: \(error.localizedDescription)", core.connection)
        }
    }

    /// Reads the statuses before a change, so that the client sees it as one.
    package static func prepare() {
        guard let core, core.state.withLock({ !$0.deliveries.hasStatuses }) else { return }
        catchUp()
    }

    /// Forgets the customer's transactions, which the store has deleted.
    /// - Parameter number: The only one. Nil for all.
    package static func forget(_ number: UInt64? = nil) {
        guard let core else { return }
        core.state.withLock { $0.deliveries.forget(number) }
        core.lists.withLock { lists in lists = with(SignedLists()) { $0.verifier = lists.verifier } }
    }

    /// Waits until the client has the customer's storefront, at most a second. Without a stream to bring it, the
    /// client opens another session.
    /// - Parameter countryCode: Alpha-3.
    package static func awaitStorefront(_ countryCode: String) {
        guard let core, let session = core.sessions.current, session.storefront.countryCode != countryCode else {
            return
        }
        if core.state.withLock({ $0.stream == nil }) { core.sessions.session(insteadOf: session.token) { _ in } }
        let end = Date() + 1
        while core.sessions.current?.storefront.countryCode != countryCode, Date() < end { usleep(5_000) }
    }

    /// Opens a link on the device, once the store knows how this launch of the app handles promoted purchases.
    package static func open(_ link: PurchaseIntentURL) async throws {
        let core = SKPaymentQueue.default().core
        _ = try await core.sessions.sessionForLaunch(core.state.withLock { $0.handler })
        let call = HTTPCall(
            StorePageRoutes.openURL, body: URLToOpen(url: link.description), key: UUID().uuidString.lowercased())
        _ = try await core.gateway.send(call).checked()
    }

    /// Requests products in a language.
    /// - Parameter language: An identifier of a locale, without keywords. Nil for the storefront's language.
    package static func speak(_ language: String?) {
        if language == nil, core == nil { return }
        SKPaymentQueue.default().core.language.withLock { $0 = language }
    }

    /// Lets calls of one kind fail.
    /// - Parameter error: Nil lets them succeed again.
    package static func fail(_ call: FailableCall, with error: (any Error)?) {
        let core = SKPaymentQueue.default().core
        core.failures.withLock { $0[call] = error }
        // Earlier values are verified again.
        if call == .verification || call == .appTransaction { core.lists.withLock { $0 = SignedLists() } }
    }

    /// Lets all calls succeed again. It removes the errors that another session has set, too.
    package static func failNothing() {
        guard let core else { return }
        let were = core.failures.withLock { failures in
            defer { failures = [:] }
            return failures
        }
        if !were.isEmpty { core.lists.withLock { $0 = SignedLists() } }
    }
}

/// A kind of StoreKit 2's calls that a test can let fail.
package enum FailableCall: Hashable, Sendable {
    case appStoreSync, appTransaction, loadProducts, manageSubscriptions, offerCodeRedeem, purchase, refundRequest
    case subscriptionStatus
    /// Verification on the device. Its error is a `VerificationResult<Any>.VerificationError`.
    case verification
}

extension Transaction {
    /// Decodes a transaction for the app's server, without verifying it.
    package init(decoding text: String) { self.init(claims: SignedClaims(text)) }
}

extension Product.SubscriptionInfo.RenewalInfo {
    /// Decodes renewal information for the app's server, without verifying it.
    package init(decoding text: String) { self.init(claims: SignedClaims(text)) }
}

extension QueueCore {
    /// - Throws: The error that a test has set for the call.
    func failIfSimulated(_ call: FailableCall) throws {
        if let error = failures.withLock({ $0[call] }) { throw error }
    }

    /// Moves the observers and iterators to another queue.
    func handOver(to other: QueueCore) {
        let (observers, listeners) = state.withLock { state in
            defer { state.listeners = DeliveryListeners() }
            state.successor = other
            return (state.observers.all, state.listeners)
        }
        for observer in observers {
            remove(observer)
            other.add(observer)
        }
        other.adopt(listeners.updates, \.updates)
        other.adopt(listeners.statusUpdates, \.statusUpdates)
        other.adopt(listeners.storefronts, \.storefronts)
        other.adopt(listeners.intents, \.intents)
        other.adopt(listeners.messages, \.messages)
        let gone = state.withLock { endRunIfUnobserved(in: &$0) }
        withExtendedLifetime(gone) {}
    }

    private func adopt<Element: Sendable>(
        _ mailboxes: DeliveryListeners.List<Element>,
        _ list: any WritableKeyPath<DeliveryListeners, DeliveryListeners.List<Element>> & Sendable
    ) {
        for mailbox in mailboxes.values { register(mailbox, list, unless: { $0 == nil }) }
    }

    /// Reads the unfinished transactions and the statuses on the caller's thread, and delivers the new ones.
    fileprivate func catchUp(revoked product: String?) throws {
        let unfinished = try page(of: .unfinished, product: nil)
        let lost = try product.map { try page(of: .all, product: $0) }
        let (_, statuses) = try blockingSend(HTTPCall(SignedRoutes.subscriptions))
        let reply = try statuses.body(of: SignedRoutes.subscriptions)
        let verifier = try blockingVerifier()
        let states = reply.groups.flatMap { group in
            group.statuses.map { Product.SubscriptionInfo.Status($0, by: verifier) }
        }
        change { state in
            guard state.stream != nil else { return }
            let keys = state.table.keysByNumber
            var news = state.deliveries.synchronized(unfinished.results, at: unfinished.seq, keys: keys)
            if let lost { news += state.deliveries.revoked(lost.results, at: lost.seq) }
            for result in news { state.deliver(result) }
            for change in state.deliveries.synchronized(states, at: reply.seq) { state.deliver(change) }
        }
    }

    private func page(
        of view: SignedView, product: String?
    ) throws -> (seq: Int64, results: [VerificationResult<Transaction>]) {
        var (results, after, seq): ([VerificationResult<Transaction>], String?, Int64?) = ([], nil, nil)
        repeat {
            let call = HTTPCall(
                SignedRoutes.transactions, query: ["view": view.rawValue, "product": product, "after": after])
            let page = try blockingSend(call).response.body(of: SignedRoutes.transactions)
            let verifier = try blockingVerifier()
            results += page.signedTransactions.map { verifier.result($0) }
            (seq, after) = (seq ?? page.seq, page.after)
        } while after != nil
        return (seq ?? 0, results)
    }

    private func blockingSend(_ call: HTTPCall) throws -> (session: SessionResponse, response: HTTPResponse) {
        guard let session = sessions.waitForFirst(timing.firstSessionWait) else {
            throw URLError(.cannotConnectToHost)
        }
        guard let request = call.request(to: connection.gateway, token: session.token) else {
            throw URLError(.badURL)
        }
        return (session, try gateway.transport.blockingLoad(request, limit: call.limit).checked())
    }

    private func blockingVerifier() throws -> StoreVerifier {
        guard let session = sessions.current else { throw URLError(.cannotConnectToHost) }
        return verifier(of: session)
    }
}
