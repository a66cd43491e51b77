import Persistence
import ServiceDatabase
import StoreModels

/// Handles `account.open` and `account.get`: the customer of an account in an app.
struct AccountService: QueuePart {
    /// The storefront of an account if neither a request nor a setting names one.
    static let defaultStorefront = "USA"

    let context: QueueContext

    /// Finds or creates the customer of an account. Opening again returns the same customer.
    ///
    /// The storefront is the tester's, if an operator has set one. Otherwise the account keeps its own: the one named
    /// by the request that created it, or the app's default.
    /// - Throws: `requestInvalid`, or `storefrontMismatch` when the account's storefront is another one. Then nothing
    ///   is created.
    func open(_ request: OpenAccountRequest) async throws -> OpenAccountReply {
        try check(request)
        let known = try await database.read { reader in try await StoredAccount(request, in: reader) }
        // Most sessions change nothing and write only their launch's number.
        if let customer = known.customer, try known.storefront(for: request) == customer.storefront {
            return reply(customer, known, request, launch: try await launch(request))
        }
        var random = SystemRandomNumberGenerator()
        let identifier = Identifiers.customer(random: &random)
        let (customer, settled, isMoved) = try await database.write { transaction in
            let known = try await StoredAccount(request, in: transaction)
            let storefront = try known.storefront(for: request)
            var customer = try await CustomerRepository.open(
                account: request.account, bundleId: request.bundleId, storefront: storefront,
                newIdentifier: identifier, wall: clock.wall(), in: transaction)
            let isMoved = customer.storefront != storefront
            if isMoved {
                try await CustomerRepository.setStorefront(storefront, of: customer.id, in: transaction)
                try await TesterRepository.raiseVersion(in: transaction)
                customer.storefront = storefront
            }
            return (customer, known, isMoved)
        }
        if isMoved { try await leases.recall(nil) }
        return reply(customer, settled, request, launch: try await launch(request))
    }

    /// Takes the launch's number, which is larger than that of every earlier launch.
    ///
    /// It is independent of the calling gateway and its clock.
    private func launch(_ request: OpenAccountRequest) async throws -> Int64? {
        guard request.launches == true else { return nil }
        return try await database.write { try await CounterRepository.next(.launch, in: $0) }
    }

    /// An account's customer and settings, read from one snapshot.
    private struct StoredAccount: Sendable {
        /// Nil before the account's first session in the app.
        var customer: Customer?
        var tester: TesterSettings

        init(_ request: OpenAccountRequest, in reader: SQLReader) async throws {
            customer = try await CustomerRepository.find(
                account: request.account, bundleId: request.bundleId, in: reader)
            let account = ScopedIdentifier(request.account, in: IsolationScope(of: request.bundleId))
            tester = try await TesterRepository.find(account, in: reader) ?? TesterSettings()
        }

        func storefront(for request: OpenAccountRequest) throws(StoreError) -> String {
            let settled = tester.storefront ?? customer?.storefront
            guard let wanted = request.storefront else {
                return settled ?? request.defaults?.storefront ?? AccountService.defaultStorefront
            }
            guard let settled, settled != wanted else { return wanted }
            throw StoreError(
                .storefrontMismatch,
                "the account's storefront is \(settled); a session's counts only when it creates the account",
                details: ["storefront": .string(settled)])
        }
    }

    private func reply(
        _ customer: Customer, _ known: StoredAccount, _ request: OpenAccountRequest, launch: Int64?
    ) -> OpenAccountReply {
        let effective = known.tester.over(request.defaults).over(.standard)
        return OpenAccountReply(
            customerIdentifier: customer.id.customerIdentifier, storefront: customer.storefront,
            canMakePayments: effective.canMakePayments ?? true, launch: launch)
    }

    private func check(_ request: OpenAccountRequest) throws(StoreError) {
        try StoreError.checkIdentifier(IsolatedApp.shown(request.bundleId), .bundle, "bundleId")
        try StoreError.checkIdentifier(request.deviceId, .device, "deviceId")
        try AccountValidation.checkName(request.account)
        if let storefront = request.storefront { try AccountValidation.checkStorefront(storefront) }
    }

    // MARK: Get

    /// Reads a customer's account, storefront and simulated errors.
    /// - Throws: `requestInvalid` unless exactly one of identifier and account is given, or `notFound`.
    func get(_ request: GetAccountRequest, deadline: ContinuousClock.Instant) async throws -> AccountReply {
        let find = try finder(request)
        let defaults = await defaults.of(request.bundleId, until: deadline)
        return try await database.read { reader in
            guard let customer = try await find(reader) else { throw StoreError(.notFound, "no such customer") }
            let tester = try await TesterRepository.effective(of: customer, defaults: defaults, in: reader)
            return AccountReply(
                customerIdentifier: customer.id.customerIdentifier, account: customer.account,
                storefront: customer.storefront, canMakePayments: tester.canMakePayments ?? true,
                simulatedProductsError: tester.simulatedErrors?.loadProducts.map {
                    SimulatedError.failure($0, "Loading products failed with the error the tester is set to meet.")
                },
                simulatedReceiptError: tester.simulatedErrors?.receiptRefresh.map {
                    SimulatedError.failure(
                        $0, "Refreshing the receipt failed with the error the tester is set to meet.")
                })
        }
    }

    private func finder(
        _ request: GetAccountRequest
    ) throws(StoreError) -> @Sendable (SQLReader) async throws -> Customer? {
        switch (request.customerIdentifier, request.account) {
        case (let identifier?, nil):
            {
                try await CustomerRepository.find(
                    CustomerReference(bundleId: request.bundleId, customerIdentifier: identifier), in: $0)
            }
        case (nil, let account?):
            { try await CustomerRepository.find(account: account, bundleId: request.bundleId, in: $0) }
        default: throw StoreError(.requestInvalid, "give either customerIdentifier or account")
        }
    }
}

/// Checks the syntax of account names and storefronts in requests.
enum AccountValidation {
    /// Checks an account name.
    /// - Throws: `requestInvalid` unless it is an account's identifier.
    static func checkName(_ account: String) throws(StoreError) {
        try StoreError.checkIdentifier(account, .account, "account")
    }

    /// Checks the syntax of a storefront. Only Catalog knows whether the storefront exists.
    /// - Throws: `requestInvalid` unless it is three capital letters.
    static func checkStorefront(_ storefront: String) throws(StoreError) {
        guard storefront.utf8.count == 3,
            storefront.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else {
            throw StoreError.requestInvalid("storefront", "storefront must be an alpha-3 country code such as FRA")
        }
    }
}
