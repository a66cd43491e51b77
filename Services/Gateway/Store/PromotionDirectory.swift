import BusService
import EventLoop
import StoreModels

/// What apps promote, as Catalog said it a second ago at most. However many devices look at a page, Catalog is asked once
/// a second for each app and storefront, and by one request at a time.
final class PromotionDirectory: Sendable {
    /// How long an answer is as good as a new one, counted from when it was asked for. What this gateway changes itself
    /// it forgets at once.
    static let freshFor = Duration.seconds(1)
    /// Apps and storefronts that are remembered; at the bound everything is forgotten and asked again.
    static let rememberedMax = 10_000

    fileprivate struct Key: Hashable {
        var bundleId: String
        var storefront: String
    }

    fileprivate typealias Outcome = Result<PromotedListing, StoreError>

    fileprivate struct Entry {
        var listing: PromotedListing?
        var freshUntil: ContinuousClock.Instant = .now
        var isBeingAsked = false
        /// Requests that wait for the one that asks.
        var waiters: [CheckedContinuation<Outcome, Never>] = []
    }

    fileprivate struct State {
        var entries: [Key: Entry] = [:]
        /// Grows with everything forgotten, so that an answer that was under way meanwhile is not kept.
        var generation = 0
    }

    private enum Turn {
        case known(PromotedListing)
        case ask(generation: Int)
        case waited(Outcome)
    }

    private let services: ServiceCaller
    private let patience: Duration
    private let state = Locked(State())

    /// - Parameter patience: How long the one that asks waits for Catalog, so that those who wait for it with less time
    ///   do not wait for long.
    init(services: ServiceCaller, patience: Duration) {
        self.services = services
        self.patience = patience
    }

    /// - Throws: What Catalog answers; `serviceUnavailable` and the like when it is away, for an old page would sell what
    ///   is no longer sold.
    func listing(of bundleId: String, in storefront: String, _ call: Call) async throws(StoreError) -> PromotedListing {
        let key = Key(bundleId: bundleId, storefront: storefront)
        while true {
            let outcome: Outcome
            switch await turn(key) {
            case .known(let listing): return listing
            case .ask(let generation): outcome = await ask(key, since: generation, call)
            case .waited(let answer): outcome = answer
            }
            // Whoever asked may have had less time than this request has.
            if case .failure(let error) = outcome, error.code == .deadlineExceeded, call.deadline > .now { continue }
            return try outcome.get()
        }
    }

    /// The subscriptions among what was promoted when anybody last heard; nil when nobody has. For asking about them
    /// before the answer is there.
    func lastKnownSubscriptions(of bundleId: String, in storefront: String) -> [String]? {
        state.withLock { $0.entries[Key(bundleId: bundleId, storefront: storefront)]?.listing?.subscriptions }
    }

    /// Something was set up: the next question goes to Catalog, and no answer from before is kept.
    func forgetAll() {
        state.withLock { state in
            state.generation += 1
            for key in state.entries.keys { state.entries[key]?.freshUntil = .now }
        }
    }

    /// What is known and fresh; else this request asks, unless another one does.
    private func turn(_ key: Key) async -> Turn {
        let turn = state.withLock { state -> Turn? in
            let entry = state.entries[key] ?? Entry()
            if let listing = entry.listing, entry.freshUntil > .now { return .known(listing) }
            guard !entry.isBeingAsked else { return nil }
            state.makeRoom(for: key)
            state.entries[key, default: Entry()].isBeingAsked = true
            return .ask(generation: state.generation)
        }
        if let turn { return turn }
        return .waited(await withCheckedContinuation { wait($0, for: key) })
    }

    private func wait(_ continuation: CheckedContinuation<Outcome, Never>, for key: Key) {
        let isAnswered = state.withLock { state in
            let isBeingAsked = state.entries[key]?.isBeingAsked == true
            if isBeingAsked { state.entries[key]?.waiters.append(continuation) }
            return !isBeingAsked
        }
        // Answered in between: looked up anew.
        if isAnswered { continuation.resume(returning: Self.askedAgain) }
    }

    private static var askedAgain: Outcome { .failure(StoreError(.deadlineExceeded, "asked again")) }

    private func ask(_ key: Key, since generation: Int, _ call: Call) async -> Outcome {
        let request = PromotedProductsRequest(bundleId: key.bundleId, storefront: key.storefront)
        let freshUntil = ContinuousClock.now + Self.freshFor
        let outcome: Outcome
        do throws(StoreError) {
            let reply = try await services.call(
                CatalogEndpoints.listPromotions(as: PromotedProduct.self), request,
                context: call.context(deadline: min(call.deadline, .now + patience)))
            outcome = .success(PromotedListing(reply))
        } catch {
            outcome = .failure(error)
        }
        let (waiters, isCurrent) = state.withLock { $0.end(key, outcome, freshUntil, since: generation) }
        // Who waits may have come after something was set up: what was asked before does not answer them.
        for waiter in waiters { waiter.resume(returning: isCurrent ? outcome : Self.askedAgain) }
        return outcome
    }
}

extension PromotionDirectory.State {
    /// Forgets what nobody waits for.
    fileprivate mutating func makeRoom(for key: PromotionDirectory.Key) {
        guard entries.count >= PromotionDirectory.rememberedMax, entries[key] == nil else { return }
        entries = entries.filter { $0.value.isBeingAsked }
    }

    fileprivate mutating func end(
        _ key: PromotionDirectory.Key, _ outcome: PromotionDirectory.Outcome, _ freshUntil: ContinuousClock.Instant,
        since known: Int
    ) -> (waiters: [CheckedContinuation<PromotionDirectory.Outcome, Never>], isCurrent: Bool) {
        let waiters = entries[key]?.waiters ?? []
        entries[key]?.waiters = []
        entries[key]?.isBeingAsked = false
        if generation == known, case .success(let listing) = outcome {
            entries[key]?.listing = listing
            entries[key]?.freshUntil = freshUntil
        }
        return (waiters, generation == known)
    }
}
