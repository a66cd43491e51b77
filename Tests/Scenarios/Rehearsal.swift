import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// One customer's operations, with any process killed in between, and their invariants. Each operation is repeated with
/// the same request until its response is final.
final class Rehearsal {
    private static let coins = "com.example.rehearsal.coins"
    private static let map = "com.example.rehearsal.map"
    private static let song = "com.example.rehearsal.song"
    private static let club = "com.example.rehearsal.club"
    private static let bundleId = "com.example.rehearsal"
    private static let key = "rehearsal-1"

    private let store: StoreStack
    private let customer: ScenarioCustomer
    /// What the operation is about.
    private var transaction: PaymentTransaction?
    private var restoreIdentifier: String?
    private var underWay: Task<Void, Never>?

    /// Imports a catalogue of three products and launches the app.
    init(_ store: StoreStack) async throws {
        self.store = store
        let catalogue = store.directory.file("rehearsal.json")
        try Self.catalogue.write(toFile: catalogue, atomically: true, encoding: .utf8)
        let imported = try await store.importCatalog(catalogue, bundleId: Self.bundleId)
        guard imported.status == 200 else { throw StackError("import: \(imported.status) \(imported.text)") }
        customer = try await store.session(account: "alice", bundleId: Self.bundleId)
    }

    private static let catalogue = """
        {"version": {"major": 4, "minor": 0}, "identifier": "REHEARSE", "nonRenewingSubscriptions": [],
         "subscriptionGroups": [{"id": "club", "name": "Club", "localizations": [], "subscriptions": [\(subscription)]}],
         "products": [
        \(product(coins, "Consumable")), \(product(map, "NonConsumable")),
        \(product(song, "NonConsumable", more: #", "hostedContent": {"version": "1.0", "lengths": [11]}"#))]}
        """

    /// A week free, then paid by the month.
    private static let subscription = product(
        club, "RecurringSubscription",
        more: #"""
            , "subscriptionGroupID": "club", "groupNumber": 1, "recurringSubscriptionPeriod": "P1M", "adHocOffers": [],
             "codeOffers": [], "introductoryOffer": {"internalID": "trial", "numberOfPeriods": 1, "paymentMode": "free",
             "subscriptionPeriod": "P1W"}
            """#)

    private static func product(_ id: String, _ type: String, more: String = "") -> String {
        """
        {"productID": "\(id)", "internalID": "\(id)", "type": "\(type)", "referenceName": "\(id)",
         "displayPrice": "1.99", "familyShareable": false, "localizations": [
          {"locale": "en_US", "displayName": "Thing", "description": "A thing."}]\(more)}
        """
    }

    // MARK: Before

    /// What has to be there before the operation: bought, or waiting for a parent.
    func prepare(_ operation: FailpointTests.Operation) async throws {
        switch operation {
        case .buy, .subscribe: break
        case .buyAgain:
            // After a plain purchase, the processor authorizes the customer's next one first.
            try await customer.finish(try await customer.buy(Self.coins, key: "rehearsal-0").id)
        case .giveUp:
            let tester = try await admin(.PUT, "/admin/v1/testers/alice", body: #"{"processor": "timeoutBefore"}"#)
            try #require(tester.status == 200)
            // The processor says nothing to it, so it is under way until it is given up.
            underWay = Self.leave(customer)
            try await eventually("the purchase is under way", within: .seconds(5)) {
                try await self.customer.unfinished().first?.transactionState == .purchasing
            }
        case .finish, .clear: transaction = try await customer.buy(Self.coins, key: Self.key)
        case .restore:
            transaction = try await customer.buy(Self.map, key: Self.key)
            try await customer.finish(try id)
        case .approve:
            let tester = try await admin(.PUT, "/admin/v1/testers/alice", body: #"{"askToBuy": true}"#)
            try #require(tester.status == 200)
            let asked = try await customer.add(Self.coins, key: Self.key)
            try #require(asked.status == 202, "\(asked.text)")
            transaction = try asked.decoded()
        case .download:
            let path = "/admin/v1/apps/\(Self.bundleId)/products/\(Self.song)/content?version=1.0"
            let uploaded = try await admin(.PUT, path, body: "la la la la")
            try #require(uploaded.status == 201, "\(uploaded.text)")
            // Quotes are kept for a second.
            try await eventually("the song is for sale", within: .seconds(5)) {
                try await customer.products([Self.song]).invalidProductIdentifiers.isEmpty
            }
            transaction = try await customer.buy(Self.song, key: Self.key)
            try #require(transaction?.downloads.count == 1)
        }
    }

    /// Buys without waiting for what becomes of it.
    private static func leave(_ customer: ScenarioCustomer) -> Task<Void, Never> {
        Task { _ = try? await customer.add(coins, key: key) }
    }

    // MARK: The operation

    /// Repeats the request until it is answered for good.
    func perform(_ operation: FailpointTests.Operation) async throws {
        switch operation {
        case .buy, .buyAgain: transaction = try await customer.buy(Self.coins, key: Self.key)
        case .subscribe: transaction = try await customer.buy(Self.club, key: Self.key)
        case .finish: try await customer.finish(try id)
        case .approve:
            transaction = try await repeated(.POST, "/admin/v1/transactions/\(try id)/approve").decoded()
        case .clear, .giveUp:
            try await repeated(.DELETE, "/admin/v1/apps/\(Self.bundleId)/transactions?account=alice")
        case .restore:
            let begun = try await repeated(
                .POST, "/v1/restore", token: customer.token, headers: ["idempotency-key": "restore-1"], body: "{}")
            let identifier = try begun.decoded(as: JSONValue.self)["restoreIdentifier"]?.stringValue
            #expect(restoreIdentifier == nil || restoreIdentifier == identifier, "one key, one restore")
            restoreIdentifier = identifier
        case .download:
            let download = try #require(transaction?.downloads.first)
            try await repeated(.POST, "/v1/downloads/\(download.id)/start", token: customer.token)
        }
    }

    private var id: String {
        get throws { try #require(transaction).id }
    }

    @discardableResult
    private func repeated(
        _ method: HTTPMethod, _ path: String, token: String? = nil, headers: [String: String] = [:],
        body: String? = nil
    ) async throws -> StoreStack.Answer {
        var last: StoreStack.Answer?
        try await eventually("\(method) \(path) is answered", within: .seconds(30)) {
            let answer = try? await store.request(
                method, path, token: token ?? store.adminKey, headers: headers, body: body.map { Array($0.utf8) })
            guard let answer, answer.status < 500 else { return false }
            guard answer.status < 300 else { throw StackError("\(path): \(answer.status) \(answer.text)") }
            last = answer
            return true
        }
        return try #require(last)
    }

    private func admin(_ method: HTTPMethod, _ path: String, body: String? = nil) async throws -> StoreStack.Answer {
        try await store.request(method, path, token: store.adminKey, body: body.map { Array($0.utf8) })
    }

    // MARK: After

    /// The books agree, the queue holds what it must, and a launch delivers exactly that.
    func check(_ operation: FailpointTests.Operation) async throws {
        let queue = try await customer.unfinished()
        try await checkMoney(removed: operation == .clear ? [try id] : [])
        switch operation {
        case .buy, .buyAgain, .approve: try await checkBought(queue)
        case .finish:
            #expect(queue.isEmpty, "finished is final (Q3)")
            // The same purchase again is answered as it was, and costs nothing (P3, P4).
            #expect(try await customer.buy(Self.coins, key: Self.key).id == (try id))
        case .subscribe:
            #expect(transaction?.isTrialPeriod == true, "the offer was claimed once, and by this purchase (O1)")
            #expect(queue.map(\.id) == [try id])
        case .clear, .giveUp: #expect(queue.isEmpty)
        case .restore: try await checkRestored(queue)
        case .download:
            let download = try #require(queue.first { $0.id == transaction?.id }?.downloads.first)
            #expect(download.state == .active)
        }
        await underWay?.value
        try await checkDelivered(try await customer.unfinished())
    }

    private func checkBought(_ queue: [PaymentTransaction]) async throws {
        let bought = try #require(transaction)
        #expect(bought.transactionState == .purchased)
        #expect(queue.map(\.id) == [bought.id], "one transaction, in the queue (P1, Q5)")
        #expect(queue.first?.transactionIdentifier == bought.transactionIdentifier)
        try await customer.finish(bought.id)
        #expect(try await customer.unfinished().isEmpty)
    }

    private func checkRestored(_ queue: [PaymentTransaction]) async throws {
        let identifier = try #require(restoreIdentifier)
        var restore: Restore?
        try await eventually("the restore has ended", within: .seconds(10)) {
            let answer = try await self.repeated(.GET, "/v1/restores/\(identifier)", token: self.customer.token)
            restore = try answer.decoded(as: Restore.self)
            return restore?.state != .running
        }
        #expect(restore?.state == .finished)
        #expect(restore?.restored == 1)
        let restored = try await customer.unfinished().filter { $0.transactionState == .restored }
        #expect(restored.count == 1, "one for each original (R1, R3)")
        #expect(restored.first?.originalTransactionIdentifier == transaction?.transactionIdentifier)
    }

    /// The processor's books: one approved charge for each purchased transaction and no other (P2, P3, P5, R2).
    private func checkMoney(removed: [String]) async throws {
        let history = try await repeated(.GET, "/v1/history", token: customer.token)
            .decoded(as: ScenarioCustomer.TransactionsAnswer.self).transactions
            .filter { $0.transactionState == .purchased && $0.isTrialPeriod != true }
        let approved = try await Ledger.charges(of: store).filter { $0.outcome == .approved }
        #expect(approved.map(\.chargeKey).sorted() == (history.map(\.id) + removed).map { "purchase:\($0)" }.sorted())
    }

    /// A launch brings all that is unfinished, and nothing else, before `synchronized` (Q1).
    private func checkDelivered(_ queue: [PaymentTransaction]) async throws {
        var observer = try await customer.observe()
        var delivered: [String] = []
        while let event = try await observer.next(), event.name != "synchronized" {
            if event.name == "updatedTransactions" { delivered += try event.transactions().map(\.id) }
        }
        #expect(delivered.sorted() == queue.map(\.id).sorted())
    }
}
