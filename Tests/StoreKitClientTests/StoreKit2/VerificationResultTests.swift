import Foundation
import SignedData
import Signing
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: what the store signs for this device is verified on it, and each fault has StoreKit's name. The values stay
/// readable.
@Suite struct VerificationResultTests {
    private let authority: CertificateAuthority
    private let signer: JWSSigner
    private let device = UUID()
    private let nonce = UUID()

    init() throws {
        authority = try .appStore(root: CertificateAuthority(), ocspURL: "http://127.0.0.1:7430/ocsp")
        signer = JWSSigner(authority)
    }

    private var verifier: StoreVerifier {
        get throws {
            StoreVerifier(
                verifier: SignedDataVerifier(roots: [authority.rootDER]), bundleId: "com.example.app",
                environment: "Sandbox", device: device)
        }
    }

    private func payload(_ change: [String: JSONValue] = [:]) throws -> [UInt8] {
        let proof = DeviceProof.make(nonce: nonce, device: device).base64EncodedString()
        var members: [String: JSONValue] = [
            "transactionId": "7", "originalTransactionId": "5", "bundleId": "com.example.app", "productId": "pro",
            "purchaseDate": 1_795_600_000_000, "originalPurchaseDate": 1_795_600_000_000, "quantity": 1,
            "type": "Auto-Renewable Subscription", "inAppOwnershipType": "PURCHASED", "environment": "Sandbox",
            "signedDate": 1_795_600_000_001, "price": 9990, "currency": "USD", "storefront": "USA",
            "storefrontId": "143441", "transactionReason": "RENEWAL", "offerType": 1, "offerDiscountType": "FREE_TRIAL",
            "offerPeriod": "P1W", "revocationPercentage": 50_000, "future": .object(["kept": true]),
            "deviceVerification": .string(proof),
            "deviceVerificationNonce": .string(nonce.uuidString.lowercased()),
        ]
        for (name, value) in change { members[name] = value }
        return try StoreJSON.encode(JSONValue.object(members))
    }

    private func result(_ payload: [UInt8], broken: BrokenSignature? = nil) throws -> VerificationResult<Transaction> {
        let text = try broken.map { try signer.sign(payload, broken: $0) } ?? signer.sign(payload)
        return try verifier.result(text)
    }

    private func error<Value>(_ result: VerificationResult<Value>) -> VerificationResult<Value>.VerificationError? {
        if case .unverified(_, let error) = result { return error }
        return nil
    }

    @Test func `a transaction that the store signs for this device is verified, with all of its members`() throws {
        let result = try result(payload())
        let transaction = try result.payloadValue
        #expect(transaction.id == 7 && transaction.originalID == 5 && transaction.productID == "pro")
        #expect(transaction.productType == .autoRenewable && transaction.reason == .renewal)
        #expect(transaction.price == Decimal(string: "9.99") && transaction.currency?.identifier == "USD")
        #expect(transaction.offer?.type == .introductory && transaction.offer?.paymentMode == .freeTrial)
        #expect(transaction.offer?.period == .weekly && transaction.offer?.id == nil)
        #expect(transaction.revocationPercentage == 50 && transaction.environment == .sandbox)
        #expect(transaction.storefront.id == "143441" && transaction.ownershipType == .purchased)
        #expect(transaction.deviceVerificationNonce == nonce && result.deviceVerificationNonce == nonce)
        #expect(result.signedDate == Date(timeIntervalSince1970: 1_795_600_000.001))
        #expect(result.payloadData == transaction.jsonRepresentation && result.signatureData.count == 64)
        #expect(String(decoding: transaction.jsonRepresentation, as: UTF8.self).contains(#""future":{"kept":true}"#))
        #expect(result.jwsRepresentation.hasPrefix(String(decoding: result.signedData, as: UTF8.self)))
    }

    @Test func `a payment of a commitment has its plan, number, price and end, and any other has none`() throws {
        let plain = try result(payload()).payloadValue
        #expect(plain.billingPlanType == nil && plain.commitmentInfo == nil)
        let info: [String: JSONValue] = [
            "billingPeriodNumber": 3, "totalBillingPeriods": 12, "commitmentPrice": 59_880,
            "commitmentExpiresDate": 1_827_136_000_000,
        ]
        let payment = try result(payload(["billingPlanType": "MONTHLY", "commitmentInfo": .object(info)])).payloadValue
        let commitment = try #require(payment.commitmentInfo)
        #expect(payment.billingPlanType == .monthly)
        #expect(commitment.billingPeriodNumber == 3 && commitment.totalBillingPeriods == 12)
        #expect(commitment.price == Decimal(string: "59.88"))
        #expect(commitment.expirationDate == Date(timeIntervalSince1970: 1_827_136_000))
    }

    @Test(arguments: BrokenSignature.allCases)
    func `29: each fault has its error, and the values are readable`(_ broken: BrokenSignature) throws {
        let expected: VerificationResult<Transaction>.VerificationError? =
            switch broken {
            case .signature, .tampered: .invalidSignature
            case .noX5C, .algorithm: .invalidEncoding
            case .bundle, .environment: .invalidDeviceVerification
            case .revoked: nil
            default: .invalidCertificateChain
            }
        let result = try result(payload(), broken: broken)
        #expect(error(result) == expected)
        #expect(result.unsafePayloadValue.id == 7)
        #expect((try? result.payloadValue) == (expected == nil ? result.unsafePayloadValue : nil))
    }

    @Test(arguments: [
        "transactionId", "bundleId", "productId", "purchaseDate", "quantity", "type", "environment", "signedDate",
        "deviceVerification", "deviceVerificationNonce", "inAppOwnershipType",
    ])
    func `a payload without a required member says so`(_ member: String) throws {
        #expect(error(try result(payload([member: .null]))) == .missingRequiredProperties)
    }

    @Test func `another device's, app's or environment's data is not this device's`() throws {
        for change: [String: JSONValue] in [
            ["deviceVerificationNonce": .string(UUID().uuidString)], ["bundleId": "com.example.App"],
            ["environment": "Production"], ["deviceVerification": "AAAA"],
        ] { #expect(error(try result(payload(change))) == .invalidDeviceVerification) }
    }

    @Test func `13: two are equal if the store says the same, whenever and for whomever it signs`() throws {
        let (one, other) = (try result(payload()), try result(payload(["signedDate": 1_795_600_000_002])))
        #expect(one == other && one.jwsRepresentation != other.jwsRepresentation)
        #expect(try one != result(payload(["isUpgraded": true])))
    }

    @Test func `in Xcode the only certificate is for the key that the session names, and elsewhere it is no chain`()
        throws
    {
        let directory = try TemporaryDirectory(prefix: "storebus-roots")
        let pins = RootPins(directory: URL(fileURLWithPath: directory.file("roots")))
        let connection = StoreConnection(
            gateway: try #require(URL(string: "https://store.example")), bundleId: "com.example.app", deviceId: "d",
            account: "a")
        func result(
            _ signer: JWSSigner, root: JWSSigner, _ environment: AppStoreEnvironment = .xcode
        ) throws -> VerificationResult<Transaction> {
            let session = try session(root: root.trusted, environment: environment)
            return StoreVerifier(session, connection, pins).result(
                try signer.sign(payload(["environment": .string(environment.rawValue)])))
        }
        // The store has started again meanwhile, on another machine.
        let (now, before) = (try JWSSigner.xcode(authority), try JWSSigner.xcode(authority))
        #expect(now.trusted != before.trusted)
        for root in [before, now] { #expect(error(try result(now, root: root)) == nil) }
        let other = try JWSSigner.xcode(.appStore(root: CertificateAuthority(), ocspURL: "http://127.0.0.1:7430/ocsp"))
        #expect(error(try result(other, root: now)) == .invalidCertificateChain)
        #expect(error(try result(signer, root: now)) == .invalidCertificateChain)
        #expect(error(try result(now, root: now, .sandbox)) == .invalidCertificateChain)
        // The root of another store is not trusted at that address.
        #expect(error(try result(other, root: other)) == .invalidCertificateChain)
    }

    @Test func `an app transaction has the members that the store signs, and defaults for the others`() throws {
        func value(_ more: [String: JSONValue]) throws -> AppTransaction {
            var members: [String: JSONValue] = [
                "bundleId": "com.example.app", "applicationVersion": "2.0", "originalApplicationVersion": "1.0",
                "receiptType": "Sandbox", "appTransactionId": "7", "receiptCreationDate": 1_795_600_000_000,
                "originalPurchaseDate": 1_795_500_000_000, "originalPlatform": "iOS",
                "deviceVerification": .string(DeviceProof.make(nonce: nonce, device: device).base64EncodedString()),
                "deviceVerificationNonce": .string(nonce.uuidString),
            ]
            members.merge(more) { $1 }
            let text = try signer.sign(StoreJSON.encode(JSONValue.object(members)))
            return try verifier.result(text, as: AppTransaction.self).payloadValue
        }
        let signed = try value([:])
        #expect(signed.originalPurchaseDate == Date(timeIntervalSince1970: 1_795_500_000))
        #expect(signed.signedDate == Date(timeIntervalSince1970: 1_795_600_000))
        #expect((signed.appVersion, signed.originalAppVersion) == ("2.0", "1.0") && signed.environment == .sandbox)
        #expect(signed.originalPlatform == .iOS && signed.appTransactionID == "7" && signed.storeType == .consumer)
        #expect(signed.preorderDate == nil && signed.revocationDate == nil && signed.appID == nil)
        let more = try value([
            "preorderDate": 1_795_400_000_000, "storeType": "EDUCATION", "revocationDate": 1_795_700_000_000,
            "appAppleId": 9, "versionExternalIdentifier": 10,
        ])
        #expect(more.preorderDate == Date(timeIntervalSince1970: 1_795_400_000) && more.storeType == .education)
        #expect(more.revocationDate == Date(timeIntervalSince1970: 1_795_700_000))
        #expect(more.appID == 9 && more.appVersionID == 10)
    }

    @Test func `text that is no JWS is unverified, and has defaults`() throws {
        let result: VerificationResult<Transaction> = try verifier.result("no JWS")
        #expect(error(result) == .invalidEncoding)
        #expect(result.unsafePayloadValue.id == 0 && result.jwsRepresentation == "no JWS" && result.payloadData.isEmpty)
    }

    private func session(root: [UInt8]?, environment: AppStoreEnvironment) throws -> SessionResponse {
        var members: [String: JSONValue] = [
            "token": "t", "expiresAt": "2026-11-22T10:00:00.000Z", "canMakePayments": true,
            "storefront": .object(["countryCode": "USA", "identifier": "143441"]),
            "deviceVerificationId": .string(device.uuidString.lowercased()),
            "environment": .string(environment.rawValue),
        ]
        members["rootCertificate"] = root.map { .string(Data($0).base64EncodedString()) }
        return try StoreJSON.decode(SessionResponse.self, from: StoreJSON.encode(JSONValue.object(members)))
    }

    private func roots(
        _ connection: StoreConnection, _ root: [UInt8]?, _ environment: AppStoreEnvironment = .sandbox,
        in directory: TemporaryDirectory
    ) throws -> [[UInt8]] {
        let pins = RootPins(directory: URL(fileURLWithPath: directory.file("roots")))
        return StoreVerifier(try session(root: root, environment: environment), connection, pins).verifier.roots
    }

    @Test func `a store's root is trusted at its first use, and another one is not until the file is removed`() throws {
        let directory = try TemporaryDirectory(prefix: "storebus-roots")
        let (first, second) = (authority.rootDER, try CertificateAuthority().rootDER)
        let warnings = LockedValue<[String]>([])
        var connection = StoreConnection(
            gateway: try #require(URL(string: "https://store.example")), bundleId: "b", deviceId: "d", account: "a",
            log: { sentence in warnings.withLock { $0.append(sentence) } })
        #expect(try roots(connection, first, in: directory) == [first])
        #expect(try roots(connection, first, in: directory) == [first] && warnings.withLock { $0.isEmpty })
        #expect(try roots(connection, second, in: directory) == [])
        let warning = try #require(warnings.withLock { $0.first })
        let file = try #require(warning.components(separatedBy: "remove ").last)
        try FileManager.default.removeItem(atPath: file)
        #expect(try roots(connection, second, in: directory) == [second])
        // The app's own roots come first, and production has no others.
        connection.rootCertificates = [Data(first)]
        #expect(try roots(connection, second, in: directory) == [first])
        #expect(try roots(connection, nil, .production, in: directory) == [first])
        connection.rootCertificates = nil
        #expect(try roots(connection, second, .production, in: directory) == [])
        connection.rootCertificates = [Data("no certificate".utf8)]
        #expect(try roots(connection, second, in: directory) == [])
    }

    @Test func `a name that begins with 127 is not this machine, and an app of production trusts no store`() throws {
        let directory = try TemporaryDirectory(prefix: "storebus-roots")
        let root = authority.rootDER
        for gateway in ["http://127.example.com", "http://127.0.0.1.example.com", "http://127.0.0.256"] {
            let url = try #require(URL(string: gateway))
            #expect(!StoreConnection(gateway: url, bundleId: "b", deviceId: "d", account: "a").isLoopback)
        }
        let url = try #require(URL(string: "http://127.0.0.1:7430"))
        let connection = StoreConnection(
            gateway: url, bundleId: "b", deviceId: "d", account: "a", environment: .production)
        #expect(try roots(connection, root, in: directory) == [])
    }

    @Test func `one store has one file, and a file that cannot be used trusts nothing`() throws {
        let directory = try TemporaryDirectory(prefix: "storebus-roots")
        let pins = RootPins(directory: URL(fileURLWithPath: directory.file("roots")))
        func check(_ gateway: String, _ root: String = "a") throws -> RootPins.Finding {
            let url = try #require(URL(string: gateway))
            return pins.check(Data(root.utf8), of: url)
        }
        #expect(try check("https://Store.example/") == .same)
        for other in ["https://store.example", "https://store.example:443"] {
            if case .changed = try check(other, "b") { continue }
            Issue.record("\(other) is another store")
        }
        #expect(try check("https://store.example:8443", "b") == .same)
        // A folder in the place of the file.
        let folder = pins.directory.appendingPathComponent("other.example-443.der", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var isUnreadable = false
        if case .unreadable = try check("https://other.example") { isUnreadable = true }
        #expect(isUnreadable)
        let file = URL(fileURLWithPath: directory.file("file"))
        try Data().write(to: file)
        let within = RootPins(directory: file.appendingPathComponent("roots"))
        if case .unreadable = within.check(Data(), of: file) { return }
        Issue.record("it could not be written")
    }

    @Test(arguments: ["http://127.0.0.1:7430", "http://localhost:7430", "http://[::1]:7430"])
    func `the store of this machine is trusted as it is`(_ gateway: String) throws {
        let directory = try TemporaryDirectory(prefix: "storebus-roots")
        let connection = StoreConnection(
            gateway: try #require(URL(string: gateway)), bundleId: "b", deviceId: "d", account: "a")
        for root in [authority.rootDER, try CertificateAuthority().rootDER] {
            #expect(try roots(connection, root, in: directory) == [root])
        }
        #expect(!FileManager.default.fileExists(atPath: directory.file("roots")))
    }
}
