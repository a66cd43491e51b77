import BusClient
import EventLoop
import StoreModels

/// PromotionController with everything in memory, as far as the gateway sees it. Its rules are simple: intents are
/// pending until a decision.
final class FakePromotionController: Sendable {
    struct Contents {
        var devices: [ScopedIdentifier: Device] = [:]
        /// Why a device shows nothing.
        var unsupported: [String: String] = [:]
        var intents: [StorePurchaseIntent] = []
        /// How far each installation's intents have come.
        var seqs: [InstallationReference: Int64] = [:]
        /// Whether a change is announced on the bus.
        var publishes = true
        var failure: StoreError?
        /// Holds the reads of overrides.
        var overridesGate: Gate?
        /// What `purchase.start` answers.
        var outcome = StartPurchaseReply.Outcome.openApp
        var starts: [StartPurchaseRequest] = []
        var deliveries: [DeliverIntentsRequest] = []
        var deliveriesBeforeLaunch = 0
        var headsRequests: [[InstallationReference]] = []
        var decisions: [DecideIntentRequest] = []
        var additions: [AddIntentPaymentRequest] = []
        /// What `intent.decide` and `intent.add` say of PaymentQueue's answer; nil: there was none.
        var added: AddPaymentReply? = AddPaymentReply(
            status: 201, transaction: Sample.purchased("t_intent"), isReplayed: false)
        var lists: [IntentsRequest] = []
        var searches: [IntentListRequest] = []
        var cleared: [ClearIntentsRequest] = []
        /// What `intent.clear` says is on its way to PaymentQueue.
        var continued: [String] = []
        var prompts: [Prompt] = []
        var answers: [AnswerPromptRequest] = []
        /// What `events.list` answers from; an event's `id` is its place, counted from 1.
        var events: [IntentEvent] = []
        var looks = 0
    }

    let contents = Locked(Contents())
    let launches = ElementRecorder<DeviceLaunch>()
    let service: FakeService

    init(_ service: FakeService) {
        self.service = service
        service.handle(PromotionEndpoints.removeApp) { _ in RemoveAppReply(isDone: true) }
        service.handle(PromotionEndpoints.copyApp) { _ in Empty() }
        serveDevices()
        serveOverrides()
        serveIntents()
        serveDecisions()
        serveClearing()
        servePrompts()
    }

    func goAway() { service.goAway() }
    func comeBack() { service.comeBack() }

    func check() throws {
        if let failure = contents.withLock({ $0.failure }) { throw failure }
    }

    /// A purchase begins in the store; the hint of it may be lost.
    @discardableResult
    func begin(
        _ identifier: String, product: Product = Sample.pro, device: String = Sample.deviceId
    ) -> StorePurchaseIntent {
        let intent = Sample.intent(identifier, product: product, device: device)
        change(device) { $0.intents.append(intent) }
        return intent
    }

    /// Changes an installation's intents and tells of it.
    func change(_ device: String = Sample.deviceId, _ change: (inout Contents) -> Void) {
        let installation = InstallationReference(bundleId: Sample.bundleId, deviceId: device)
        let (seq, publishes) = contents.withLock { contents in
            change(&contents)
            contents.seqs[installation, default: 0] += 1
            return (contents.seqs[installation] ?? 0, contents.publishes)
        }
        if publishes { publish(seq, of: installation) }
    }

    func publish(_ seq: Int64, of installation: InstallationReference) {
        let change = IntentsChanged(bundleId: installation.bundleId, deviceId: installation.deviceId, seq: seq)
        let key = Sample.key(installation.bundleId, installation.deviceId)
        try? service.client.publish(
            PromotionEvents.intentsChanged(key: key), body: (try? StoreJSON.encode(change)) ?? [])
    }

    private func serveIntents() {
        service.handle(PromotionEndpoints.startPurchase) { [self] request in
            try check()
            let (outcome, count) = contents.withLock { contents in
                contents.starts.append(request)
                return (contents.outcome, contents.starts.count)
            }
            let intent = begin("i_\(count)", product: request.facts.product, device: request.deviceId)
            return StartPurchaseReply(outcome: outcome, intentIdentifier: intent.intentIdentifier)
        }
        service.handle(PromotionEndpoints.deliverIntents) { [self] request in
            try check()
            let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
            return contents.withLock { contents in
                contents.deliveries.append(request)
                guard contents.app(installation)?.isLaunched == true else {
                    // As the service does: to an app that was never launched, nothing (I6), and ask again.
                    contents.deliveriesBeforeLaunch += 1
                    return DeliverIntentsReply(intents: [], seq: (contents.seqs[installation] ?? 0) - 1)
                }
                return DeliverIntentsReply(
                    intents: contents.mine(installation, request.customerIdentifier).filter { $0.state == .pending },
                    seq: contents.seqs[installation] ?? 0)
            }
        }
        service.handle(PromotionEndpoints.intentHeads) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.headsRequests.append(request.installations)
                return IntentHeadsReply(heads: request.installations.map { contents.seqs[$0] ?? 0 })
            }
        }
        service.handle(PromotionEndpoints.listIntents) { [self] request in
            try check()
            let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
            return contents.withLock { contents in
                contents.lists.append(request)
                let mine = contents.mine(installation, request.customerIdentifier)
                return IntentsPage(
                    intents: mine.filter { request.states.isEmpty || request.states.contains($0.state) })
            }
        }
        service.handle(PromotionEndpoints.searchIntents) { [self] request in
            contents.withLock { contents in
                contents.searches.append(request)
                return IntentsPage(intents: contents.intents, after: "i_last")
            }
        }
        service.handle(PromotionEndpoints.getIntent) { [self] request in
            try find(
                request.intentIdentifier,
                of: InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId),
                request.customerIdentifier)
        }
    }

    /// Another device's or customer's is not there.
    func find(
        _ identifier: String, of installation: InstallationReference, _ customer: String
    ) throws -> StorePurchaseIntent {
        try check()
        let mine = contents.withLock { $0.mine(installation, customer) }
        guard let found = mine.first(where: { $0.intentIdentifier == identifier }) else {
            throw StoreError(.notFound, "no intent '\(identifier)'")
        }
        return found
    }
}

extension FakePromotionController.Contents {
    /// Alice's, of one installation.
    fileprivate func mine(_ installation: InstallationReference, _ customer: String) -> [StorePurchaseIntent] {
        guard installation.bundleId == Sample.bundleId, customer == FakePaymentQueue.customer else { return [] }
        return intents.filter { $0.deviceId == installation.deviceId }
    }
}
