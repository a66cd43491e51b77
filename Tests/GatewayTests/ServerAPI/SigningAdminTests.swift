import Cryptography
import EventLoop
import Foundation
import NIOHTTP1
import Signing
import StoreHTTP
import StoreModels
import Testing

/// Goal: operators make payloads that an app's server must refuse, and change certificates under it.
@Suite struct SigningAdminTests {
    private static let path = "/admin/v1/apps/com.example.app/signing/issue"
    private static let renewal = "2000000000000003"

    private func issue(
        _ store: GatewayHarness, _ kind: String = "transaction", of identifier: String = renewal, _ more: String = ""
    ) async throws -> Answer {
        try await store.send(
            .POST, Self.path, token: Sample.adminKey, body: #"{"kind":"\#(kind)","of":"\#(identifier)"\#(more)}"#)
    }

    private func change(_ store: GatewayHarness, _ method: HTTPMethod, _ what: String, _ body: String) async throws
        -> Answer
    {
        try await store.send(method, "/admin/v1/signing/\(what)", token: Sample.adminKey, body: body)
    }

    /// A request about the leaf of an authority.
    private func status(_ store: GatewayHarness, _ authority: CertificateAuthority) async throws -> Answer {
        let request = try OCSPRequestBytes.asking(about: authority.leaf, issuedBy: authority.intermediate)
        return try await store.send(
            .POST, "/ocsp", headers: [("Content-Type", "application/ocsp-request")], bytes: request)
    }

    // MARK: Payloads

    @Test func `each kind of payload is issued as the API signs it`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            store.payments.contents.withLock { contents in
                contents.serverReading.subscriptions[0].subscription.originalTransactionIdentifier = "2000000000000001"
            }
            let token = try await store.serverToken().text()
            let authority = try await store.apple.appStore()
            let transaction = try await store.send(.GET, "/inApps/v1/transactions/\(Self.renewal)", token: token)
            let issued = try ParsedJWS(try await issue(store).json["jws"]?.stringValue)
            #expect(try issued.isSigned(by: authority))
            #expect(
                issued.payload
                    == (try ParsedJWS(transaction.json["signedTransactionInfo"]?.stringValue)).payload)
            let renewal = try ParsedJWS(try await issue(store, "renewalInfo").json["jws"]?.stringValue)
            #expect(renewal.payload["autoRenewProductId"] == "com.example.pro")
            let download = try ParsedJWS(
                try await issue(store, "appTransaction", of: FakePaymentQueue.appTransaction).json["jws"]?.stringValue)
            #expect(download.payload["receiptType"] == "Sandbox")
        }
    }

    @Test func `members are set and removed before it is signed`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let answer = try await issue(
                store, "transaction", #","set":{"price":1,"offerType":null,"new":{"a":[true]}}"#)
            let issued = try ParsedJWS(answer.json["jws"]?.stringValue)
            #expect(try issued.isSigned(by: try await store.apple.appStore()))
            #expect(issued.payload["price"] == .integer(1))
            #expect(issued.payload["offerType"] == nil)
            #expect(issued.payload["new"] == .object(["a": .array([.bool(true)])]))
            #expect(issued.payload["transactionId"]?.stringValue == Self.renewal)
        }
    }

    @Test(arguments: BrokenSignature.allCases)
    func `a payload broken on purpose is not what the API signs`(_ broken: BrokenSignature) async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let answer = try await issue(store, "transaction", #","break":"\#(broken.rawValue)""#)
            #expect(answer.status == 200)
            let parts = (answer.json["jws"]?.stringValue ?? "").split(separator: ".", omittingEmptySubsequences: false)
            #expect(parts.count == 3)
            let good = try await issue(store)
            #expect(good.json["jws"] != answer.json["jws"])
        }
    }

    @Test func `what cannot be issued is refused, and says where`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            #expect(try await issue(store, of: "404").status == 404)
            for (kind, identifier, place) in [
                ("transaction", FakePaymentQueue.appTransaction, "$.of"),
                ("renewalInfo", FakePaymentQueue.appTransaction, "$.of"), ("renewalInfo", "2000000000000002", "$.of"),
                ("receipt", Self.renewal, "$.kind"),
            ] {
                let answer = try await issue(store, kind, of: identifier)
                #expect(answer.status == 400, "\(kind) \(identifier)")
                #expect(answer.json["detail"]?.stringValue?.contains(place) == true, "\(answer.text)")
            }
            // Renewal information names no app.
            store.payments.contents.withLock { contents in
                contents.serverReading.subscriptions[0].subscription.originalTransactionIdentifier = "2000000000000001"
            }
            let answer = try await issue(store, "renewalInfo", #","break":"bundle""#)
            #expect(answer.status == 400)
            #expect(answer.json["detail"]?.stringValue?.contains("$.break") == true)
        }
    }

    // MARK: Certificates

    @Test(arguments: CertificateRotation.allCases)
    func `after a rotation new payloads have new certificates, and old ones are still good`(
        _ rotation: CertificateRotation
    ) async throws {
        try await GatewayHarness.run { store in
            let before = try await store.apple.appStore()
            let answer = try await change(store, .POST, "rotate", #"{"authority":"\#(rotation.rawValue)"}"#)
            #expect(answer.status == 200)
            let after = try await store.apple.appStore()
            #expect(after.leaf.publicKey != before.leaf.publicKey)
            #expect((after.intermediate.publicKey == before.intermediate.publicKey) == (rotation == .leaf))
            #expect(after.root == before.root)
            let chain = (answer.json["chain"]?.arrayValue ?? []).compactMap(\.stringValue)
            #expect(chain == after.chainDER.map { Data($0).base64EncodedString() })
            let shown = try await store.send(.GET, "/admin/v1/signing", token: Sample.adminKey)
            #expect(shown.json == answer.json)
            for authority in [before, after] {
                #expect(try await status(store, authority).isGood)
            }
        }
    }

    // MARK: OCSP

    @Test func `the responder answers as the operator has chosen`() async throws {
        try await GatewayHarness.run { store in
            let authority = try await store.apple.appStore()
            let unset = try await status(store, authority)
            #expect(unset.isGood)
            for mode in OCSPMode.allCases where mode != .unavailable && mode != .slow {
                let set = try await change(store, .PUT, "ocsp", #"{"mode":"\#(mode.rawValue)"}"#)
                #expect(set.json["ocsp"]?["mode"]?.stringValue == mode.rawValue)
                let answer = try await status(store, authority)
                #expect(answer.status == 200)
                #expect(answer.isGood == [.good, .stale, .wrongSigner, .malformed].contains(mode), "\(mode)")
                #expect((answer.body.count < unset.body.count / 2 + 9) == (mode == .malformed), "\(mode)")
            }
            #expect(try await change(store, .PUT, "ocsp", #"{"mode":"unavailable"}"#).status == 200)
            let away = try await status(store, authority)
            #expect(away.status == 503)
            #expect(try await change(store, .PUT, "ocsp", #"{"mode":"none"}"#).status == 400)
            #expect(try await status(store, authority).status == 503)
        }
    }

    @Test func `a slow response comes with the request's deadline`() async throws {
        try await GatewayHarness.run { store in
            _ = try await change(store, .PUT, "ocsp", #"{"mode":"slow"}"#)
            let start = ContinuousClock.now
            let answer = try await store.send(.GET, "/ocsp/AQID", headers: [("Sb-Timeout", "1000")])
            #expect(answer.status == 200)
            #expect(ContinuousClock.now - start >= .milliseconds(900))
        }
    }
}

extension Answer {
    /// Whether it is an OCSP response whose status is `good`: the tag [0] without content, behind a certificate's name.
    fileprivate var isGood: Bool {
        status == 200 && Data(body).range(of: Data([0x80, 0x00, 0x18, 0x0F])) != nil
    }
}

/// OCSP requests as clients write them.
private enum OCSPRequestBytes {
    /// Asks with SHA-1 about one certificate, without extensions.
    static func asking(about certificate: Certificate, issuedBy issuer: Certificate) throws -> [UInt8] {
        let name = Insecure.SHA1.hash(data: issuer.subject)
        guard let key = issuer.publicKey else {
            throw StoreError(.internal, "the issuer's key is not on P-256")
        }
        let keyHash = Insecure.SHA1.hash(data: key.x963Representation)
        let sha1: [UInt8] = [0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00]
        let id = sha1 + node(0x04, name) + node(0x04, keyHash) + node(0x02, integer(certificate.serialNumber))
        return node(0x30, node(0x30, node(0x30, node(0x30, node(0x30, id)))))
    }

    /// A number that is not negative.
    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        (bytes.first ?? 0) >= 0x80 ? [0] + bytes : bytes
    }

    /// A node of at most 255 bytes.
    private static func node(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + (content.count < 128 ? [UInt8(content.count)] : [0x81, UInt8(content.count)]) + content
    }
}
