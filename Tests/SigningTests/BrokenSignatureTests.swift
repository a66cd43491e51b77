import Cryptography
import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import Signing

/// Each fault is the only one: everything else of the signature, its header and its chain is checked beside it.
@Suite struct BrokenSignatureTests {
    private let authority: CertificateAuthority
    private let signer: JWSSigner

    init() throws {
        authority = try .appStore(root: CertificateAuthority(), ocspURL: "http://127.0.0.1:7430/ocsp")
        signer = JWSSigner(authority)
    }

    private static let transaction = Array(
        #"{"bundleId":"com.example.app","environment":"Sandbox","price":4990,"signedDate":1795600000000}"#.utf8)
    private static let notification = Array(
        #"""
        {"data":{"bundleId":"com.example.app","environment":"Sandbox","signedTransactionInfo":"a.b.c"},
        "notificationType":"DID_RENEW","version":"2.0"}
        """#.utf8)
    /// 2026-11-25T09:46:40Z.
    private static let now = 1_795_600_000.0

    // MARK: A verifier that finds every fault instead of the first

    /// What is wrong, in words.
    private func faults(_ text: String, of payload: [UInt8], at seconds: Double = now) async throws -> Set<String> {
        let read = try ReadJWS(text)
        var faults: Set<String> = []
        if Set(try #require(read.header.objectValue).keys).subtracting(["alg", "x5c"]) != [] {
            faults.insert("header")
        }
        if read.payload != payload { faults.insert(try difference(read.payload, payload)) }
        if read.header["alg"] == "ES256" {
            faults.formUnion(try signatureFaults(read, payload))
        } else {
            faults.insert("alg \(read.header["alg"]?.stringValue ?? "-")")
            if !read.signature.isEmpty { faults.insert("signature") }
        }
        guard read.header["x5c"] != nil else { return faults.union(["no x5c"]) }
        return faults.union(try await chainFaults(read, at: seconds))
    }

    private func signatureFaults(_ read: ReadJWS, _ payload: [UInt8]) throws -> Set<String> {
        // Without a leaf to read, the authority's.
        let leaf = read.certificates.first.flatMap { $0 }.flatMap { try? Certificate(derEncoded: $0) }
        let signing = leaf ?? authority.leaf
        if try read.isSigned(by: signing) { return [] }
        return try read.isSigned(by: signing, payload: payload) ? ["not what was signed"] : ["signature"]
    }

    /// Which members differ.
    private func difference(_ sent: [UInt8], _ signed: [UInt8]) throws -> String {
        func flat(_ value: JSONValue, _ path: String) -> [String: JSONValue] {
            guard let members = value.objectValue else { return [path: value] }
            return members.reduce(into: [:]) { $0.merge(flat($1.value, "\(path)/\($1.key)")) { $1 } }
        }
        let (sent, signed) = (flat(try StrictJSON.parse(sent), ""), flat(try StrictJSON.parse(signed), ""))
        return Set(sent.keys).union(signed.keys).filter { sent[$0] != signed[$0] }.sorted().joined(separator: " ")
    }

    private func chainFaults(_ read: ReadJWS, at seconds: Double) async throws -> Set<String> {
        let chain = read.chain
        guard chain.count == read.certificates.count else {
            return ["\(read.certificates.count - chain.count) corrupt"]
        }
        var faults: Set<String> = chain.count == 3 ? [] : ["\(chain.count) certificates"]
        if chain.count > 3, chain[3...].contains(where: { $0 != authority.root }) {
            faults.insert("not the root behind")
        }
        if chain.count >= 3, chain[2] != authority.root { faults.insert("root") }
        for (certificate, issuer) in zip(chain, chain.dropFirst()) {
            if certificate.issuer != issuer.subject { faults.insert("names") }
            if !certificate.isSigned(by: issuer) { faults.insert("issuer") }
            if certificate.authorityKeyIdentifier != issuer.subjectKeyIdentifier { faults.insert("identifiers") }
        }
        if chain[0].value(of: "1.2.840.113635.100.6.11.1") == nil { faults.insert("leaf's marker") }
        if chain[1].value(of: "1.2.840.113635.100.6.2.1") == nil {
            faults.insert("intermediate's marker")
        }
        for certificate in chain[..<2] {
            if certificate.ocspURLs != [try #require(authority.ocspURL)] { faults.insert("responder's address") }
        }
        let date = Date(timeIntervalSince1970: seconds)
        for certificate in chain where !(certificate.notValidBefore...certificate.notValidAfter).contains(date) {
            faults.insert(date < certificate.notValidBefore ? "not yet valid" : "expired")
        }
        for (certificate, issuer) in zip(chain[..<2], [chain[1], chain.count > 2 ? chain[2] : authority.root]) {
            faults.formUnion(try revocation(certificate, issuer))
        }
        // And all the rest that verifiers look at, at a date when leaf and intermediate are valid.
        let begin = max(chain[0].notValidBefore, chain[1].notValidBefore)
        guard begin <= min(chain[0].notValidAfter, chain[1].notValidAfter) else { return faults }
        let root = chain.count > 2 ? chain[2] : authority.root
        let path = CertificateChain.path(from: chain[0], through: [chain[1]], to: root, at: begin)
        if path != [chain[0], chain[1], root] { faults.insert("path") }
        return faults
    }

    private func revocation(_ certificate: Certificate, _ issuer: Certificate) throws -> Set<String> {
        let request = OCSPMessages.request([try OCSPMessages.certificateID(certificate, issuer: issuer, .sha256)])
        let response = try OCSPResponder([authority]).response(
            to: request, mode: .good, now: Timestamp(milliseconds: Int64(Self.now) * 1000))
        switch try OCSPAnswer(response).responses.first?.status {
        case .good: return []
        case .revoked: return ["revoked"]
        // Another root's issuers are not this responder's.
        case nil, .unknown: return issuer.publicKey == authority.root.publicKey ? ["unknown"] : []
        }
    }

    // MARK: Each fault

    private static let expected: [BrokenSignature: Set<String>] = [
        .signature: ["signature"], .tampered: ["/tampered", "not what was signed"], .root: ["root"],
        .leafOID: ["leaf's marker"], .intermediateOID: ["intermediate's marker"], .expired: ["expired"],
        .notYetValid: ["not yet valid"], .noX5C: ["no x5c"], .algorithm: ["alg none"],
        .chainOfTwo: ["2 certificates"], .chainOfFour: ["4 certificates"], .corruptCertificate: ["1 corrupt"],
        .revoked: ["revoked"], .bundle: ["/bundleId"], .environment: ["/environment"],
    ]

    @Test func `without a fault there is none`() async throws {
        #expect(try await faults(signer.sign(Self.transaction), of: Self.transaction) == [])
    }

    @Test(arguments: BrokenSignature.allCases)
    func `a fault is there, and no other`(broken: BrokenSignature) async throws {
        for _ in 0..<3 {
            let text = try signer.sign(Self.transaction, broken: broken)
            #expect(try await faults(text, of: Self.transaction) == Self.expected[broken])
        }
    }

    @Test(arguments: BrokenSignature.allCases)
    func `a notification's fault is the same, and named inside where it is named there`(
        broken: BrokenSignature
    ) async throws {
        let expected: Set<String>? =
            switch broken {
            case .bundle: ["/data/bundleId"]
            case .environment: ["/data/environment"]
            default: Self.expected[broken]
            }
        let text = try signer.sign(Self.notification, broken: broken)
        #expect(try await faults(text, of: Self.notification) == expected)
    }

    @Test(arguments: [946_684_800.0, now, 7_258_118_399])
    func `an expired and a coming leaf are so wherever the business clock is`(seconds: Double) async throws {
        for (broken, fault) in [(BrokenSignature.expired, "expired"), (.notYetValid, "not yet valid")] {
            let text = try signer.sign(Self.transaction, broken: broken)
            #expect(try await faults(text, of: Self.transaction, at: seconds) == [fault])
        }
    }

    @Test func `a changed signature differs from the leaf's in one bit`() throws {
        let text = try signer.sign(Self.transaction, broken: .signature)
        let read = try ReadJWS(text)
        #expect(read.signature.count == 64)
        var bits = 0
        for index in read.signature.indices {
            for bit in 0..<8 {
                var repaired = read.signature
                repaired[index] ^= 1 << UInt8(bit)
                let start = text[..<(try #require(text.lastIndex(of: ".")))]
                if try ReadJWS("\(start).\(ReadJWS.text(repaired))").isSigned(by: authority.leaf) { bits += 1 }
            }
        }
        #expect(bits == 1)
    }

    @Test func `a foreign root has the names of the own, and signs its chain`() throws {
        let chain = try ReadJWS(signer.sign(Self.transaction, broken: .root)).chain
        try #require(chain.count == 3)
        #expect(chain.map(\.subject) == authority.chain.map(\.subject))
        let known = Set(authority.chain.map(\.publicKey))
        #expect(known.isDisjoint(with: chain.map(\.publicKey)))
        #expect(chain[2].isSigned(by: chain[2]))
    }

    @Test func `a corrupt leaf is the first half of the own`() throws {
        let read = try ReadJWS(signer.sign(Self.transaction, broken: .corruptCertificate))
        let own = authority.chain.map(\.bytes)
        #expect(read.certificates == [Array(own[0].prefix(own[0].count / 2)), own[1], own[2]])
    }

    @Test func `a short chain ends before the root, and a long one has it twice`() throws {
        #expect(
            try ReadJWS(signer.sign(Self.transaction, broken: .chainOfTwo)).chain == Array(authority.chain.prefix(2)))
        #expect(
            try ReadJWS(signer.sign(Self.transaction, broken: .chainOfFour)).chain
                == authority.chain + [authority.root])
    }

    @Test func `a tampered payload has one member more, and the signature of the one without`() throws {
        let read = try ReadJWS(signer.sign(Self.transaction, broken: .tampered))
        var members = try #require(try StrictJSON.parse(read.payload).objectValue)
        #expect(members.removeValue(forKey: "tampered") == true)
        #expect(try JSONValue.object(members) == StrictJSON.parse(Self.transaction))
    }

    @Test func `made certificates are new each time`() throws {
        for broken in [BrokenSignature.leafOID, .expired, .notYetValid, .revoked, .root] {
            let numbers = try (0..<4).map { _ in
                try #require(try ReadJWS(signer.sign(Self.transaction, broken: broken)).chain.first).serialNumber
            }
            #expect(Set(numbers).count == 4, "\(broken)")
        }
    }

    // MARK: Payloads

    @Test(arguments: [
        (#"{"bundleId":"b"}"#, #"{"bundleId":"b.other"}"#),
        (#"{"data":{"bundleId":"b"}}"#, #"{"data":{"bundleId":"b.other"}}"#),
        (#"{"summary":{"bundleId":"b"}}"#, #"{"summary":{"bundleId":"b.other"}}"#),
        (#"{"appData":{"bundleId":"b"}}"#, #"{"appData":{"bundleId":"b.other"}}"#),
        (#"{"externalPurchaseToken":{"bundleId":"b"}}"#, #"{"externalPurchaseToken":{"bundleId":"b.other"}}"#),
    ])
    func `another app's payload names another app wherever it names one`(payload: String, expected: String) throws {
        let read = try ReadJWS(signer.sign(Array(payload.utf8), broken: .bundle))
        #expect(try StrictJSON.parse(read.payload) == StrictJSON.parse(Array(expected.utf8)))
        #expect(try read.isSigned(by: authority.leaf))
    }

    @Test(arguments: [
        (#"{"environment":"Sandbox"}"#, #"{"environment":"Production"}"#),
        (#"{"environment":"Production"}"#, #"{"environment":"Sandbox"}"#),
        (#"{"environment":"LocalTesting"}"#, #"{"environment":"Sandbox"}"#),
        (#"{"receiptType":"Sandbox","bundleId":"b"}"#, #"{"receiptType":"Production","bundleId":"b"}"#),
        (#"{"data":{"environment":"Sandbox"}}"#, #"{"data":{"environment":"Production"}}"#),
        (#"{"summary":{"environment":"Sandbox"}}"#, #"{"summary":{"environment":"Production"}}"#),
        (
            #"{"externalPurchaseToken":{"externalPurchaseId":"SANDBOX_a"}}"#,
            #"{"externalPurchaseToken":{"externalPurchaseId":"_a"}}"#
        ),
        (
            #"{"externalPurchaseToken":{"externalPurchaseId":"a"}}"#,
            #"{"externalPurchaseToken":{"externalPurchaseId":"SANDBOXa"}}"#
        ),
    ])
    func `a payload of another environment names another wherever it names one`(
        payload: String, expected: String
    ) throws {
        let read = try ReadJWS(signer.sign(Array(payload.utf8), broken: .environment))
        #expect(try StrictJSON.parse(read.payload) == StrictJSON.parse(Array(expected.utf8)))
        #expect(try read.isSigned(by: authority.leaf))
    }

    // MARK: Refusals

    private func notApplicable(_ signer: JWSSigner, _ payload: String, _ broken: BrokenSignature) -> Bool {
        do {
            _ = try signer.sign(Array(payload.utf8), broken: broken)
            return false
        } catch let error as BrokenSignature.NotApplicable {
            return error.broken == broken
        } catch {
            return false
        }
    }

    @Test func `a payload without a place for a fault gets none`() {
        #expect(notApplicable(signer, #"{"environment":"Sandbox"}"#, .bundle), "renewal information names no app")
        #expect(notApplicable(signer, #"{"bundleId":"b"}"#, .environment))
        #expect(notApplicable(signer, #"{"data":{"x":1},"environment":7}"#, .environment))
        for broken in [BrokenSignature.tampered, .bundle, .environment] {
            #expect(notApplicable(signer, "[]", broken))
        }
    }

    @Test func `what is not JSON cannot be changed, and is signed by every other fault`() throws {
        for broken in BrokenSignature.allCases {
            let payload = Array("not JSON".utf8)
            if [.tampered, .bundle, .environment].contains(broken) {
                #expect(throws: StrictJSONError.self) { try signer.sign(payload, broken: broken) }
            } else {
                #expect(try ReadJWS(signer.sign(payload, broken: broken)).payload == payload)
            }
        }
    }

    @Test func `Xcode's one certificate has no place for the faults of a chain`() throws {
        let xcode = try JWSSigner.xcode(authority)
        let ofChains: Set<BrokenSignature> = [
            .root, .leafOID, .intermediateOID, .expired, .notYetValid, .chainOfTwo, .chainOfFour, .revoked,
        ]
        let payload = String(decoding: Self.transaction, as: UTF8.self)
        for broken in BrokenSignature.allCases {
            #expect(notApplicable(xcode, payload, broken) == ofChains.contains(broken), "\(broken)")
            guard !ofChains.contains(broken) else { continue }
            let read = try ReadJWS(xcode.sign(Self.transaction, broken: broken))
            #expect(read.header["kid"] == "Apple_Xcode_Key", "\(broken)")
            #expect(read.certificates.count == (broken == .noX5C ? 0 : 1), "\(broken)")
            #expect(read.chain.isEmpty == [.noX5C, .corruptCertificate].contains(broken), "\(broken)")
        }
    }
}
