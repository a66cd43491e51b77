import Foundation
import Signing
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// A store's certificates, and its answers about them.
enum Signed {
    static let authority: CertificateAuthority = {
        do {
            return try .appStore(root: CertificateAuthority(), ocspURL: "http://store/ocsp")
        } catch { fatalError("no authority: \(error)") }
    }()

    static let payload = Array(
        #"{"bundleId":"com.example.app","environment":"Sandbox","signedDate":1795600000000,"transactionId":"1"}"#.utf8)

    static func jws(_ payload: [UInt8] = payload, broken: BrokenSignature? = nil) -> String {
        let signer = JWSSigner(authority)
        let jws = try? broken.map { try signer.sign(payload, broken: $0) } ?? signer.sign(payload)
        return jws ?? ""
    }

    static let signing = JSONText.value(
        SigningResponse(
            chain: authority.chainDER.map { Data($0).base64EncodedString() },
            ocsp: .init(mode: .good, url: "http://store/ocsp")))

    static let answers: [String: JSONValue] = [
        "GET /admin/v1/signing": signing, "PUT /admin/v1/signing/ocsp": signing,
        "POST /admin/v1/signing/rotate": signing,
        "POST \(Notified.app)/signing/issue": ["jws": .string(jws())],
        "GET \(Notified.app)/server-api": ["environment": "Sandbox"],
    ]

    static let bytes: [String: [UInt8]] = [
        "GET /admin/v1/signing/root": Array(authority.rootPEM.utf8)
    ]
}

/// Goal: `verify` names the step of a signature's check that fails, and `ca` and `trust` say what they do.
@Suite struct SignatureTests {
    private let directory: TemporaryDirectory
    private let store = FakeStore()

    init() throws {
        directory = try TemporaryDirectory()
        let responder = try OCSPResponder([Signed.authority])
        store.answer(
            "POST /ocsp",
            bytes: { request in
                (try? responder.response(to: request.body ?? [], mode: .good, now: Timestamp.wallClock())) ?? []
            })
    }

    private func verify(_ text: String, _ more: String...) async throws -> (status: CLIExit, said: Recorder) {
        let file = directory.file("signed")
        try FileAccess.write(Array(text.utf8), to: file, mode: 0o600)
        return await Recorder.run(
            ["verify", file] + more, variables: ["STOREBUS_URL": "http://store", "STOREBUS_ADMIN_KEY": "admin"],
            transport: store)
    }

    @Test func `a good payload is verified with the store's root and responder, and shown`() async throws {
        let (status, said) = try await verify(Signed.jws() + "\n", "-o", "json")
        #expect(status == .success, "\(said.narration)")
        let data = try StrictJSON.parse(Array(said.result.utf8))["data"]
        #expect(data?["payload"]?["transactionId"] == "1")
        #expect(data?["revocation"] == "not revoked")
        #expect(data?["environment"] == "Sandbox")
        #expect(store.requests(.post, "/ocsp").count == 2)
    }

    @Test(arguments: BrokenSignature.allCases)
    func `each fault is refused with the step that finds it`(_ broken: BrokenSignature) async throws {
        let (status, said) = try await verify(Signed.jws(broken: broken), "-o", "json")
        #expect(status == .refused)
        let error = try StrictJSON.parse(Array(said.narration.utf8))["error"]
        #expect(error?["code"] == "signatureRefused")
        let step = try #require(error?["details"]?["step"]?.stringValue)
        #expect(error?["message"]?.stringValue?.hasPrefix("\(step): ") == true)
        let steps: [BrokenSignature: String] = [
            .expired: "validity", .root: "chain", .revoked: "revocation", .environment: "environment", .bundle: "app",
        ]
        #expect(step == steps[broken] ?? step)
    }

    @Test func `a notification is verified with what is signed inside it`() async throws {
        func notification(_ inner: String) -> String {
            let data: JSONValue = [
                "bundleId": "com.example.app", "environment": "Sandbox", "signedTransactionInfo": .string(inner),
            ]
            return Signed.jws(Array(JSONText.line(["data": data, "notificationType": "DID_RENEW"]).utf8))
        }
        let body = { (jws: String) in JSONText.line(["signedPayload": .string(jws)]) }
        let (status, said) = try await verify(body(notification(Signed.jws())))
        #expect(status == .success, "\(said.narration)")
        #expect(said.result.contains("inside       signedTransactionInfo"))
        let (refused, why) = try await verify(body(notification(Signed.jws(broken: .tampered))))
        #expect(refused == .refused)
        #expect(why.narration.contains("data.signedTransactionInfo: signature: "))
    }

    @Test func `with a root and offline no store is asked`() async throws {
        let root = directory.file("root.cer")
        try FileAccess.write(Signed.authority.rootDER, to: root, mode: 0o600)
        let (status, said) = try await verify(Signed.jws(), "--root", root, "--offline")
        #expect(status == .success, "\(said.narration)")
        #expect(store.requests.isEmpty)
        #expect(said.result.contains("revocation  not asked"))
        let (other, _) = try await verify(
            Signed.jws(), "--root", root, "--offline", "--environment", "Production")
        #expect(other == .refused)
        try FileAccess.write(Array("no certificate".utf8), to: root, mode: 0o600)
        let (unread, why) = try await verify(Signed.jws(), "--root", root, "--offline")
        #expect(unread == .badInput)
        #expect(why.narration.contains("[certificateUnreadable]"))
    }

    @Test func `a payload that is cut is explained, and not taken for a receipt`() async throws {
        let cut = Signed.jws().split(separator: ".").prefix(2).joined(separator: ".")
        let (status, said) = try await verify(cut)
        #expect(status == .refused)
        #expect(said.narration.contains("form: it has 2 parts between periods, not 3"))
        #expect(store.requests(.post, "/verifyReceipt").isEmpty)
    }

    @Test func `the root is written as its file's ending says`() async throws {
        let (status, _) = await store.run("ca", "root", "--out", directory.file("root.cer"))
        #expect(status == .success)
        #expect(store.requests(.get, "/admin/v1/signing/root").first?.headers["Accept"] == "application/pkix-cert")
        _ = await store.run("ca", "root", "--out", directory.file("root.pem"))
        #expect(store.requests(.get, "/admin/v1/signing/root").last?.headers["Accept"] == nil)
        #expect(FileAccess.text(directory.file("root.pem"))?.hasPrefix("-----BEGIN CERTIFICATE-----") == true)
    }

    @Test func `what is ordered is sent as it was written`() async throws {
        _ = await store.run(
            "ca", "issue", "renewalInfo", "2000000000000001", "--set", "autoRenewStatus=0", "--break", "root")
        _ = await store.run("ca", "ocsp", "wrongSigner")
        _ = await store.run("ca", "rotate", "intermediate")
        let bodies = try store.requests.compactMap(\.body).map { try StrictJSON.parse($0) }
        #expect(
            bodies == [
                [
                    "kind": "renewalInfo", "of": "2000000000000001", "set": ["autoRenewStatus": 0], "break": "root",
                ], ["mode": "wrongSigner"], ["authority": "intermediate"],
            ])
        for wrong in [
            ["ca", "ocsp", "maybe"], ["ca", "rotate", "root"], ["ca", "issue", "receipt", "1"], ["trust", "c"],
        ] {
            let (status, _) = await Recorder.run(wrong, variables: ["STOREBUS_URL": "http://store"], transport: store)
            #expect(status == .usage, "\(wrong)")
        }
    }
}
