import Persistence
import StoreModels

/// `account.open`: the customer behind an account of an app, made at its first session.
package struct AccountOpener: Sendable {
    /// Where an account lives when nobody says.
    package static let defaultStorefront = "USA"

    let database: SQLiteDatabase
    let clock: BusinessClock

    package init(database: SQLiteDatabase, clock: BusinessClock) {
        self.database = database
        self.clock = clock
    }

    /// Opening again gives the same customer.
    /// - Throws: `requestInvalid`; `storefrontMismatch` when the account lives in another storefront.
    package func open(_ request: OpenAccountRequest) async throws -> OpenAccountReply {
        try check(request)
        let existing = try await database.read { reader in
            try CustomerRepository.find(account: request.account, bundleId: request.bundleId, in: reader)
        }
        var customer: Customer
        if let existing { customer = existing } else { customer = try await create(request) }
        if let wanted = request.storefront, wanted != customer.storefront {
            throw StoreError(
                .storefrontMismatch,
                "the account's storefront is \(customer.storefront), fixed when the account was created",
                details: ["storefront": .string(customer.storefront)])
        }
        return OpenAccountReply(
            customerIdentifier: customer.id.customerIdentifier, storefront: customer.storefront,
            canMakePayments: customer.canMakePayments)
    }

    private func create(_ request: OpenAccountRequest) async throws -> Customer {
        var random = SystemRandomNumberGenerator()
        let identifier = Identifiers.customer(random: &random)
        return try await database.write { [clock] transaction in
            try CustomerRepository.open(
                account: request.account, bundleId: request.bundleId,
                storefront: request.storefront ?? Self.defaultStorefront, newIdentifier: identifier, wall: clock.wall(),
                in: transaction)
        }
    }

    private func check(_ request: OpenAccountRequest) throws(StoreError) {
        try PaymentValidation.checkLength(request.bundleId, 1...255, "bundleId")
        try PaymentValidation.checkLength(request.deviceId, 1...255, "deviceId")
        guard (1...128).contains(request.account.count), request.account.utf8.count <= 1024 else {
            throw StoreError(
                .requestInvalid, "account must have 1 to 128 characters", details: ["path": .string("$.account")])
        }
        if let storefront = request.storefront {
            guard storefront.utf8.count == 3,
                storefront.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
            else {
                throw StoreError(
                    .requestInvalid, "storefront must be an alpha-3 country code such as FRA",
                    details: ["path": .string("$.storefront")])
            }
        }
    }
}
