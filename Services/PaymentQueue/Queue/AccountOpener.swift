import Persistence
import StoreModels

/// `account.open`: the customer behind an account of an app, made at its first session.
struct AccountOpener: Sendable {
    /// Where an account lives when nobody says.
    static let defaultStorefront = "USA"

    let database: any SQLDatabase
    let clock: BusinessClock

    /// Opening again gives the same customer. The storefront is the tester's, else the one the account was created in;
    /// that is what the request names, else the app's default.
    /// - Throws: `requestInvalid`; `storefrontMismatch` when the account lives in another storefront, and then nothing
    ///   is created.
    func open(_ request: OpenAccountRequest) async throws -> OpenAccountReply {
        try check(request)
        let known = try await database.read { reader in try await Known(request, in: reader) }
        // Most sessions find everything as it should be, and write nothing but their launch's number.
        if let customer = known.customer, try known.storefront(for: request) == customer.storefront {
            return reply(customer, known, request, launch: try await launch(request))
        }
        var random = SystemRandomNumberGenerator()
        let identifier = Identifiers.customer(random: &random)
        let (customer, settled) = try await database.write { transaction in
            let known = try await Known(request, in: transaction)
            let storefront = try known.storefront(for: request)
            var customer = try await CustomerRepository.open(
                account: request.account, bundleId: request.bundleId, storefront: storefront,
                newIdentifier: identifier, wall: clock.wall(), in: transaction)
            if customer.storefront != storefront {
                try await CustomerRepository.setStorefront(storefront, of: customer.id, in: transaction)
                try await TesterRepository.raiseVersion(in: transaction)
                customer.storefront = storefront
            }
            return (customer, known)
        }
        return reply(customer, settled, request, launch: try await launch(request))
    }

    /// A number of its own, larger than those of all launches before: whichever gateway asks and whatever its clock says.
    private func launch(_ request: OpenAccountRequest) async throws -> Int64? {
        guard request.launches == true else { return nil }
        return try await database.write { try await CounterRepository.next(.launch, in: $0) }
    }

    /// What is stored of the account, from one snapshot.
    private struct Known: Sendable {
        var customer: Customer?
        var tester: TesterSettings

        init(_ request: OpenAccountRequest, in reader: SQLReader) async throws {
            customer = try await CustomerRepository.find(
                account: request.account, bundleId: request.bundleId, in: reader)
            tester = try await TesterRepository.find(request.account, in: reader) ?? TesterSettings()
        }

        func storefront(for request: OpenAccountRequest) throws(StoreError) -> String {
            let settled = tester.storefront ?? customer?.storefront
            guard let wanted = request.storefront else {
                return settled ?? request.defaults?.storefront ?? AccountOpener.defaultStorefront
            }
            guard let settled, settled != wanted else { return wanted }
            throw StoreError(
                .storefrontMismatch,
                "the account's storefront is \(settled); a session's counts only when it creates the account",
                details: ["storefront": .string(settled)])
        }
    }

    private func reply(
        _ customer: Customer, _ known: Known, _ request: OpenAccountRequest, launch: Int64?
    ) -> OpenAccountReply {
        let effective = known.tester.over(request.defaults).over(.standard)
        return OpenAccountReply(
            customerIdentifier: customer.id.customerIdentifier, storefront: customer.storefront,
            canMakePayments: effective.canMakePayments ?? true, launch: launch)
    }

    private func check(_ request: OpenAccountRequest) throws(StoreError) {
        try StoreError.checkIdentifier(request.bundleId, .bundle, "bundleId")
        try StoreError.checkIdentifier(request.deviceId, .device, "deviceId")
        try AccountValidation.checkName(request.account)
        if let storefront = request.storefront { try AccountValidation.checkStorefront(storefront) }
    }
}
