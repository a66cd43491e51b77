import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: any `.storekit` file people already have becomes a store that sells and redelivers.
/// Method: each sample of the repository is imported into a store of real processes; every product is asked for and
/// its price compared with an independent reading of the file; one product is bought, PaymentQueue is killed with
/// SIGKILL, and the unfinished transaction must come back, be finished, and be gone.
@Suite(.process) struct SampleCatalogTests {
    @Test func `every sample catalogue is imported, sold from, redelivered after kill -9 and finished`() async throws {
        let samples = try Samples.all()
        #expect(samples.count == 15)
        try await StoreStack.run { store in
            for (index, sample) in samples.enumerated() {
                let bundleId = "com.example.sample\(index)"
                try await sellFrom(sample, bundleId: bundleId, in: store)
            }
        }
    }

    private func sellFrom(_ sample: Samples.Sample, bundleId: String, in store: StoreStack) async throws {
        let imported = try await store.importCatalog(sample.path, bundleId: bundleId)
        #expect(imported.status == 200, "\(sample.name): \(imported.text)")
        let report: ImportReport = try imported.decoded()
        #expect(report.productCount == sample.prices.count, "\(sample.name)")

        let customer = try await store.session(account: "alice", bundleId: bundleId)
        let identifiers = sample.prices.keys.sorted()
        let answer = try await customer.products(identifiers + ["no.such.product"])
        #expect(answer.products.map(\.productIdentifier) == identifiers, "\(sample.name)")
        #expect(answer.invalidProductIdentifiers == ["no.such.product"])
        for product in answer.products {
            #expect(product.price.amount == sample.prices[product.productIdentifier], "\(sample.name)")
            #expect(product.price.currency.code == sample.currency, "\(sample.name)")
        }

        guard let wanted = identifiers.first else { return }
        let bought = try await customer.buy(wanted, key: "sample-\(sample.name)")
        #expect(bought.transactionState == .purchased, "\(sample.name)")
        #expect(bought.transactionIdentifier != nil)

        let killed = try store.signal("payment-queue")
        try await store.waitForReplacement(of: "payment-queue", after: killed)
        // Where a file's subscriptions renew by the second, a renewal may lie there as well.
        #expect(try await customer.unfinished().map(\.id).contains(bought.id), "\(sample.name)")

        try await customer.finish(bought.id)
        #expect(try await !customer.unfinished().map(\.id).contains(bought.id), "\(sample.name)")
    }
}

/// The real files in `samples/storekit`, and what an independent reader finds in them.
enum Samples {
    struct Sample {
        let name: String
        let path: String
        /// Product identifier → price with two digits.
        let prices: [String: String]
        /// Of the storefront that the file's settings make the default; one of the samples names Spain.
        let currency: String
    }

    static func all() throws -> [Sample] {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Samples/storekit").standardizedFileURL
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        return try names.filter { $0.hasSuffix(".storekit") }.map { name in
            let url = directory.appendingPathComponent(name)
            let file = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any] ?? [:]
            let storefront = (file["settings"] as? [String: Any])?["_storefront"] as? String
            return Sample(
                name: name, path: url.path, prices: prices(in: file), currency: storefront == "ESP" ? "EUR" : "USD")
        }
    }

    private static func prices(in file: [String: Any]) -> [String: String] {
        let groups = file["subscriptionGroups"] as? [[String: Any]] ?? []
        let products =
            ["products", "nonRenewingSubscriptions"].flatMap { file[$0] as? [[String: Any]] ?? [] }
            + groups.flatMap { $0["subscriptions"] as? [[String: Any]] ?? [] }
        var prices: [String: String] = [:]
        for product in products {
            guard let identifier = product["productID"] as? String, let price = product["displayPrice"] as? String,
                let value = Double(price)
            else { continue }
            prices[identifier] = String(format: "%.2f", value)
        }
        return prices
    }
}
