import Persistence
import StoreModels

/// `account.get`: a customer as the store knows it now.
struct AccountReader: Sendable {
    let database: any SQLDatabase
    let defaults: AppDefaults

    /// - Throws: `requestInvalid` unless exactly one of identifier and account is given; `notFound`.
    func get(_ request: GetAccountRequest, deadline: ContinuousClock.Instant) async throws -> AccountReply {
        let find = try finder(request)
        let defaults = await defaults.of(request.bundleId, until: deadline)
        return try await database.read { reader in
            guard let customer = try await find(reader) else { throw StoreError(.notFound, "no such customer") }
            let tester = try await TesterRepository.effective(customer.account, defaults: defaults, in: reader)
            return AccountReply(
                customerIdentifier: customer.id.customerIdentifier, account: customer.account,
                storefront: customer.storefront, canMakePayments: tester.canMakePayments ?? true,
                simulatedLoadProductsError: tester.simulatedErrors?.loadProducts,
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
                    CustomerID(bundleId: request.bundleId, customerIdentifier: identifier), in: $0)
            }
        case (nil, let account?):
            { try await CustomerRepository.find(account: account, bundleId: request.bundleId, in: $0) }
        default: throw StoreError(.requestInvalid, "give either customerIdentifier or account")
        }
    }
}
