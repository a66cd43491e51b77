import Cryptography
import FoundationEssentials
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `buy --offer`.
@Suite struct OfferTests {
    private func body(_ request: StoreRequest?) throws -> JSONValue {
        try StrictJSON.parse(try #require(request?.body))
    }

    @Test func `a signature is one that Apple's text describes, over the parts in their order`() throws {
        let key = P256.Signing.PrivateKey()
        let nonce = UUID()
        let now = Timestamp(milliseconds: 1_795_255_204_123)
        let signed = try SignedOffer.sign(
            "loyal", of: "pro.monthly", bundleId: "com.example.app", username: "u1",
            key: OfferKey(keyIdentifier: "K1", pem: key.pemRepresentation), nonce: nonce, now: now)
        #expect(signed.nonce == nonce.uuidString.lowercased())
        #expect(signed.timestamp == now.milliseconds)
        let parts = ["com.example.app", "K1", "pro.monthly", "loyal", "u1", signed.nonce, "1795255204123"]
        let text = Data(parts.joined(separator: "\u{2063}").utf8)
        let bytes = try #require(Data(base64Encoded: signed.signature))
        let signature = try P256.Signing.ECDSASignature(derRepresentation: bytes)
        #expect(key.publicKey.isValidSignature(signature, for: text))
    }

    @Test func `a promotional offer is signed with the key that key create has printed`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("offer-key.json")
        let key = P256.Signing.PrivateKey()
        let document: JSONValue = ["data": ["keyIdentifier": "K1", "secret": .string(key.pemRepresentation)]]
        try FileAccess.write(Array(JSONText.line(document).utf8), to: file, mode: 0o600)
        let store = FakeStore()
        let (status, said) = await store.run(
            "buy", "pro.monthly", "--as", "alice", "--offer", "promo:loyal", "--offer-key", file)
        #expect(status == .success)
        #expect(said.result.contains("offer      promo:loyal, then 9.99 USD a month\n"))
        let sent = try body(store.requests(.post, "/v1/payments").first)["paymentDiscount"]
        #expect(sent?["identifier"] == "loyal")
        #expect(sent?["keyIdentifier"] == "K1")
    }

    @Test func `a key in PEM needs its name, and what is no key signs nothing`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("key.pem")
        try FileAccess.write(Array("-----BEGIN NOTHING-----".utf8), to: file, mode: 0o600)
        let store = FakeStore()
        let line = ["buy", "pro.monthly", "--as", "alice", "--offer", "promo:loyal", "--offer-key", file]
        func run(_ more: [String]) async -> (status: CLIExit, said: Recorder) {
            await Recorder.run(
                line + more, variables: ["STOREBUS_URL": "http://store", "STOREBUS_ADMIN_KEY": "a"], transport: store)
        }
        let nameless = await run([])
        #expect(nameless.status == .usage)
        #expect(nameless.said.narration.contains("add --offer-key-id"))
        let broken = await run(["--offer-key-id", "K1"])
        #expect(broken.status == .badInput)
        #expect(broken.said.narration.contains("[offerKeyUnusable]"))
        #expect(store.requests(.post, "/v1/payments").isEmpty)
    }

    @Test(arguments: [("code:SUMMER", "code", "SUMMER"), ("winback:back.free", "winBack", "back.free")])
    func `codes and win-back offers are redeemed outside the app`(
        offer: String, type: String, identifier: String
    ) async throws {
        let store = FakeStore()
        let (status, said) = await store.run("buy", "pro.monthly", "--as", "alice", "--offer", offer)
        #expect(status == .success)
        #expect(said.result.hasPrefix("account    alice (USA) outside the app\noffer      \(offer), then"))
        #expect(
            try body(store.requests(.post, "/admin/v1/apps/com.example.app/purchases").first) == [
                "account": "alice", "productIdentifier": "pro.monthly",
                "offer": ["type": .string(type), "identifier": .string(identifier)],
            ])
        #expect(store.requests(.post, "/v1/payments").isEmpty)
    }

    @Test func `who asks for the introductory offer and may not have it buys nothing`() async {
        let store = FakeStore()
        #expect(await store.run("buy", "pro.monthly", "--as", "alice", "--offer", "intro").status == .success)
        var product = FakeStore.products[0]
        product.introductoryOfferEligibility = .ineligible
        store.answer(
            "POST /v1/products/query",
            JSONText.value(ProductsResponse(products: [product], invalidProductIdentifiers: [], degraded: [])))
        let (status, said) = await store.run("buy", "pro.monthly", "--as", "alice", "--offer", "intro")
        #expect(status == .purchaseFailed)
        #expect(said.narration.contains("[offerUnavailable]"))
        #expect(said.narration.contains("storebus eligibility pro.monthly --as alice"))
        #expect(store.requests(.post, "/v1/payments").count == 1)
    }

    @Test(arguments: [
        ["--offer", "free"], ["--offer", "promo"], ["--offer", "promo:loyal"], ["--offer-key", "k"],
        ["--offer", "code:X", "--offer-key", "k"],
    ])
    func `an offer that is not said whole is refused before anything is sent`(arguments: [String]) async {
        let store = FakeStore()
        let (status, _) = await Recorder.run(
            ["buy", "pro.monthly", "--as", "alice"] + arguments, variables: ["STOREBUS_URL": "http://store"],
            transport: store)
        #expect(status == .usage)
        #expect(store.requests.isEmpty)
    }
}
