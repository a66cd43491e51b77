internal import StoreHTTP
internal import StoreModels

/// A test's control of the store that this process buys from.
///
/// ```swift
/// let session = try SKTestSession(configurationFileNamed: "App")
/// session.resetToDefaultState()
/// session.clearTransactions()
/// session.disableDialogs = true
/// ```
/// A session makes an isolated store from the file, with the admin key of `STOREBUS_ADMIN_KEY` at the gateway of
/// `STOREBUS_URL`, and points StoreKit's default queue at it. All sessions of a file in a process share one store, so
/// mark suites with sessions `.serialized`. The process removes its stores when it ends.
///
/// Members without `async` block their caller until the store has answered and the process's own client has the change.
/// Properties, and methods that do not throw, log their errors, and the next throwing member throws them.
open class SKTestSession: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: the state is behind a lock, the rest is fixed.
    struct State: Sendable {
        var settings = SKTestSession.defaults
        var timeRate: TimeRate?
        var locale: Locale?
        var areDialogsDisabled = false
        /// Nil for what the file says.
        var isFailing: Bool?
        var failure = SKError.Code.unknown
        var simulated: [FailableCall: any Sendable] = [:]
        /// The error of a member that cannot throw.
        var pending: SKTestError?
    }

    let testStore: SessionStore
    let state = LockedValue(State())
    /// The file's own settings.
    private let fileSettings: TesterSettings
    /// Held by each call, so that calls reach the store in their order.
    private let calls = NSLock()

    private static let defaults = with(TesterSettings()) { $0.unlimitedRenewals = true }

    // MARK: Beginning

    /// Begins a session with a `.storekit` file.
    /// - Throws: ``SKTestError``
    public init(contentsOf fileURL: URL) throws {
        (testStore, fileSettings) = try SessionStore.begin(fileURL)
        super.init()
        resetToDefaultState()
        if let error = state.withLock({ $0.pending }) { throw error }
    }

    /// Begins a session with a `.storekit` file of this name. It looks for the file in `STOREBUS_STOREKIT_DIRECTORY`, in
    /// the resources of the test's module and of others, in the folders above the test's source, and in the package's
    /// `Tests`.
    /// - Throws: ``SKTestError``
    public convenience init(
        configurationFileNamed filename: String, filePath: StaticString = #filePath, fileID: StaticString = #fileID
    ) throws {
        try self.init(
            contentsOf: ConfigurationFile(filename, filePath: "\(filePath)", fileID: "\(fileID)").find())
    }

    /// Sets everything back to the file's settings. Transactions stay.
    open func resetToDefaultState() {
        state.withLock { state in
            let pending = state.pending
            state = with(State()) { $0.pending = pending }
        }
        // An earlier session of the file may have set errors.
        ClientUnderTest.failNothing()
        ClientUnderTest.speak(nil)
        // An account without a storefront keeps the one that it had.
        let storefront = fileSettings.storefront ?? "USA"
        change { $0 = with(SKTestSession.defaults) { $0.storefront = storefront } }
        ClientUnderTest.awaitStorefront(storefront)
        guard testStore.clockIsMoved.withLock({ $0 }) else { return }
        attempt { try moveClock(ClockSetting(now: Timestamp(Date()), frozen: false)) }
        testStore.clockIsMoved.withLock { $0 = false }
    }

    // MARK: Settings

    /// Whether purchases skip the confirmation. Here they always do, because there is no dialog.
    open var disableDialogs: Bool {
        get { state.withLock { $0.areDialogsDisabled } }
        set { state.withLock { $0.areDialogsDisabled = newValue } }
    }

    /// The customer's storefront, ISO 3166-1 alpha-3.
    open var storefront: String {
        get { effective.storefront ?? "USA" }
        set {
            change { $0.storefront = newValue }
            ClientUnderTest.awaitStorefront(newValue)
        }
    }

    /// The language of products, where the file has it. Until it is set, products are in their storefront's language.
    open var locale: Locale {
        get { state.withLock { $0.locale } ?? Locale(identifier: "en_US") }
        set {
            state.withLock { $0.locale = newValue }
            ClientUnderTest.speak(String(newValue.identifier.prefix { $0 != "@" }))
        }
    }

    /// Whether purchases wait for a parent.
    open var askToBuyEnabled: Bool {
        get { effective.askToBuy ?? false }
        set { change { $0.askToBuy = newValue } }
    }

    /// Whether purchases are interrupted.
    open var interruptedPurchasesEnabled: Bool {
        get { effective.interruptPurchases ?? false }
        set { change { $0.interruptPurchases = newValue } }
    }

    /// Whether all purchases fail with ``failureError``.
    open var failTransactionsEnabled: Bool {
        get { isFailing(state.withLock { $0 }) }
        set {
            let failure = state.withLock { state in
                state.isFailing = newValue
                return state.failure
            }
            failPurchases(newValue ? failure : nil)
        }
    }

    /// The error of purchases while ``failTransactionsEnabled`` is true.
    open var failureError: SKError.Code {
        get { state.withLock { $0.failure } }
        set {
            let now = state.withLock { state in
                state.failure = newValue
                return state
            }
            if isFailing(now) { failPurchases(newValue) }
        }
    }

    private func isFailing(_ state: State) -> Bool {
        state.isFailing ?? (fileSettings.simulatedErrors?.purchase != nil)
    }

    /// - Parameter failure: Nil lets purchases succeed, also where the file lets them fail.
    private func failPurchases(_ failure: SKError.Code?) {
        change { settings in
            var errors = fileSettings.simulatedErrors ?? .init()
            errors.purchase = failure.map { "\($0.rawValue)" }
            settings.simulatedErrors = errors
        }
    }

    /// The renewal rate of subscriptions that are bought from now on. There is no limit of renewals.
    open var timeRate: TimeRate {
        get {
            state.withLock { $0.timeRate } ?? effective.subscriptionRenewalRate.flatMap { TimeRate($0) } ?? .realTime
        }
        set {
            state.withLock { $0.timeRate = newValue }
            change { $0.subscriptionRenewalRate = newValue.storeRate }
        }
    }

    /// Whether access continues after a renewal whose charge was declined.
    open var billingGracePeriodIsEnabled: Bool {
        get { effective.billingGracePeriod ?? false }
        set { change { $0.billingGracePeriod = newValue } }
    }

    /// Whether the charges of all renewals are declined.
    open var shouldEnterBillingRetryOnRenewal: Bool {
        get { effective.failRenewals ?? false }
        set { change { $0.failRenewals = newValue } }
    }

    /// Lets an API fail until its error is removed.
    /// - Parameter error: Nil removes it.
    open func setSimulatedError<API: FailableStoreKitAPI>(_ error: API.Failure?, forAPI api: API) async throws {
        guard let call = (API.self as? any ClientAPI.Type)?.call else {
            throw SKTestError(.invalidAction, "\(API.self) is not an API of StoreKit")
        }
        state.withLock { $0.simulated[call] = error }
        ClientUnderTest.fail(call, with: (error as? any SimulatedFailure)?.error)
    }

    /// Returns the error that was set for an API. Nil for none.
    open func simulatedError<API: FailableStoreKitAPI>(forAPI api: API) async -> API.Failure? {
        guard let call = (API.self as? any ClientAPI.Type)?.call else { return nil }
        return state.withLock { $0.simulated[call] } as? API.Failure
    }

    // MARK: Calls

    /// Sets the store's clock.
    func moveClock(_ setting: ClockSetting) throws {
        testStore.clockIsMoved.withLock { $0 = true }
        _ = try testStore.client.call(ClockRoutes.put, [.bundleId: testStore.made.bundleId], body: setting)
    }

    /// The settings in force: the session's over the file's, over StoreKit's own.
    private var effective: TesterSettings {
        state.withLock { $0.settings }.over(fileSettings).over(.standard)
    }

    /// Changes the customer's settings at the store.
    private func change(_ body: (inout TesterSettings) -> Void) {
        attempt {
            let settings = state.withLock { state in
                body(&state.settings)
                return state.settings
            }
            try testStore.client.call(AccountRoutes.put, [.account: SessionStore.account], body: settings)
        }
    }

    /// Runs a call to the store. Keeps its error for the next member that throws.
    func attempt(_ body: () throws -> Void) {
        do {
            try calls.withLock(body)
        } catch {
            let error = SKTestError(cause: error, missing: .invalidAction)
            warn(error.errorDescription ?? "\(error.code)")
            state.withLock { $0.pending = error }
        }
    }

    /// Runs a call to the store, once the client knows the state before it.
    /// - Parameter missing: The error for an object that the store does not have.
    func perform<Output>(_ missing: SKTestError.Code, _ body: () throws -> Output) throws -> Output {
        let pending = state.withLock { state in
            defer { state.pending = nil }
            return state.pending
        }
        if let pending { throw pending }
        ClientUnderTest.prepare()
        do {
            return try calls.withLock(body)
        } catch {
            throw SKTestError(cause: error, missing: missing)
        }
    }

    private func warn(_ sentence: String) {
        FileHandle.standardError.write(Data("StoreKitTest: \(sentence)\n".utf8))
    }
}
