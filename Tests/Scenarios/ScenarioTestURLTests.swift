import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: "Testing promoted in-app purchases": the system URL works before anything is available in the store.
/// Method: an app that is not released with a product that is not approved, against `storebus up`.
@Suite(.process) struct ScenarioTestURLTests {
    private static let coming = "com.example.coming"

    static func url(of product: String) -> String {
        "itms-services://?action=purchaseIntent&bundleId=\(StoreStack.app)&productIdentifier=\(product)"
    }

    @Test func `M106–M109: sent, opened, and the app opens by itself, for a product not yet visible`() async throws {
        try await StoreStack.run { store in
            try await Self.importComing(into: store)
            let link = try await store.must(.GET, "\(StoreStack.appPath)/products/\(Self.coming)/test-url")
            #expect(link.text == Self.url(of: Self.coming))
            let code = try await store.must(
                .GET, "\(StoreStack.appPath)/products/\(Self.coming)/test-url?format=svg")
            #expect(code.text.contains("<svg"))

            let phone = Handset(store, "phone")
            let app = try await phone.launch()
            let shown = try await phone.openStore()
            #expect(try await shown.page().products.isEmpty)
            #expect(try await shown.tap(Self.coming).code == "productNotPromotable")
            #expect(try await app.products([Self.coming]).invalidProductIdentifiers == [Self.coming])

            var (_, observer) = try await app.observePromotions()
            let identifier = try AppStoreApp.intent(try await shown.open(link.text), expecting: .openApp)
            let intent = try await observer.nextPromotedPurchase()
            #expect(intent.intentIdentifier == identifier)
            #expect(intent.source == .testURL)
            #expect(intent.product.localizedTitle == "Coming soon")
            #expect(try await app.decide(identifier, "continue").json?["intent"]?["state"] == "continued")
            let bought = try await observer.next(.purchased, of: Self.coming)
            try await app.finish(bought.id)
            #expect(try await shown.page().products.isEmpty)
        }
    }

    @Test func `M106: each fault of a URL is named`() async throws {
        try await StoreStack.run { store in
            let phone = Handset(store, "phone")
            _ = try await phone.launch()
            let shown = try await phone.openStore()
            let good = Self.url(of: StoreStack.Products.pro)
            func spoilt(_ part: String, _ other: String) -> String {
                good.replacingOccurrences(of: part, with: other)
            }
            let faults: [(url: String, part: String, fault: String)] = [
                (spoilt("itms-services", "itms-service"), "scheme", "wrong"),
                (spoilt("://?", "://apps.example.com?"), "host", "wrong"),
                (spoilt("purchaseIntent", "purchase"), "action", "wrong"),
                (spoilt("action=purchaseIntent&", ""), "action", "missing"),
                (spoilt("bundleId=", "bundleId=com.example.other&bundleId="), "bundleId", "duplicate"),
                (spoilt("com.example.app", "com.example.other"), "bundleId", "wrong"),
                (spoilt(StoreStack.Products.pro, ""), "productIdentifier", "missing"),
                (good + "&price=0", "parameter", "unknown"), (good + "#buy", "fragment", "unknown"),
            ]
            for fault in faults {
                let answer = try await shown.open(fault.url)
                #expect(answer.status == 422, "\(fault.url)")
                #expect(answer.code == "urlInvalid")
                #expect(answer.json?["part"]?.stringValue == fault.part, "\(fault.url)")
                #expect(answer.json?["fault"]?.stringValue == fault.fault, "\(fault.url)")
            }
            let unknown = try await shown.open(Self.url(of: "com.example.unheardOf"))
            #expect(unknown.status == 404)
            #expect(unknown.code == "productNotFound")
            #expect(try await store.intents(of: "alice").isEmpty)
        }
    }

    /// Imports the catalogue of an unreleased app, whose product waits for its review.
    private static func importComing(into store: StoreStack) async throws {
        let file = store.directory.file("coming.json")
        try """
        {"version": {"major": 4, "minor": 0}, "identifier": "COMING", "nonRenewingSubscriptions": [],
         "subscriptionGroups": [], "products": [
          {"productID": "\(coming)", "internalID": "1", "type": "NonConsumable", "referenceName": "Coming",
           "displayPrice": "1.99", "familyShareable": false, "state": "waitingForReview", "localizations": [
            {"locale": "en_US", "displayName": "Coming soon", "description": "Not there yet."}]}]}
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let imported = try await store.importCatalog(file, bundleId: StoreStack.app)
        guard imported.status == 200 else { throw StackError("import: \(imported.status) \(imported.text)") }
        try await store.putApp(["released": false])
    }
}
