internal import StoreHTTP
internal import StoreModels

extension SKPaymentQueue {
    /// The queue of StoreKit 2's static members, where a test or a tool has several: set for one task.
    @TaskLocal package static var ofTask: SKPaymentQueue?

    /// The queue that StoreKit 2's static members ask.
    static var current: SKPaymentQueue { ofTask ?? .default() }
}

/// The signed lists that were read, by what was asked. Kept with their revisions, so that an unchanged one is not sent
/// and not verified again, and is there while the store is away.
struct SignedLists: Sendable {
    struct Question: Hashable, Codable, Sendable {
        let view: SignedView
        let product: String?
    }

    struct Answer: Sendable {
        /// Nil for a list of an earlier run, which the store sends again.
        let revision: String?
        let results: [VerificationResult<Transaction>]
    }

    private var answers: [Question: Answer] = [:]
    var appTransaction: VerificationResult<AppTransaction>?
    /// The verifier of the session with this token.
    var verifier: (token: String, StoreVerifier)?

    subscript(question: Question) -> Answer? {
        get { answers[question] }
        set {
            if answers.count >= ClientLimits.signedListsMax { answers.removeAll() }
            answers[question] = newValue
        }
    }
}

/// Events for iterators that do not end.
extension QueueCore {
    /// Changes the state, and wakes the iterators that got something.
    @discardableResult
    func change<Result>(_ body: (inout QueueState) throws -> Result) rethrows -> Result {
        let (result, wakes) = try state.withLock { state in
            let result = try body(&state)
            defer { state.wakes = [] }
            return (result, state.wakes)
        }
        for wake in wakes { wake() }
        return result
    }

    /// Begins to listen. The first listener opens the stream.
    /// - Parameter first: The elements that the iterator begins with.
    func listen<Element: Sendable>(
        _ list: any WritableKeyPath<DeliveryListeners, DeliveryListeners.List<Element>> & Sendable,
        startsWith first: (QueueState) -> [(Element, key: String)] = { _ in [] }
    ) -> DeliveryIterator<Element> {
        let mailbox = Mailbox<Element>()
        register(mailbox, list, startsWith: first)
        return DeliveryIterator(mailbox) {
            let registration = mailbox.registration.withLock { registration in
                defer { registration = nil }
                return registration
            }
            guard let (core, number) = registration.map({ ($0.core, $0.number) }) else { return }
            let gone = core.state.withLock { state in
                (state.listeners[keyPath: list].removeValue(forKey: number), core.endRunIfUnobserved(in: &state))
            }
            withExtendedLifetime(gone) {}
        }
    }

    /// Registers a mailbox. The first one opens the stream.
    /// - Parameter isGone: Whether a mailbox is not to be registered any more.
    func register<Element: Sendable>(
        _ mailbox: Mailbox<Element>,
        _ list: any WritableKeyPath<DeliveryListeners, DeliveryListeners.List<Element>> & Sendable,
        unless isGone: (MailboxRegistration?) -> Bool = { _ in false },
        startsWith first: (QueueState) -> [(Element, key: String)] = { _ in [] }
    ) {
        typealias Registered = (living: [any SKPaymentTransactionObserver], successor: QueueCore?)
        let registered = mailbox.registration.withLock { registration -> Registered in
            guard !isGone(registration) else { return ([], nil) }
            return state.withLock { state -> Registered in
                if let successor = state.successor { return ([], successor) }
                let living = state.observers.prune()
                // No task waits for the mailbox yet, so none is woken.
                for (element, key) in first(state) { _ = mailbox.put(element, key: key) }
                registration = MailboxRegistration(core: self, number: state.listeners.add(mailbox, to: list))
                state.checkHandlers()
                state.usesSignedData = true
                followListeners(in: &state)
                return (living, nil)
            }
        }
        withExtendedLifetime(registered.living) {}
        registered.successor?.register(mailbox, list, unless: isGone, startsWith: first)
    }

    /// Receives a signed transaction of the stream.
    func received(
        _ event: SignedTransactionEvent, _ result: VerificationResult<Transaction>, in state: inout QueueState
    ) {
        if let key = event.requestIdentifier { state.wakePurchase(key) }
        let transaction = result.unsafePayloadValue
        if transaction.revocationDate != nil { state.revoked.remove(transaction.productID) }
        let news = state.deliveries.received(
            result, cause: event.cause, key: event.requestIdentifier, at: event.seq ?? 0)
        if let news { state.deliver(news) }
    }

    /// Receives a status of the stream.
    func received(
        _ event: SubscriptionStatusEvent, _ status: Product.SubscriptionInfo.Status, in state: inout QueueState
    ) {
        if let change = state.deliveries.received(status, at: event.seq ?? 0) { state.deliver(change) }
    }

    /// Reads what a stream does not bring at its beginning, until the store has answered.
    func synchronizeSignedData(from seq: Int64, in state: inout QueueState) {
        state.deliveries.opened(at: seq)
        state.synchronization?.cancel()
        let revoked = state.revoked.sorted()
        state.synchronization = tasks.run { [weak self, call] in
            do {
                let unfinished = try await self?.readList(.init(view: .unfinished, product: nil), by: call)
                let statuses = try await self?.statuses(by: call)
                var lost: [ReadList] = []
                for product in revoked {
                    if let list = try await self?.readList(.init(view: .all, product: product), by: call) {
                        lost.append(list)
                    }
                }
                guard let self, let unfinished, let statuses else { return }
                change { [lost] state in
                    // The run or a newer stream has taken its place.
                    guard !Task.isCancelled else { return }
                    state.revoked.subtract(revoked)
                    let keys = state.table.keysByNumber
                    var news = state.deliveries.synchronized(unfinished.results, at: unfinished.seq, keys: keys)
                    for list in lost { news += state.deliveries.revoked(list.results, at: list.seq) }
                    for result in news { state.deliver(result) }
                    let changes = state.deliveries.synchronized(statuses.groups.flatMap(\.statuses), at: statuses.seq)
                    for change in changes { state.deliver(change) }
                }
            } catch is CancellationError {
                // The queue was deallocated, or a newer stream reads them.
            } catch {
                self?.connection.log?("unfinished transactions could not be read: \(type(of: error))")
            }
        }
    }
}

extension QueueState {
    /// Puts a transaction into every mailbox.
    mutating func deliver(_ result: VerificationResult<Transaction>) {
        put(result, \.updates, key: "\(result.unsafePayloadValue.id)")
    }

    /// Puts a status into every mailbox.
    mutating func deliver(_ change: StatusChange) {
        put(change.status, \.statusUpdates, key: "\(change.status.transaction.unsafePayloadValue.originalID)")
        if change.isBillingIssue { put(Message(reason: .billingIssue), \.messages, key: nil) }
    }

    mutating func put<Element>(
        _ element: Element, _ list: KeyPath<DeliveryListeners, DeliveryListeners.List<Element>>, key: String?
    ) {
        wakes += listeners[keyPath: list].values.compactMap { $0.put(element, key: key) }
    }
}

/// Lists of the store.
extension QueueCore {
    private struct ReadList: Sendable {
        let seq: Int64
        let results: [VerificationResult<Transaction>]
    }

    /// Whether the present session says what to trust. What is judged without it is not kept.
    var isSessionWhole: Bool { sessions.current?.environment != nil }

    /// The verifier of the present session, which every response comes in. A session that was opened while nothing
    /// could be signed does not say what to trust, so another one is opened.
    func verifier() async -> StoreVerifier {
        guard let known = sessions.current else { preconditionFailure("a response came without a session") }
        let renewed = isSessionWhole ? nil : try? await sessions.session(insteadOf: known.token)
        let session = renewed ?? known
        return verifier(of: session)
    }

    /// The verifier of a session.
    func verifier(of session: SessionResponse) -> StoreVerifier {
        if let (token, verifier) = lists.withLock({ $0.verifier }), token == session.token { return verifier }
        let made = makeVerifier(for: session)
        guard isSessionWhole else { return made }
        // A new verifier judges anew.
        lists.withLock { lists in
            if lists.verifier?.token != session.token { lists = SignedLists() }
            lists.verifier = (session.token, made)
        }
        return made
    }

    /// Reads the customer's transactions. While the store is away, those that this run or an earlier one has read last.
    @concurrent func signedTransactions(
        _ view: SignedView, product: String? = nil
    ) async -> [VerificationResult<Transaction>] {
        let question = SignedLists.Question(view: view, product: product)
        guard !Task.isCancelled else { return [] }
        var results: [VerificationResult<Transaction>]
        do {
            results = try await readList(question, by: nil).results
        } catch {
            connection.log?("the customer's transactions could not be read: \(type(of: error))")
            guard !Task.isCancelled else { return [] }
            results = lists.withLock { $0[question]?.results } ?? savedResults(question)
            if view == .entitlements {
                results.removeAll { $0.unsafePayloadValue.expirationDate.map { $0 <= Date() } ?? false }
            }
        }
        guard view == .unfinished else { return results }
        return state.withLock { state in
            results.filter { !state.deliveries.isFinished($0.unsafePayloadValue.id) }
        }
    }

    /// Verifies a list again that was read last, maybe by an earlier run.
    private func savedResults(_ question: SignedLists.Question) -> [VerificationResult<Transaction>] {
        guard let (session, texts) = saved.list(question) else { return [] }
        let verifier = makeVerifier(for: session)
        let results: [VerificationResult<Transaction>] = texts.map { verifier.result($0) }.filter { result in
            question.product?.isExactly(result.unsafePayloadValue.productID) ?? true
        }
        lists.withLock { $0[question] = SignedLists.Answer(revision: nil, results: results) }
        return results
    }

    /// A verifier of what a session has brought.
    func makeVerifier(for session: SessionResponse) -> StoreVerifier {
        var made = StoreVerifier(session, connection, .user, QueueReference(core: self))
        made.failure = failures.withLock { $0[.verification] } as? VerificationResult<Any>.VerificationError
        return made
    }

    /// - Parameter call: As that of ``send(_:by:)``.
    private func readList(_ question: SignedLists.Question, by call: RepeatedCall?) async throws -> ReadList {
        let known = lists.withLock { $0[question] }
        var (results, after): ([VerificationResult<Transaction>], String?) = ([], nil)
        var first: SignedTransactionsPage?
        repeat {
            let request = HTTPCall(
                SignedRoutes.transactions,
                query: [
                    "view": question.view.rawValue, "product": question.product,
                    "finishedConsumables": connection.listsFinishedConsumables && question.view == .all ? "true" : nil,
                    "revision": after == nil ? known?.revision : nil, "after": after,
                ])
            let response = try await send(request, by: call)
            let page = try response.body(of: SignedRoutes.transactions)
            if page.isUnchanged == true, let known { return ReadList(seq: page.seq, results: known.results) }
            let verifier = await verifier()
            results += page.signedTransactions.map { verifier.result($0) }
            first = first ?? page
            after = page.after
        } while after != nil
        guard let first else { throw URLError(.badServerResponse) }
        if let session = sessions.current, isSessionWhole {
            lists.withLock { $0[question] = SignedLists.Answer(revision: first.revision, results: results) }
            saved.keep(results, of: question, in: session)
        }
        return ReadList(seq: first.seq, results: results)
    }

    /// - Parameter call: Repeats the request until the store has answered. Nil tries once.
    private func send(_ request: HTTPCall, by call: RepeatedCall?) async throws -> HTTPResponse {
        guard let call else { return try await gateway.send(request).checked() }
        return try await call.send(request, isEndless: true)
    }

    /// Reads the customer's statuses, by group.
    @concurrent func statuses(
        group: String? = nil, transaction: UInt64? = nil
    ) async throws -> [(groupID: String, statuses: [Product.SubscriptionInfo.Status])] {
        try await StoreKitError.catching {
            try failIfSimulated(.subscriptionStatus)
            return try await statuses(group: group, transaction: transaction, by: nil).groups
        }
    }

    private func statuses(
        group: String? = nil, transaction: UInt64? = nil, by call: RepeatedCall?
    ) async throws -> (seq: Int64, groups: [(groupID: String, statuses: [Product.SubscriptionInfo.Status])]) {
        let request = HTTPCall(
            SignedRoutes.subscriptions, query: ["group": group, "transaction": transaction.map { "\($0)" }])
        let response = try await send(request, by: call)
        let reply = try response.body(of: SignedRoutes.subscriptions)
        let verifier = await verifier()
        return (reply.seq, reply.groups.map { ($0.groupID, $0.statuses.map { .init($0, by: verifier) }) })
    }
}
