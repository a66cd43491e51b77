import BusService
import StoreModels

/// What the operator does at the store.
extension TestStore {
    @discardableResult
    func set(_ account: String, _ settings: TesterSettings) async throws -> Tester {
        try await caller.call(PaymentEndpoints.putTester, PutTesterRequest(account: account, settings: settings))
    }

    func tester(_ account: String) async throws -> Tester {
        try await caller.call(PaymentEndpoints.getTester, TesterRequest(account: account))
    }

    func forget(_ account: String) async throws {
        _ = try await caller.call(PaymentEndpoints.deleteTester, TesterRequest(account: account))
    }

    func testers(after: String? = nil, limit: Int = 100) async throws -> TestersPage {
        try await caller.call(PaymentEndpoints.listTesters, PageRequest(after: after, limit: limit))
    }

    func heads(_ shoppers: Shopper...) async throws -> HeadsReply {
        try await caller.call(
            PaymentEndpoints.heads,
            HeadsRequest(
                customers: shoppers.map {
                    CustomerReference(bundleId: Catalogue.bundleId, customerIdentifier: $0.customer)
                }))
    }
}

extension Shopper {
    func account() async throws -> AccountReply {
        try await store.caller.call(
            PaymentEndpoints.getAccount,
            GetAccountRequest(bundleId: Catalogue.bundleId, customerIdentifier: customer))
    }
}
