import Foundation
import SignedData
import Signing
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: without the store a run lists what the last one has read, verified again, and nothing of another customer.
@Suite struct SavedListsTests {
    private let directory: TemporaryDirectory
    private let authority: CertificateAuthority
    private let signer: JWSSigner
    private let device = UUID()

    init() throws {
        directory = try TemporaryDirectory(prefix: "storebus-lists")
        authority = try .appStore(root: CertificateAuthority(), ocspURL: "http://127.0.0.1:7430/ocsp")
        signer = JWSSigner(authority)
    }

    private var file: URL { URL(fileURLWithPath: directory.file("signed-lists.json")) }

    /// A shop whose signatures are good.
    private func shop() throws -> FakeShop {
        let shop = try FakeShop { connection, _ in connection.contentDirectory = folder }
        let session = FakeAnswer.session(
            token: "secret", device: device, root: .string(Data(authority.rootDER).base64EncodedString()))
        shop.gateway.on("POST /v1/sessions") { _ in session }
        return shop
    }

    private var folder: URL { URL(fileURLWithPath: directory.path, isDirectory: true) }

    private var proof: [String: JSONValue] {
        let nonce = UUID()
        return [
            "deviceVerification": .string(DeviceProof.make(nonce: nonce, device: device).base64EncodedString()),
            "deviceVerificationNonce": .string(nonce.uuidString),
        ]
    }

    private func transaction(_ id: Int, product: String = "p", expires: Int? = nil) throws -> String {
        var more = proof
        if let expires { more["expiresDate"] = .integer(expires) }
        return signer.sign(Array(SignedClaims(signedTransaction(id, product: product, more: more)).json))
    }

    /// Sentences of one run's log.
    private final class Log: Sendable {
        let sentences = LockedValue<[String]>([])
    }

    /// Lists what the app sees in its next run, in which the store is away.
    private func nextRun(
        of shop: FakeShop, account: String = "alice", log: Log = Log(), _ list: () -> Transaction.Transactions
    ) async -> [String] {
        shop.gateway.stop()
        let queue = shop.gateway.queue { connection, _ in
            connection.contentDirectory = folder
            connection.account = account
            connection.log = { sentence in log.sentences.withLock { $0.append(sentence) } }
        }
        return await SKPaymentQueue.$ofTask.withValue(queue) { await seen(list()) }
    }

    private func seen(_ transactions: Transaction.Transactions) async -> [String] {
        var seen: [String] = []
        for await result in transactions {
            switch result {
            case .verified(let transaction): seen.append("\(transaction.id)")
            case .unverified(let transaction, let error): seen.append("\(transaction.id) \(error)")
            }
        }
        return seen
    }

    @Test func `a run without the store lists what the last one has read, verified again`() async throws {
        let shop = try shop()
        let lists = [
            try transaction(3), try transaction(2, expires: 1_000), try transaction(1, product: "other"),
        ]
        shop.state.withLock { $0.lists[.entitlements] = lists }
        #expect(await shop.run { await seen(Transaction.currentEntitlements) } == ["3", "2", "1"])
        #expect(await nextRun(of: shop) { Transaction.currentEntitlements } == ["3", "1"])
        #expect(await nextRun(of: shop) { Transaction.currentEntitlements(for: "other") } == ["1"])
        #expect(await nextRun(of: shop) { Transaction.all } == [])
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("secret"))
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(files == ["signed-lists.json"])
    }

    @Test func `what was changed in the file is listed unverified`() async throws {
        let shop = try shop()
        let (one, other) = (try transaction(1), try transaction(2))
        shop.state.withLock { $0.lists[.all] = [one] }
        #expect(await shop.run { await seen(Transaction.all) } == ["1"])
        var parts = one.components(separatedBy: ".")
        parts[1] = other.components(separatedBy: ".")[1]
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data(text.replacing(one, with: parts.joined(separator: ".")).utf8).write(to: file)
        #expect(await nextRun(of: shop) { Transaction.all } == ["2 invalidSignature"])
    }

    @Test func `what the app has finished is not unfinished in the next run`() async throws {
        let shop = try shop()
        let list = [try transaction(2), try transaction(1)]
        shop.state.withLock { $0.lists[.unfinished] = list }
        try await shop.run {
            let first = try #require(await Transaction.unfinished.first { _ in true })
            await first.unsafePayloadValue.finish()
        }
        #expect(await nextRun(of: shop) { Transaction.unfinished } == ["1"])
    }

    @Test func `a whole list takes the place of its products' lists, and a later product's list counts`() async throws {
        let shop = try shop()
        let (old, new) = (try transaction(1), try transaction(2))
        for (list, product) in [([old], "p"), ([], nil), ([new], "p")] as [([String], String?)] {
            shop.state.withLock { ($0.seq, $0.lists[.all]) = ($0.seq + 1, list) }
            let found = await shop.run { await seen(product.map { Transaction.all(for: $0) } ?? Transaction.all) }
            #expect(found.count == list.count)
        }
        #expect(await nextRun(of: shop) { Transaction.all(for: "p") } == ["2"])
        #expect(await nextRun(of: shop) { Transaction.all } == [])
    }

    @Test func `another account's file is ignored, with a line in the log`() async throws {
        let shop = try shop()
        let list = [try transaction(1)]
        shop.state.withLock { $0.lists[.all] = list }
        #expect(await shop.run { await seen(Transaction.all) } == ["1"])
        let log = Log()
        #expect(await nextRun(of: shop, account: "bob", log: log) { Transaction.all } == [])
        let ignored = log.sentences.withLock { $0.filter { $0.contains("ignored") } }
        #expect(ignored == ["the saved purchases are ignored: the file is of another app, device, account or store"])
        // Reading it changes nothing.
        #expect(await nextRun(of: shop) { Transaction.all } == ["1"])
    }

    @Test func `a damaged file, and one that is too long, is ignored with a line in the log`() async throws {
        let shop = try shop()
        let long = String(repeating: " ", count: ClientLimits.savedListsBytesMax + 1)
        for (text, reason) in [
            ("", "damaged"), ("{}", "damaged"), ("null", "damaged"), (#"{"owner":[]}"#, "damaged"), (long, "too long"),
        ] {
            try Data(text.utf8).write(to: file)
            let log = Log()
            #expect(await nextRun(of: shop, log: log) { Transaction.all } == [])
            let ignored = log.sentences.withLock { $0.filter { $0.contains("ignored") } }
            #expect(ignored == ["the saved purchases are ignored: the file is \(reason)"])
        }
    }

    @Test func `a folder that cannot be written costs a line in the log, not the list`() async throws {
        let log = Log()
        let shop = try FakeShop { connection, _ in
            connection.contentDirectory = file.appendingPathComponent("below")
            connection.log = { sentence in log.sentences.withLock { $0.append(sentence) } }
        }
        try Data().write(to: file)
        shop.state.withLock { $0.lists[.all] = [signedTransaction(1)] }
        #expect(await shop.run { await seen(Transaction.all) }.count == 1)
        #expect(log.sentences.withLock { $0.contains("the purchases could not be saved: the file cannot be written") })
    }

    @Test func `the app transaction is that of the last run, and a refresh needs the store`() async throws {
        let shop = try shop()
        var members: [String: JSONValue] = [
            "bundleId": "com.example.app", "applicationVersion": "2.0", "originalApplicationVersion": "1.0",
            "receiptType": "Sandbox", "appTransactionId": "7", "receiptCreationDate": 1_795_600_000_000,
            "originalPurchaseDate": 1_795_500_000_000,
        ]
        members.merge(proof) { $1 }
        let text = try signer.sign(StoreJSON.encode(JSONValue.object(members)))
        shop.gateway.on("GET /v1/app-transaction") { _ in .json(["signedAppTransactionInfo": text]) }
        let first = try await shop.run { try await AppTransaction.shared }
        #expect(try first.payloadValue.appTransactionID == "7")
        shop.gateway.stop()
        let queue = shop.gateway.queue { connection, _ in connection.contentDirectory = folder }
        let later = try await SKPaymentQueue.$ofTask.withValue(queue) { try await AppTransaction.shared }
        #expect(try later.payloadValue.originalAppVersion == "1.0")
        await #expect(throws: StoreKitError.self) {
            _ = try await SKPaymentQueue.$ofTask.withValue(queue) { try await AppTransaction.refresh() }
        }
    }
}
