import Chaos
import Cryptography
import EventLoop
import FoundationEssentials
import Signing
import StoreHTTP
import StoreModels

/// Reads single transactions of the run everywhere that shows them: the device, the Server API, and the receipt.
///
/// The device is read before and after the others, so that a change in between is known.
struct ChaosStories: ChaosPart {
    private let client: ChaosClient
    private let seed: UInt64
    private let key: P256.Signing.PrivateKey
    /// Identifies the key, and who issues tokens with it.
    private let keyIdentifier: String, issuer: String
    /// The password of receipts' verification.
    private let secret: String

    /// Milliseconds between two samples.
    private static let pauses = 300...1_500
    /// Lifetime of a token of the app's server.
    private static let lifetime = 1_200
    /// Transactions of each customer that are read in the end.
    private static let finalCount = 4

    /// Makes the keys of the app's server.
    init(_ client: ChaosClient, seed: UInt64) async throws(CLIError) {
        self.client = client
        self.seed = seed
        let values: [PathParameter: String] = [.bundleId: client.world.bundleId]
        let made = try await client.api.call(KeyRoutes.create, values, body: KeyRequest(kind: .inAppPurchase))
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: made.secret), let issuer = made.issuerId else {
            throw CLIError(.answerInvalid, "the new In-App Purchase key is not a private key")
        }
        self.key = key
        self.issuer = issuer
        keyIdentifier = made.keyIdentifier
        secret = try await client.api.call(KeyRoutes.create, values, body: KeyRequest(kind: .sharedSecret)).secret
    }

    /// Reads samples until the task is cancelled.
    func run() async {
        var random = SeededGenerator(seed: seed, stream: 30_000)
        while !Task.isCancelled {
            let pause = Int.random(in: Self.pauses, using: &random)
            let pick = random.next()
            if let one = pick % 2 == 0 ? client.world.revoked(pick / 2) : client.world.purchased(pick / 2) {
                await Task { _ = await read(one.id, one.phone, process: client.world.newProcess()) }.value
            }
            try? await ContinuousClock().sleep(for: .milliseconds(pause))
        }
    }

    /// Reads each customer's last transactions, and the last ones that were taken back.
    func finish() async {
        for number in 0..<UInt64(Self.finalCount) {
            guard let one = client.world.revoked(number) else { break }
            _ = await read(one.id, one.phone, process: client.world.newProcess())
        }
        for account in client.world.accounts.indices {
            let phone = client.world.phone(account, 0)
            guard let token = await client.token(phone),
                let history = try? await client.api.all(TransactionRoutes.history, token: token)
            else { continue }
            for one in history.filter({ $0.transactionState == .purchased }).suffix(Self.finalCount) {
                _ = await read(one.id, phone, process: client.world.newProcess())
            }
        }
    }

    private func read(_ id: String, _ phone: ChaosWorld.Phone, process: Int) async -> HistoryEntry.Kind {
        guard let token = await client.token(phone) else { return .fail }
        // The Server API has no transaction of what was given again for nothing.
        if let one = try? await client.api.call(TransactionRoutes.get, [.id: id], token: token), one.isGivenAgain {
            return .ok
        }
        let line = client.line(.story, process, phone)
        var end = line
        end.of = client.history.append(line).index
        do throws(CLIError) {
            let before = try await client.api.call(TransactionRoutes.get, [.id: id], token: token)
            guard let number = before.transactionIdentifier, before.expiresDate != nil || before.price != nil else {
                throw CLIError(.notReady, "the transaction has no number yet", retryable: true)
            }
            end.transactions = [ObservedTransaction(before)]
            let told = try await client.api.call(
                AppStoreServerRoutes.transaction, [.transactionId: number], token: serverToken())
            let receipt = try await client.api.call(ReceiptRoutes.get, token: token)
            let verified = try await client.api.verifyReceipt(
                receipt.receiptData, password: secret, timeout: .seconds(10))
            guard verified["status"]?.intValue == 0 else {
                throw CLIError(.notReady, "the receipt is not verified", retryable: true)
            }
            let after = try await client.api.call(TransactionRoutes.get, [.id: id], token: token)
            end.kind = .ok
            end.detail = [
                "device": Story(before).text, "again": Story(after).text,
                "api": Story(api: SignedPayload.payload(told.signedTransactionInfo)).text,
            ]
            end.detail?["receipt"] = Self.item(number, of: verified).map { Story(receipt: $0).text }
        } catch {
            // Apple's errors are not a Storebus's. While app-store-server is away, the Server API answers with one.
            let isUnknown = error.retryable || error.status == .unreachable || error.code == .answerInvalid
            end.kind = isUnknown ? .info : .fail
            end.code = error.code.name
        }
        client.history.append(end)
        client.world.count(.story, end.kind)
        return end.kind
    }

    /// One source's account of a transaction: `expires=1767225600000 revoked`.
    private struct Story {
        var expires: Int64?
        var isRevoked: Bool

        init(_ value: PaymentTransaction) {
            expires = value.expiresDate?.milliseconds
            isRevoked = value.revocationDate != nil
        }

        init(api claims: JSONValue?) {
            expires = claims?["expiresDate"]?.intValue.map(Int64.init)
            isRevoked = claims?["revocationDate"] != nil
        }

        init(receipt item: JSONValue) {
            expires = item["expires_date_ms"]?.stringValue.flatMap { Int64($0) }
            isRevoked = item["cancellation_date_ms"] != nil
        }

        var text: String {
            [expires.map { "expires=\($0)" }, isRevoked ? "revoked" : nil].compactMap(\.self).joined(separator: " ")
        }
    }

    /// Finds a transaction among those of a verified receipt.
    private static func item(_ number: String, of verified: JSONValue) -> JSONValue? {
        let items = verified["latest_receipt_info"]?.arrayValue ?? verified["receipt"]?["in_app"]?.arrayValue ?? []
        return items.first { $0["transaction_id"]?.stringValue?.isExactly(number) == true }
    }

    private func serverToken() -> String {
        let now = Timestamp.wallClock().milliseconds / 1_000
        let header: JSONValue = .object(["alg": "ES256", "kid": .string(keyIdentifier), "typ": "JWT"])
        let claims: JSONValue = .object([
            "iss": .string(issuer), "iat": .integer(Int(now)), "exp": .integer(Int(now) + Self.lifetime),
            "aud": "appstoreconnect-v1", "bid": .string(client.world.bundleId),
        ])
        let input = [header, claims].map { Base64URL.encode(Array(JSONText.line($0).utf8)) }.joined(separator: ".")
        return "\(input).\(Base64URL.encode(key.signature(for: input.utf8).rawRepresentation))"
    }
}

extension PaymentTransaction {
    /// Whether it restores an earlier purchase, or repeats it for free.
    fileprivate var isGivenAgain: Bool { original != nil && (price?.minorUnits ?? 0) == 0 }
}
