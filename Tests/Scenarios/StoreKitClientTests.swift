import Foundation
import NIOHTTP1
import StoreKitClient
import StoreModels
import StorebusTesting
import Testing

/// Goal: an app written against StoreKit's names lives with a store of real processes: it asks, buys, observes,
/// delivers, finishes and restores, also when processes die under it. Method: `StoreKitClient` against `storebus up`.
@Suite(.process) struct StoreKitClientTests {
    private let beaches = "com.example.hiddenBeaches"
    private let fishing = "com.example.fishingHotSpots"
    private let pro = "com.example.pro.monthly"

    @Test func `M10, M37, M39 to M41, M50, M53: products, purchases, launches, finishes, and a restore elsewhere`()
        async throws
    {
        try await StoreStack.run { store in
            let phone = try StoreKitClientWitness(store, account: "alice", device: "phone", storefront: "FRA")
            #expect(phone.queue.canMakePayments)
            let answer = try await phone.products([beaches, fishing, pro, "no.such.product"])
            #expect(answer.invalidProductIdentifiers == ["no.such.product"])
            #expect(answer.products.count == 3)
            #expect(answer.products.allSatisfy { $0.priceLocale.identifier.hasSuffix("@currency=EUR") })
            #expect(phone.queue.storefront?.countryCode == "FRA")

            phone.launch()
            var bought: [String: SKPaymentTransaction] = [:]
            for product in answer.products {
                let transaction = try await phone.buy(product)
                #expect(transaction.transactionIdentifier != nil && transaction.transactionDate != nil)
                #expect(phone.states(of: product.productIdentifier) == [.purchasing, .purchased])
                bought[product.productIdentifier] = transaction
            }
            #expect(Set(phone.transactions).count == 3, "one transaction through all its states")

            phone.quit()
            phone.forget()
            phone.launch()
            try await eventually("the next launch is told of all three") { phone.transactions.count == 3 }
            #expect(phone.transactions.allSatisfy { $0.transactionState == .purchased })
            for transaction in phone.transactions { try await phone.finish(transaction) }
            #expect(phone.queue.transactions.isEmpty)

            let tablet = try StoreKitClientWitness(store, account: "alice", device: "tablet")
            tablet.launch()
            tablet.queue.restoreCompletedTransactions()
            try await eventually("the restore has ended", within: .seconds(20)) { !tablet.restoreEnds.isEmpty }
            #expect(tablet.restoreEnds == [nil])
            #expect(Set(tablet.transactions.map(\.payment.productIdentifier)) == [beaches, pro])
            for restored in tablet.transactions {
                #expect(restored.transactionState == .restored)
                let original = try #require(restored.original)
                let first = try #require(bought[restored.payment.productIdentifier])
                #expect(original.transactionIdentifier == first.transactionIdentifier)
                #expect(original.transactionDate == first.transactionDate)
                #expect(restored.transactionIdentifier != original.transactionIdentifier)
                try await tablet.finish(restored)
            }
            #expect(phone.transactions.count == 3, "what is restored is told to the device that asked")
        }
    }

    @Test(arguments: ["payment-queue", "gateway", "broker", "payment-processor"])
    func `M21, M57: a process is killed while the app buys; each purchase is reported once and charged once`(
        service: String
    ) async throws {
        try await StoreStack.run { store in
            let app = try StoreKitClientWitness(store, account: "alice", device: "phone")
            let product = try #require(try await app.products([fishing]).products.first)
            app.launch()
            _ = try await app.buy(product)
            let killed = try store.signal(service)
            for _ in 0..<3 { app.queue.add(SKPayment(product: product)) }
            try await store.waitForReplacement(of: service, after: killed)
            try await eventually("all are purchased", within: .seconds(40)) {
                app.states(of: fishing).filter { $0 == .purchased }.count == 4
            }
            #expect(Set(app.transactions).count == 4)
            for transaction in Set(app.transactions) {
                let states = app.transactions.filter { $0 == transaction }.map(\.transactionState)
                #expect(states == [.purchasing, .purchased])
            }
            #expect(try await Ledger.charges(of: store).filter { $0.outcome == .approved }.count == 4)
            for transaction in app.queue.transactions { try await app.finish(transaction) }
        }
    }

    @Test func `M14, M29, M32: a tester who may not pay, has to ask, or cancels`() async throws {
        try await StoreStack.run { store in
            try await set(["canMakePayments": false], for: "kim", in: store)
            let kim = try StoreKitClientWitness(store, account: "kim", device: "kim-1")
            #expect(!kim.queue.canMakePayments)
            let product = try #require(try await kim.products([fishing]).products.first)
            kim.launch()
            let forbidden = try await kim.buy(product, until: .failed)
            #expect((forbidden.error as? SKError)?.code == .paymentNotAllowed)

            try await set(["sheet": "cancel"], for: "lee", in: store)
            let lee = try StoreKitClientWitness(store, account: "lee", device: "lee-1")
            lee.launch()
            let cancelled = try await lee.buy(product, until: .failed)
            #expect((cancelled.error as? SKError)?.code == .paymentCancelled)
            #expect(lee.states(of: fishing) == [.purchasing, .failed])
            try await lee.finish(cancelled)

            try await set(["askToBuy": true], for: "max", in: store)
            let max = try StoreKitClientWitness(store, account: "max", device: "max-1")
            max.launch()
            let deferred = try await max.buy(product, until: .deferred)
            let elsewhere = try await store.session(account: "max", deviceId: "max-2")
            let waiting = try #require(try await elsewhere.unfinished().first)
            let approved = try await store.request(
                .POST, "/admin/v1/transactions/\(waiting.id)/approve", token: store.adminKey)
            #expect(approved.status == 200, "\(approved.text)")
            let purchased = try await max.next(.purchased, after: 2)
            #expect(purchased == deferred, "the same transaction")
            #expect(max.states(of: fishing) == [.purchasing, .deferred, .purchased])
        }
    }

    @Test func `M42: an interrupted purchase is taken up by itself; a restore that fails says so`() async throws {
        try await StoreStack.run { store in
            try await set(["interruptPurchases": true], for: "alice", in: store)
            let app = try StoreKitClientWitness(store, account: "alice", device: "phone")
            let product = try #require(try await app.products([beaches]).products.first)
            app.launch()
            let failed = try await app.buy(product, until: .failed)
            #expect((failed.error as? SKError)?.failureReason == "interrupted")
            let elsewhere = try await store.request(
                .GET, "/admin/v1/transactions?account=alice", token: store.adminKey)
            let page: ScenarioCustomer.TransactionsAnswer = try elsewhere.decoded()
            let interrupted = try #require(page.transactions.first)
            for _ in 0..<2 {
                let resolved = try await store.request(
                    .POST, "/admin/v1/transactions/\(interrupted.id)/resolve", token: store.adminKey)
                #expect(resolved.status == 200, "\(resolved.text)")
            }
            let purchased = try await app.next(.purchased, after: 2)
            #expect(purchased != failed)
            #expect(purchased.payment.productIdentifier == beaches)
            try await app.finish(failed)
            try await app.finish(purchased)

            try await set(["simulatedErrors": .object(["restore": "unknown"])], for: "alice", in: store)
            app.queue.restoreCompletedTransactions()
            try await eventually("the restore has ended", within: .seconds(20)) { !app.restoreEnds.isEmpty }
            #expect(app.restoreEnds == [.unknown])
            #expect(app.states(of: beaches) == [.purchasing, .failed, .purchasing, .purchased])
        }
    }

    @Test func `M25, M47, M48, M55: hosted content is fetched, with a gateway that is killed on the way`() async throws
    {
        try await StoreStack.run { store in
            let content = Data((0..<8_000_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 7) })
            try await sellGuide(with: content, in: store)
            let contents = try TemporaryDirectory()
            let app = try StoreKitClientWitness(
                store, account: "alice", device: "phone", bundleId: "com.example.guide", contents: contents)
            let product = try #require(try await app.products(["com.example.guide.map"]).products.first)
            #expect(product.isDownloadable && product.downloadContentLengths == [8_000_000])
            app.launch()
            let transaction = try await app.buy(product)
            let download = try #require(transaction.downloads.first)
            #expect(download.state == .waiting && download.contentLength == 8_000_000)
            #expect(download.contentVersion == "1.0" && !download.contentIdentifier.isEmpty)

            app.queue.start([download])
            try await eventually("some of it has come", within: .seconds(20)) { download.progress > 0 }
            let killed = try store.signal("gateway")
            try await store.waitForReplacement(of: "gateway", after: killed)
            try await eventually("it is finished", within: .seconds(60)) { download.state == .finished }
            #expect(download.progress == 1)
            #expect(try Data(contentsOf: try #require(download.contentURL)) == content)
            // The observer is called after the state has changed.
            try await eventually("the observer has it", within: .seconds(20)) { app.downloads.last == .finished }
            try await app.finish(transaction)
        }
    }

    private func set(_ settings: [String: JSONValue], for account: String, in store: StoreStack) async throws {
        let answer = try await store.request(
            .PUT, "/admin/v1/testers/\(account)", token: store.adminKey, body: try StoreJSON.encode(settings))
        #expect((200..<300).contains(answer.status), "\(answer.text)")
    }

    /// An app with one product that content comes with.
    private func sellGuide(with content: Data, in store: StoreStack) async throws {
        let catalogue = """
            {"products":[{"type":"NonConsumable","productID":"com.example.guide.map","referenceName":"Map",
            "displayPrice":"0.99","hostedContent":{"version":"1.0","lengths":[\(content.count)]}}]}
            """
        let file = store.directory.file("guide.json")
        try catalogue.write(toFile: file, atomically: true, encoding: .utf8)
        let imported = try await store.importCatalog(file, bundleId: "com.example.guide")
        #expect(imported.status == 200, "\(imported.text)")
        let path = "/admin/v1/apps/com.example.guide/products/com.example.guide.map/content?version=1.0"
        let uploaded = try await store.request(
            .PUT, path, token: store.adminKey, body: Array(content), timeout: .seconds(60))
        #expect(uploaded.status == 201, "\(uploaded.text)")
    }
}
