import BusService
import Logging
import StoreModels

/// Cache of customers as PaymentQueue knows them. A session's token has only the storefront of the time it was issued.
///
/// A reply is reused for at most a second, while the testers' settings and the app have the versions it was requested
/// at (the app's catalogue sets the testers' defaults). While PaymentQueue is away the last reply is used, and without
/// one the session's claims.
package final class AccountDirectory: Sendable {
    /// Lifetime of an entry of the current versions, counted from its reply.
    static let freshFor = Duration.seconds(1)
    /// Maximum number of cached customers. At the bound all are dropped.
    static let rememberedMax = 10_000

    private struct Entry {
        var account: AccountReply
        /// Nil for an entry that was not requested as a whole.
        var versions: Versions?
    }

    /// Versions an account reply depends on.
    private struct Versions: Hashable {
        var app: AppVersion
        var testers: TestersVersion
    }

    private let services: ServiceCaller
    private let versions: CurrentVersions
    private let logger: Logger
    private let entries = ExpiringCache<CustomerReference, Entry>(max: rememberedMax, freshFor: freshFor)

    init(services: ServiceCaller, versions: CurrentVersions, logger: Logger) {
        self.services = services
        self.versions = versions
        self.logger = logger
    }

    /// Returns the session's customer, with the current storefront where PaymentQueue answers.
    package func customer(_ call: Call) async -> RequestCustomer {
        let session = call.session
        let deadline = call.optionalDeadline
        let (appVersion, testersVersion) = await versions.ofAccounts(in: session.bundleId, until: deadline)
        // PaymentQueue is away, so a request for the account would fail too.
        guard let testersVersion else {
            return RequestCustomer(bundleId: session.bundleId, account: lastKnown(session), appVersion: appVersion)
        }
        let known = appVersion.map { Versions(app: $0, testers: testersVersion) }
        return RequestCustomer(
            bundleId: session.bundleId, account: await account(of: session, at: known, call), appVersion: appVersion)
    }

    /// Returns the customer's storefront from the cache, or the session's, without a request.
    package func lastKnownStorefront(of session: Session) -> String {
        entries.last(session.customer)?.account.storefront ?? session.storefront
    }

    /// Stores the storefront that another reply of PaymentQueue contains. The next request goes to PaymentQueue. An
    /// account that arrives at the same time may be lost, until then.
    package func note(_ storefront: String, of session: Session) {
        var account = lastKnown(session)
        account.storefront = storefront
        entries.insert(Entry(account: account, versions: nil), for: session.customer)
    }

    /// Marks the entry as stale, so that the next request goes to PaymentQueue. It may be called often, because unlike
    /// ``forget(_:)`` it does not discard replies in flight for other customers.
    package func expire(_ customer: CustomerReference) {
        entries.expire(customer)
    }

    /// Reads the session's account anew.
    /// - Throws: `serviceUnavailable` without PaymentQueue, or `notFound` for a customer who was deleted.
    package func readAgain(_ call: Call) async throws(StoreError) {
        let session = call.session
        expire(session.customer)
        let ticket = entries.ticket()
        do {
            let account = try await services.call(
                PaymentEndpoints.getAccount,
                GetAccountRequest(bundleId: session.bundleId, customerIdentifier: session.customerIdentifier), for: call
            )
            entries.insert(Entry(account: account, versions: nil), for: session.customer, ticket)
        } catch  where error.code == .deadlineExceeded {
            throw StoreError(.serviceUnavailable, "payment-queue did not answer in time", retryAfterMs: 1000)
        }
    }

    /// Invalidates a changed customer: the next request goes to PaymentQueue, and no earlier reply is cached.
    package func forget(_ customer: CustomerReference) {
        entries.expire(customer, discardingReplies: true)
    }

    private func lastKnown(_ session: Session) -> AccountReply {
        entries.last(session.customer)?.account ?? AccountReply(session)
    }

    /// - Parameter versions: Requested earlier, so never newer than the reply. Nil when Catalog is away.
    private func account(of session: Session, at versions: Versions?, _ call: Call) async -> AccountReply {
        if let versions, let entry = entries.fresh(session.customer, where: { $0.versions == versions }) {
            return entry.account
        }
        var ticket = entries.ticket()
        let known = lastKnown(session)
        let account = await ask(session, call) ?? entries.last(session.customer)?.account ?? known
        // A request that times out is not repeated for a second either.
        ticket.requestedAt = .now
        entries.insert(Entry(account: account, versions: versions), for: session.customer, ticket)
        return account
    }

    /// - Returns: Nil when there is no reply. The request gets only part of the time of the client's request.
    private func ask(_ session: Session, _ call: Call) async -> AccountReply? {
        let request = GetAccountRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier)
        do {
            return try await services.call(
                PaymentEndpoints.getAccount, request, context: call.context(deadline: call.optionalDeadline))
        } catch {
            logger.debug("the last known customer is used", metadata: ["code": "\(error.code)"])
            return nil
        }
    }
}

extension AccountReply {
    /// Creates a reply from the claims of a session's token.
    fileprivate init(_ session: Session) {
        self.init(
            customerIdentifier: session.customerIdentifier, account: session.account, storefront: session.storefront,
            canMakePayments: true)
    }
}

/// The customer of an app for whom a request shows products, with the current storefront.
package struct RequestCustomer: Sendable {
    package let bundleId: String
    package let account: AccountReply
    /// The app's version, requested after the client's request arrived. Nil when Catalog is away or was not asked.
    package var appVersion: AppVersion?

    /// - Parameter appVersion: Nil when Catalog is away or was not asked.
    package init(bundleId: String, account: AccountReply, appVersion: AppVersion? = nil) {
        self.bundleId = bundleId
        self.account = account
        self.appVersion = appVersion
    }

    package var customerIdentifier: String { account.customerIdentifier }
    package var reference: CustomerReference {
        CustomerReference(bundleId: bundleId, customerIdentifier: customerIdentifier)
    }
    /// Alpha-3 country code.
    package var storefront: String { account.storefront }

    /// Fails when the tester is set to fail loading products.
    /// - Throws: `serviceUnavailable`, with the error as StoreKit has it.
    package func checkMayLoadProducts() throws(StoreError) {
        guard let failure = account.simulatedProductsError else { return }
        throw try simulated(failure, "loading products")
    }

    /// Fails when the tester is set to fail refreshing the receipt.
    /// - Throws: `serviceUnavailable`, with the error as StoreKit has it. A retry changes nothing.
    package func checkMayRefreshReceipt() throws(StoreError) {
        guard let failure = account.simulatedReceiptError else { return }
        var error = try simulated(failure, "refreshing the receipt")
        error.retryable = false
        throw error
    }

    private func simulated(_ failure: TransactionError, _ what: String) throws(StoreError) -> StoreError {
        let name = failure.reason ?? failure.name
        return StoreError(
            .serviceUnavailable, "\(what) fails for \(account.account), as set: simulated error \(name)",
            details: ["simulatedError": .string(name), "error": try failure.json()])
    }
}

extension TransactionError {
    /// The error's JSON as on a failed transaction.
    fileprivate func json() throws(StoreError) -> JSONValue {
        do {
            return try StoreJSON.decode(JSONValue.self, from: try StoreJSON.encode(self))
        } catch {
            throw StoreError(.internal, "an error without a JSON form")
        }
    }
}
