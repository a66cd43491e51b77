import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `tester.get`, `.put`, `.delete` and `.list`: an account's settings at the store.
struct TesterService: QueuePart {
    /// Maximum number of accounts in one page.
    static let pageMax = 500

    let context: QueueContext

    /// Reads an account's settings. An account without settings behaves as StoreKit does, whether it has customers or
    /// not.
    /// - Throws: `requestInvalid`.
    func get(_ account: ScopedIdentifier) async throws -> Tester {
        try AccountValidation.checkName(account.id)
        return try await database.read { reader in try await Self.tester(account, in: reader) }
    }

    /// Reads a version that grows with each change of any account, on a lease where the request names a holder.
    func lease(_ request: TestersLeaseRequest) async throws -> LeasedVersion<TestersVersion> {
        let reply = try await version(for: request.holder)
        // A new holder reads again, so that a change which the version lacks finds it.
        guard !reply.isLeased, await leases.register(request.holder) else { return reply }
        return try await version(for: request.holder)
    }

    private func version(for holder: String?) async throws -> LeasedVersion<TestersVersion> {
        let leases = leases
        return try await database.read { reader in
            let isLeased = try await leases.isRegistered(holder, in: reader)
            let version = try await TesterRepository.version(in: reader)
            return LeasedVersion(version: TestersVersion(version: version), isLeased: isLeased)
        }
    }

    /// Replaces an account's settings.
    ///
    /// A storefront moves the account's customers in the same commit, in all apps of its scope. Without one they keep
    /// theirs.
    /// - Throws: `requestInvalid`, also for a storefront Catalog does not know, or `serviceUnavailable` when Catalog
    ///   does not reply about the storefront. Then nothing is stored.
    func put(_ request: PutTesterRequest, deadline: ContinuousClock.Instant) async throws -> Tester {
        try AccountValidation.checkName(request.account.id)
        try TesterValidation.check(request.settings)
        if let storefront = request.settings.storefront { try await checkExists(storefront, deadline) }
        let tester = try await database.write { transaction in
            try await TesterRepository.put(request.settings, of: request.account, wall: clock.wall(), in: transaction)
            if let storefront = request.settings.storefront {
                try await CustomerRepository.setStorefront(storefront, ofAccount: request.account, in: transaction)
            }
            return try await Self.tester(request.account, in: transaction)
        }
        try await leases.recall(nil)
        return tester
    }

    private func checkExists(_ storefront: String, _ deadline: ContinuousClock.Instant) async throws(StoreError) {
        let known: [Storefront]
        do {
            known = try await collaborators.storefronts(deadline)
        } catch {
            throw StoreError(
                .serviceUnavailable, "the catalogue, which knows the storefronts, is away; nothing was changed",
                retryAfterMs: error.retryAfterMs)
        }
        guard known.contains(where: { $0.countryCode == storefront }) else {
            throw StoreError.requestInvalid("storefront", "there is no storefront \(storefront)")
        }
    }

    /// Deletes an account's settings. Its customers keep their storefront. Deleting again succeeds.
    /// - Throws: `requestInvalid`.
    func delete(_ account: ScopedIdentifier) async throws -> Empty {
        try AccountValidation.checkName(account.id)
        try await database.write { transaction in try await TesterRepository.delete(account, in: transaction) }
        try await leases.recall(nil)
        return Empty()
    }

    /// Lists the accounts of a scope that have settings or customers, by name.
    /// - Throws: `requestInvalid`.
    func list(_ request: PageRequest) async throws -> TestersPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        return try await database.read { reader in
            let accounts = try await TesterRepository.accounts(request, limit: request.limit + 1, in: reader)
            var testers: [Tester] = []
            for account in accounts.prefix(request.limit) {
                testers.append(try await Self.tester(ScopedIdentifier(account, in: request.scope), in: reader))
            }
            let page = try ReplyBudget.fitting(testers)
            return TestersPage(testers: page, after: page.count == accounts.count ? nil : page.last?.account)
        }
    }

    /// Reads an account's settings. Without one of its own, the effective storefront is its customers' common one.
    private static func tester(_ account: ScopedIdentifier, in reader: SQLReader) async throws -> Tester {
        var tester = Tester(
            account: account.id, settings: try await TesterRepository.find(account, in: reader) ?? .init())
        if tester.settings.storefront == nil,
            let storefront = try await TesterRepository.commonStorefront(of: account, in: reader)
        {
            tester.effective.storefront = storefront
        }
        return tester
    }
}

/// Checks a tester's settings before they are stored.
///
/// Otherwise an unknown name would be stored silently, and a test that relies on it would pass for the wrong reason.
enum TesterValidation {
    /// Checks the storefront and the simulated errors.
    /// - Throws: `requestInvalid` naming the member.
    static func check(_ settings: TesterSettings) throws(StoreError) {
        if let storefront = settings.storefront { try AccountValidation.checkStorefront(storefront) }
        let errors = settings.simulatedErrors
        try checkError(errors?.purchase, "simulatedErrors.purchase")
        try checkError(errors?.loadProducts, "simulatedErrors.loadProducts")
        try checkError(errors?.restore, "simulatedErrors.restore")
        try checkError(errors?.download, "simulatedErrors.download")
        try checkError(errors?.receiptRefresh, "simulatedErrors.receiptRefresh")
    }

    private static func checkError(_ text: String?, _ member: String) throws(StoreError) {
        guard let text, SimulatedError(text) == nil else { return }
        throw StoreError.requestInvalid(
            member, "$.\(member) must be the name or the number of an SKError, or StoreKit's name of an error")
    }
}
