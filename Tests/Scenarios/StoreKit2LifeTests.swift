import Cryptography
import Foundation
import NIOHTTP1
import StoreKitClient
import StoreModels
import StorebusTesting
import Testing

private typealias Product = StoreKitClient.Product

/// Goal: what an app of StoreKit 2 meets in the life of a customer, in each sequence, is what docs/storekit-2.md says.
/// Method: two devices of one customer against `storebus up`, whose clock stands between the steps. Each step waits for
/// its lines, and the whole transcript is compared.
@Suite(.process) struct StoreKit2LifeTests {
    private typealias Products = StoreStack.Products

    /// The expected transcript. A step begins with its title. Each line of it is a sequence, a transaction, its product,
    /// its verification and its reason. Comments name the habits of docs/storekit-2.md by number.
    private static func golden() throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: file.appendingPathComponent("StoreKit2Life.txt"), encoding: .utf8)
    }

    @Test func `a customer buys, renews, fails, recovers, upgrades, is refunded, has two devices, and shares`()
        async throws
    {
        try await StoreStack.run { store in
            try await store.must(
                .PUT, "\(StoreStack.appPath)/clock", .object(["now": "2027-01-01T00:00:00Z", "frozen": true]))
            try await store.setUpPromotions([Products.fishing])
            let key = try await store.must(
                .POST, "\(StoreStack.appPath)/keys", .object(["kind": "inAppPurchase"])
            ).decoded(as: OfferKey.self)
            var phone = try StoreKit2Witness(store, account: "alice", device: "phone")
            let life = Life(store, phone, try Self.golden())
            defer { if life.transcript != life.expected { print(life.transcript) } }

            try await life.step("buy") { try await life.buy(Products.pro, on: phone) }
            await life.finishAll(on: phone)
            try await life.step("renew") { try await life.advance("P8D") }
            await life.finishAll(on: phone)
            try await store.setTester("alice", ["failRenewals": true])
            try await life.step("grace") { try await life.advance("P1M") }
            try await life.step("retry") { try await life.advance("P16D") }
            try await store.setTester("alice", [:])
            try await life.step("recover") { try await life.operate("resolveBilling") }
            await life.finishAll(on: phone)
            try await life.step("upgrade", all: true) { try await life.buy(Products.yearly, on: phone) }
            await life.finishAll(on: phone)
            try await life.step("refund", all: true) { try await life.operate("refund") }

            try await store.setTester("alice", ["askToBuy": true])
            try await life.step("ask a parent") { try await life.buy(Products.beaches, on: phone) }
            try await store.setTester("alice", [:])
            try await life.step("the parent approves") {
                let waiting = try await store.must(.GET, "/admin/v1/transactions?account=alice&state=deferred")
                let page: ScenarioCustomer.TransactionsAnswer = try waiting.decoded()
                let id = try #require(page.transactions.first).id
                try await store.must(.POST, "/admin/v1/transactions/\(id)/approve")
            }
            await life.finishAll(on: phone)

            try await life.step("come back with a signed offer") {
                let jws = try key.sign("loyal", for: Products.pro)
                try await life.buy(
                    Products.pro, on: phone, Product.PurchaseOption.promotionalOffer("loyal", compactJWS: jws))
            }
            await life.finishAll(on: phone)
            try await life.step("cancel") { try await life.operate("disableAutoRenew") }
            try await life.step("expire") { try await life.advance("P1M") }
            try await life.step("redeem a code in the store") {
                try await life.buyOutside(Products.pro, .object(["type": "code", "identifier": "SPRING"]))
            }

            let tablet = try StoreKit2Witness(store, account: "alice", device: "tablet")
            life.devices.append(tablet)
            try await life.step("launch a second device") {}
            try await life.step("buy on the second device") { try await life.buy(Products.fishing, on: tablet) }

            await phone.kill()
            life.devices.removeFirst()
            try await life.step("renew while the phone's app is not running") { try await life.advance("P1M") }
            phone = try StoreKit2Witness(store, account: "alice", device: "phone")
            life.devices.insert(phone, at: 0)
            try await life.step("launch it again") {}
            await life.finishAll(on: phone)
            await phone.kill()
            phone = try StoreKit2Witness(store, account: "alice", device: "phone")
            life.devices[0] = phone
            try await life.step("and again") {}

            let shown = try await Handset(store, "phone").openStore()
            try await life.step("tap a promoted purchase") {
                _ = try await shown.tap(Products.fishing, expecting: .openApp)
            }
            try await life.step("continue it") {
                try await life.buy(try #require(life.intents.last).product, on: phone)
            }
            try await life.step("a purchase outside", all: true) { try await life.buyOutside(Products.fishing, nil) }

            await tablet.kill()
            let bob = try StoreKit2Witness(store, account: "bob", device: "bob")
            life.devices[1] = bob
            try await life.step("another person launches the app") { _ = try await bob.product(Products.beaches) }
            try await life.step("the two become a family") {
                let family = "\(StoreStack.appPath)/families/smith"
                try await store.must(.PUT, family, .object(["organiser": "alice"]))
                try await store.must(.PUT, "\(family)/members/bob", .object([:]))
            }
            await life.finishAll(on: bob)
            try await life.step("a refund to the one who bought", all: true) {
                let owned = await phone.list { Transaction.currentEntitlements(for: Products.beaches) }
                let bought = try #require(owned.first).unsafePayloadValue
                try await store.must(.POST, "/admin/v1/transactions/\(bought.id)/refund")
            }
            for device in life.devices { await device.kill() }

            #expect(life.transcript == life.expected)
        }
    }

    /// An In-App Purchase key of the app's server.
    private struct OfferKey: Decodable {
        let keyIdentifier: String
        let issuerId: String
        let secret: String

        /// Signs a promotional offer, as Apple's "Generating JWS to sign App Store requests" says.
        func sign(_ offer: String, for product: String) throws -> String {
            let header: JSONValue = .object(["alg": "ES256", "kid": .string(keyIdentifier), "typ": "JWT"])
            let claims: JSONValue = .object([
                "iss": .string(issuerId), "iat": .integer(Int(Date().timeIntervalSince1970)),
                "aud": "promotional-offer", "bid": .string(StoreStack.app),
                "nonce": .string(UUID().uuidString.lowercased()), "productId": .string(product),
                "offerIdentifier": .string(offer),
            ])
            let text = try [header, claims].map { Base64URL.encode(try StoreJSON.encode($0)) }.joined(separator: ".")
            let key = try P256.Signing.PrivateKey(pemRepresentation: secret)
            let signature = key.signature(for: text.utf8).rawRepresentation
            return "\(text).\(Base64URL.encode(signature))"
        }
    }
}

/// The devices of a customer, with the transcript of what their apps got.
private final class Life {
    let store: StoreStack
    var devices: [StoreKit2Witness]
    private(set) var intents: [PurchaseIntent] = []
    private(set) var transcript = ""
    /// The golden transcript without its comments.
    let expected: String
    private var sections: [String: [String]] = [:]
    /// The transactions' names, by their numbers.
    private var names: [UInt64: String] = [:]
    /// The results of this step's calls.
    private var returned: [String] = []
    private var moves = 0
    /// The subscription's latest transaction.
    private var latest: Transaction?

    init(_ store: StoreStack, _ device: StoreKit2Witness, _ golden: String) {
        self.store = store
        devices = [device]
        let lines = golden.split(separator: "\n").map { line in
            Self.trimmed(line.prefix { $0 != "#" })
        }.filter { !$0.isEmpty }
        expected = lines.map { $0 + "\n" }.joined()
        var title = ""
        for line in lines {
            if line.hasPrefix(" ") { sections[title, default: []].append(line) } else { title = line }
        }
    }

    /// Does something, waits for the lines of the golden transcript, and writes the lines that came.
    /// - Parameter all: Whether `Transaction.all` is read, too.
    func step(_ title: String, all: Bool = false, _ body: () async throws -> Void) async throws {
        returned = []
        try await body()
        let expected = (sections[title] ?? []).filter { !$0.hasPrefix("  [") }
        // A step that gets other lines is in the transcript all the same.
        _ = try? await eventually(title, within: .seconds(expected.isEmpty ? 2 : 20)) {
            var names = self.names
            return render(devices.map(\.seen), &names) == expected
        }
        var lines = render(devices.map { $0.take() }, &names)
        for device in devices {
            let lists: [(String, () -> Transaction.Transactions)] =
                [
                    ("unfinished", { Transaction.unfinished }),
                    ("currentEntitlements", { Transaction.currentEntitlements }),
                ]
                + (all ? [("all", { Transaction.all })] : [])
            for (name, sequence) in lists {
                lines += await device.list(sequence).map { "  [\(device.device) \(name)] \(text($0, &names))" }
            }
        }
        transcript += ([title] + lines).map { $0 + "\n" }.joined()
    }

    private func render(_ elements: [StoreKit2Witness.Elements], _ names: inout [UInt64: String]) -> [String] {
        var lines = returned
        for (device, elements) in zip(devices, elements) {
            lines += elements.updates.map { "  \(device.device) updates \(text($0, &names))" }
            // A slow reader gets the last status only.
            var last: [UInt64: Int] = [:]
            for (index, status) in elements.statuses.enumerated() {
                last[status.transaction.unsafePayloadValue.originalID] = index
            }
            for index in last.values.sorted() {
                lines.append("  \(device.device) Status.updates \(text(elements.statuses[index], &names))")
            }
            lines += elements.intents.map { "  \(device.device) intents \($0.id)" }
            if let intent = elements.intents.last { intents.append(intent) }
        }
        return lines
    }

    private func text(
        _ result: VerificationResult<Transaction>, _ names: inout [UInt64: String]
    ) -> String {
        let transaction = result.unsafePayloadValue
        let name = names[transaction.id] ?? "t\(names.count + 1)"
        names[transaction.id] = name
        let words = [
            name, transaction.productID.replacing("com.example.", with: ""), verification(of: result),
            transaction.reason.rawValue.lowercased(),
            transaction.offer.map { "with \($0.type.localizedDescription.lowercased()) offer \($0.id ?? "")" },
            transaction.ownershipType == .familyShared ? "shared" : nil,
            transaction.isUpgraded ? "upgraded" : nil,
            transaction.revocationDate.map { _ in "revoked" },
        ]
        return Self.trimmed(words.compactMap(\.self).joined(separator: " "))
    }

    private func text(
        _ status: Product.SubscriptionInfo.Status, _ names: inout [UInt64: String]
    ) -> String {
        let renewal = status.renewalInfo.unsafePayloadValue
        latest = status.transaction.unsafePayloadValue
        let words = [
            text(status.transaction, &names), "is", status.state.localizedDescription,
            renewal.willAutoRenew ? "renews" : "ends", verification(of: status.renewalInfo),
        ]
        return words.joined(separator: " ")
    }

    private static func trimmed(_ line: some StringProtocol) -> String {
        line.last == " " ? trimmed(line.dropLast()) : String(line)
    }

    private func verification<Value>(of result: VerificationResult<Value>) -> String {
        switch result {
        case .verified: "verified"
        case .unverified(_, let error): "unverified (\(error))"
        }
    }

    // MARK: Steps

    func buy(_ identifier: String, on device: StoreKit2Witness, _ options: [Product.PurchaseOption] = []) async throws {
        try await buy(try await device.product(identifier), on: device, options)
    }

    func buy(
        _ product: Product, on device: StoreKit2Witness,
        _ options: [Product.PurchaseOption] = []
    ) async throws {
        let outcome =
            switch try await device.run({ try await product.purchase(options: Set(options)) }) {
            case .success(let result): text(result, &names)
            case .pending: "pending"
            case .userCancelled: "userCancelled"
            @unknown default: "unknown"
            }
        returned.append("  \(device.device) purchase() \(outcome)")
    }

    func buyOutside(_ product: String, _ offer: JSONValue?) async throws {
        moves += 1
        var body: [String: JSONValue] = ["account": "alice", "productIdentifier": .string(product)]
        body["offer"] = offer
        try await store.must(.POST, "\(StoreStack.appPath)/purchases", key: "outside-\(moves)", .object(body))
    }

    /// Finishes what a device's app has not finished.
    func finishAll(on device: StoreKit2Witness) async {
        for result in await device.list({ Transaction.unfinished }) {
            await device.run { await result.unsafePayloadValue.finish() }
        }
    }

    /// Does something to the subscription's latest transaction.
    func operate(_ operation: String) async throws {
        guard let latest else { throw StackError("there is no subscription yet") }
        try await store.must(.POST, "/admin/v1/transactions/\(latest.id)/\(operation)")
    }

    func advance(_ duration: String) async throws {
        moves += 1
        let key = "advance-\(moves)"
        try await eventually("\(duration) have passed", within: .seconds(60)) {
            let answer = try await store.must(
                .POST, "\(StoreStack.appPath)/clock/advance", key: key, .object(["by": .string(duration)]))
            return answer.status == 200
        }
    }
}
