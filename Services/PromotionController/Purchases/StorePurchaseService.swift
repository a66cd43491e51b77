import Persistence
import StoreModels

/// Handles `purchase.start`: the user taps Buy in the store, or opens a test URL.
///
/// One commit stores the intent and prepares the app (I1): its download, or the prompt to buy it.
struct StorePurchaseService: Sendable {
    /// Maximum number of open intents of one app on one device.
    static let openMax = 50

    let database: any SQLDatabase
    let times: AppTimes
    let checkpoint: DecisionCheckpointHook
    let publish: @Sendable (IntentsChanged) -> Void

    /// Starts a purchase. The same request again returns the same intent in any state.
    ///
    /// So a repeated or late start does not buy twice. A second tap on a pending product also returns the first intent,
    /// so that an accidental tap does not pay twice (our choice).
    /// - Throws: `productNotPromotable`, `promotionUnsupported`, `rateLimited`, `notFound` for an unknown device, or
    ///   `keyReused`.
    func start(_ request: StartPurchaseRequest, deadline: ContinuousClock.Instant) async throws -> StartPurchaseReply {
        let now = try await times.now(of: request.bundleId, deadline: deadline)
        let started = try await database.write { transaction in
            let started = try await start(request, IntentTransaction(transaction: transaction, now: now))
            try checkpoint(.insideStartCommit)
            return started
        }
        try checkpoint(.afterStartCommit)
        if let seq = started.seq {
            publish(IntentsChanged(bundleId: request.bundleId, deviceId: request.deviceId, seq: seq))
        }
        return started.reply
    }

    private struct Started {
        var reply: StartPurchaseReply
        /// The installation's number. Nil unless an intent has begun.
        var seq: Int64?
    }

    private func start(_ request: StartPurchaseRequest, _ commit: IntentTransaction) async throws -> Started {
        let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
        let device = try await DeviceRepository.lock(installation.device, in: commit.transaction)
        let installed = try await InstallationRepository.find(installation, in: commit.transaction)
        let key = request.requestIdentifier
        if let begun = try await StartRepository.intent(of: key, installation, in: commit.transaction) {
            guard begun.isPurchase(request) else {
                throw StoreError(.keyReused, "the key was used with another purchase")
            }
            return Started(
                reply: StartPurchaseReply(
                    outcome: StartPolicy.outcome(request.facts, on: installed), intentIdentifier: begun.id))
        }
        try StartPolicy.check(
            request,
            on: DevicePromotions(
                overrides: installed?.overrides ?? PromotionOverrides(), isLaunched: installed?.isLaunched ?? false,
                unsupported: device.unsupported))
        let outcome = StartPolicy.outcome(request.facts, on: installed)
        var open: [StoredIntent] = []
        for intent in try await IntentRepository.lockOpen(of: installation, in: commit.transaction) {
            open.append(try await commit.settle(intent))
        }
        open.removeAll { $0.life.state.isFinal }
        let promptId = try await prepare(outcome, request, installation, commit)
        if let pending = open.first(where: { $0.life.state == .pending && $0.isPurchase(request) }) {
            try await StartRepository.insert(
                key, of: installation, intent: pending.id, at: commit.now.wall, in: commit.transaction)
            let pending = try await commit.rewrite(pending) { $0.promptId = promptId ?? $0.promptId }
            if outcome == .openApp { try await commit.opensApp(for: pending) }
            return Started(reply: StartPurchaseReply(outcome: outcome, intentIdentifier: pending.id))
        }
        guard open.count < Self.openMax else {
            throw StoreError(
                .rateLimited, "\(Self.openMax) purchases of this app wait on the device already",
                retryAfterMs: 10_000)
        }
        let id = PromotionIdentifiers.intent(wall: commit.now.wall)
        let intent = StoredIntent(request, id: id, promptId: promptId, now: commit.now)
        try await commit.begin(intent)
        if outcome == .openApp { try await commit.opensApp(for: intent) }
        try await StartRepository.insert(
            key, of: installation, intent: id, at: commit.now.wall, in: commit.transaction)
        return Started(
            reply: StartPurchaseReply(outcome: outcome, intentIdentifier: id),
            seq: try await IntentHeadRepository.advance(installation, in: commit.transaction))
    }

    /// Prepares the app for the intent.
    /// - Returns: The prompt that asks whether to buy the app, if it is needed.
    private func prepare(
        _ outcome: StartPurchaseReply.Outcome, _ request: StartPurchaseRequest, _ installation: InstallationReference,
        _ commit: IntentTransaction
    ) async throws -> String? {
        switch outcome {
        case .openApp, .promptUpgrade: return nil
        case .promptBuyApp:
            return try await AppPromptRepository.open(request, at: commit.now.wall, in: commit.transaction)
        case .downloading:
            try await InstallationRepository.install(
                installation, version: request.facts.currentVersion, in: commit.transaction)
            return nil
        }
    }
}

extension StoredIntent {
    /// Tells whether a request is for the intent's product and customer.
    ///
    /// A test URL's product may not be for sale yet, so a tap never matches it.
    fileprivate func isPurchase(_ request: StartPurchaseRequest) -> Bool {
        customerIdentifier.isExactly(request.customerIdentifier)
            && payment.productIdentifier.isExactly(request.facts.product.productIdentifier)
            && (source == .testURL) == (request.source == .testURL) && offer.isExactly(request.offer)
    }
}

/// Decides without I/O how a purchase that begins in the store continues (M65, M72–M75, M109).
enum StartPolicy {
    /// Checks that the product may be bought on the device.
    ///
    /// A test URL also starts products that are not promoted.
    /// - Throws: `promotionUnsupported`, `productNotPromotable` with the reason.
    static func check(_ request: StartPurchaseRequest, on promotions: DevicePromotions) throws(StoreError) {
        if let reason = promotions.unsupported { throw StoreError(.promotionUnsupported, reason) }
        try check(offer: request.offer, of: request.facts.product)
        guard request.source != .testURL else { return }
        let product = request.facts.product.productIdentifier
        guard request.facts.isPromoted else {
            throw StoreError(.productNotPromotable, "'\(product)' is not promoted; explain says why")
        }
        let hidden = request.facts.isHidden == true ? [product] : []
        guard PromotionArrangement(promoted: [product], hidden: hidden).isVisible(product, with: promotions.overrides)
        else { throw StoreError(.productNotPromotable, "'\(product)' is hidden on this device") }
    }

    private static func check(offer: String?, of product: Product) throws(StoreError) {
        guard let offer else { return }
        let offers = (product.winBackOffers ?? []).compactMap(\.identifier)
        guard !offers.contains(where: { $0.isExactly(offer) }) else { return }
        let those = offers.isEmpty ? "it has none" : "it has \(offers.sorted().joined(separator: ", "))"
        throw DeviceRules.invalid(
            "$.offer", "'\(offer)' is no win-back offer of '\(product.productIdentifier)'; \(those)")
    }

    /// Decides the store's next step. The intent is stored in every case.
    static func outcome(_ facts: PromotedProductFacts, on installation: StoredInstallation?)
        -> StartPurchaseReply.Outcome
    {
        guard let installation else { return facts.appPrice.isPaid ? .promptBuyApp : .downloading }
        let isTooOld = PromotionSupport.isTooOld(
            appVersion: installation.version, since: facts.promotionsSupportedSince)
        return isTooOld || installation.promotedPurchases == DeviceLaunch.PromotedPurchases.none
            ? .promptUpgrade : .openApp
    }
}

extension Money? {
    fileprivate var isPaid: Bool { (self?.minorUnits ?? 0) > 0 }
}
