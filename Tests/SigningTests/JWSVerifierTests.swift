import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import Signing

/// Goal: every fault is named by the step that finds it, and nothing else is.
@Suite struct JWSVerifierTests {
    private let authority: CertificateAuthority
    private let signer: JWSSigner
    private let verifier: JWSVerifier

    init() throws {
        authority = try .appStore(root: CertificateAuthority(), ocspURL: "http://127.0.0.1:7430/ocsp")
        signer = JWSSigner(authority)
        verifier = try JWSVerifier(root: authority.rootDER)
    }

    private static let transaction = Array(
        #"{"bundleId":"com.example.app","environment":"Sandbox","price":4990,"signedDate":1795600000000}"#.utf8)
    private static let expected = JWSVerifier.Expectation(bundleId: "com.example.app", environment: "Sandbox")

    /// Verifies with the store's own responder.
    private func step(
        _ jws: String, _ expected: JWSVerifier.Expectation = expected, mode: OCSPMode? = .good, root: [UInt8]? = nil
    ) async throws -> JWSVerifier.Step? {
        let responder = try OCSPResponder([authority])
        var ask: JWSVerifier.Ask?
        if let mode {
            ask = { request in try responder.response(to: request, mode: mode, now: Timestamp.wallClock()) }
        }
        let verifier = try root.map { try JWSVerifier(root: $0) } ?? verifier
        do {
            _ = try await verifier.verify(jws, expecting: expected, now: Date(), ask: ask)
            return nil
        } catch {
            #expect(!error.reason.isEmpty)
            return error.step
        }
    }

    @Test func `a good signature passes each step and gives the payload`() async throws {
        let jws = signer.sign(Self.transaction)
        #expect(try await step(jws) == nil)
        let payload = try await verifier.verify(jws, expecting: Self.expected, now: Date())
        #expect(payload["price"] == 4990)
        let pem = try JWSVerifier(root: Array(authority.rootPEM.utf8))
        #expect(try await pem.verify(jws, now: Date()) == payload)
    }

    @Test(arguments: BrokenSignature.allCases)
    func `each fault is found by its own step`(_ broken: BrokenSignature) async throws {
        let expected: JWSVerifier.Step =
            switch broken {
            case .signature, .tampered: .signature
            case .root: .chain
            case .leafOID, .intermediateOID: .purpose
            case .expired, .notYetValid: .validity
            case .noX5C, .chainOfTwo, .chainOfFour, .corruptCertificate: .certificates
            case .algorithm: .algorithm
            case .revoked: .revocation
            case .bundle: .app
            case .environment: .environment
            }
        let jws = try signer.sign(Self.transaction, broken: broken)
        #expect(try await step(jws) == expected)
        // Only the responder knows of a revoked certificate.
        #expect(try await step(jws, mode: nil) == (broken == .revoked ? nil : expected))
    }

    @Test(arguments: OCSPMode.allCases)
    func `only a good response of the responder is one`(_ mode: OCSPMode) async throws {
        let passes = [.good, .slow].contains(mode)
        #expect(try await step(signer.sign(Self.transaction), mode: mode) == (passes ? nil : .revocation))
    }

    @Test(arguments: [
        (OCSPMode.revoked, "revoked through OCSP, reason: keyCompromise"),
        (.unknown, "the OCSP responder does not know the certificate"), (.stale, "the OCSP response is out of date"),
        (.wrongSigner, "the OCSP response is not signed for the certificate's issuer"),
        (.malformed, "the OCSP responder's response cannot be read"),
        (.unavailable, "the OCSP responder said trylater"),
    ])
    func `the fault of a response is named`(_ mode: OCSPMode, _ reason: String) async throws {
        let responder = try OCSPResponder([authority])
        let ask: JWSVerifier.Ask = { try responder.response(to: $0, mode: mode, now: Timestamp.wallClock()) }
        let jws = signer.sign(Self.transaction)
        let error = await #expect(throws: JWSVerifier.Failure.self) {
            try await verifier.verify(jws, now: Date(), ask: ask)
        }
        #expect(error?.reason == reason)
    }

    @Test(arguments: [
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "253402300800000", "-1e300", "1e300",
        "null",
        "\"1795600000000\"", "1795600000000.5",
    ])
    func `a signedDate of any size is refused by its step`(_ date: String) async throws {
        for member in ["signedDate", "receiptCreationDate"] {
            let payload = #"{"bundleId":"com.example.app","environment":"Sandbox","\#(member)":\#(date)}"#
            #expect(try await step(signer.sign(Array(payload.utf8))) == .validity, "\(payload)")
        }
    }

    @Test func `another store's root, and what is no JWS, are refused`() async throws {
        let jws = signer.sign(Self.transaction)
        #expect(try await step(jws, root: try CertificateAuthority().rootDER) == .chain)
        for text in ["", "a.b", "a.b.c.d", "e30.e30.?", "bnVsbA.e30.e30", ".."] {
            #expect(try await step(text) == .form, "\(text)")
        }
        #expect(try await step("e30.e30.e30") == .algorithm)
        #expect(throws: (any Error).self) { try JWSVerifier(root: [1, 2, 3]) }
    }

    @Test func `a notification is of the app that its data names`() async throws {
        let notification = #"{"data":{"bundleId":"com.example.app","environment":"Production"},"version":"2.0"}"#
        let jws = signer.sign(Array(notification.utf8))
        #expect(try await step(jws) == .environment)
        #expect(try await step(jws, .init(bundleId: "com.example.other")) == .app)
        #expect(try await step(jws, .init()) == nil)
    }

    @Test func `data of Xcode has one certificate, and is refused as Apple's libraries would`() async throws {
        let jws = try JWSSigner.xcode(authority).sign(Self.transaction)
        #expect(try await step(jws) == .certificates)
    }
}
