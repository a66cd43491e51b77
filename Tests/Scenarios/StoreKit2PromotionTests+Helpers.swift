import Foundation
import NIOHTTP1
import StoreKitClient
import StoreModels
import StorebusTesting
import Testing

extension StoreKit2PromotionTests {
    /// Launches Alice's app, and waits until the store knows how it handles promoted purchases.
    static func launch(
        _ store: StoreStack, _ device: String, iteratesIntents: Bool = true,
        _ change: (inout StoreConnection) -> Void = { _ in }
    ) async throws -> StoreKit2Witness {
        try await forgetHandler(device, in: store)
        var version = ""
        let app = try StoreKit2Witness(store, account: "alice", device: device, iteratesIntents: iteratesIntents) {
            change(&$0)
            version = $0.appVersion
        }
        try await waitUntilLaunched(device, iteratesIntents ? .purchaseIntent : .none, version: version, in: store)
        return app
    }

    /// Gives an installed app a handler that no launch here has, so that a wait for a launch cannot end by the one before.
    private static func forgetHandler(_ device: String, in store: StoreStack) async throws {
        let path = "/admin/v1/devices/\(device)"
        let answer = try await store.send(.GET, path)
        guard answer.status == 200, let app = try answer.decoded(as: Device.self).apps.first else { return }
        try await store.must(
            .PUT, "\(path)/apps/\(StoreStack.app)",
            .object(["version": .string(app.version), "promotedPurchases": "delegate"]))
    }

    /// Waits until the app on a device was launched in a version and a way to handle promoted purchases.
    static func waitUntilLaunched(
        _ device: String, _ handler: DeviceLaunch.PromotedPurchases, version: String = "1.0", in store: StoreStack
    ) async throws {
        try await eventually("the launch on \(device) is known", within: .seconds(30)) {
            let answer = try await store.send(.GET, "/admin/v1/devices/\(device)")
            guard answer.status == 200 else { return false }
            return try answer.decoded(as: Device.self).apps.contains {
                $0.isLaunched && $0.version == version && $0.promotedPurchases == handler
            }
        }
    }

    /// Buys a product, and returns the verified transaction.
    static func buy(_ product: StoreKitClient.Product, on app: StoreKit2Witness) async throws -> Transaction {
        switch try await app.run({ try await product.purchase() }) {
        case .success(.verified(let transaction)): return transaction
        case let other: throw StackError("\(product.id) was not bought: \(other)")
        }
    }

    /// The code of the problem that a call meets, or the name of its error. Nil if it meets none.
    static func refusal(_ call: () async throws -> Void) async -> String? {
        do {
            try await call()
            return nil
        } catch StoreKitError.systemError(let cause) {
            return (cause as? StoreProblem)?.code ?? "\(cause)"
        } catch {
            return "\(error)"
        }
    }

    /// The payment sheet that waits for Alice.
    static func sheet(in store: StoreStack) async throws -> Prompt {
        var found: Prompt?
        try await eventually("a sheet waits", within: .seconds(20)) {
            found = try await store.prompts(of: "alice").first { $0.kind == .sheet }
            return found != nil
        }
        return try #require(found)
    }

    // MARK: What the operator sees

    static func intent(_ identifier: String, in store: StoreStack) async throws -> StorePurchaseIntent {
        try #require(try await store.intents(of: "alice").first { $0.intentIdentifier == identifier })
    }

    /// Alice's transactions.
    static func records(in store: StoreStack) async throws -> [PaymentTransaction] {
        let answer = try await store.must(.GET, "/admin/v1/transactions?account=alice")
        return try answer.decoded(as: ScenarioCustomer.TransactionsAnswer.self).transactions
    }

    static func record(of transaction: Transaction, in store: StoreStack) async throws -> PaymentTransaction {
        try #require(try await records(in: store).first { $0.transactionIdentifier == "\(transaction.id)" })
    }

    /// Expects that an intent was continued, and has become a transaction.
    static func expectContinued(
        _ identifier: String, as transaction: Transaction, in store: StoreStack,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let intent = try await intent(identifier, in: store)
        let record = try await record(of: transaction, in: store)
        #expect(intent.state == .continued, sourceLocation: sourceLocation)
        #expect(intent.transactionId == record.id, sourceLocation: sourceLocation)
        #expect(record.payment.intentIdentifier == identifier, sourceLocation: sourceLocation)
    }

    static func expectCharges(
        _ count: Int, in store: StoreStack, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let approved = try await Ledger.charges(of: store).filter { $0.outcome == .approved }
        #expect(approved.count == count, sourceLocation: sourceLocation)
    }
}

extension StoreKit2Witness {
    /// Waits until the purchases that began in the store are of exactly these products, since the launch.
    func intents(_ products: [String]) async throws -> [PurchaseIntent] {
        _ = try? await eventually("\(device) is told of \(products)", within: .seconds(30)) {
            seen.intents.map(\.id) == products
        }
        let intents = seen.intents
        guard intents.map(\.id) == products else {
            throw StackError("\(device) was told of \(intents.map(\.id)), not of \(products)")
        }
        return intents
    }

    func intents(_ products: String...) async throws -> [PurchaseIntent] { try await intents(products) }
}
