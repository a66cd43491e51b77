import Cryptography
import Foundation
import StoreModels
import StorebusTesting
import SwiftASN1
import Testing

@testable import Signing

@Suite struct OCSPResponderTests {
    private let authority: CertificateAuthority
    private let responder: OCSPResponder
    private let leafID: [UInt8]

    init() throws {
        authority = try .appStore(root: CertificateAuthority(), ocspURL: "http://127.0.0.1:7430/ocsp")
        responder = try OCSPResponder([authority])
        leafID = try OCSPMessages.certificateID(authority.leaf, issuer: authority.intermediate, .sha256)
    }

    /// 2026-11-25T09:46:40.987Z.
    private let now = Timestamp(milliseconds: 1_795_600_000_987)

    private func answer(_ request: [UInt8], _ mode: OCSPMode = .good, now: Timestamp? = nil) throws -> OCSPAnswer {
        try OCSPAnswer(responder.response(to: request, mode: mode, now: now ?? self.now))
    }

    private func status(
        _ certificate: Certificate, issuer: Certificate, _ responder: OCSPResponder
    ) throws -> OCSPAnswer.Status? {
        let request = OCSPMessages.request([try OCSPMessages.certificateID(certificate, issuer: issuer, .sha1)])
        return try OCSPAnswer(responder.response(to: request, mode: .good, now: now)).responses.first?.status
    }

    /// Whether the certificate that answers is one the issuer has made for that, and has signed.
    private func isSigned(_ answer: OCSPAnswer, below issuer: Certificate) throws -> Bool {
        let certificate = try #require(answer.certificates.first)
        let key = try #require(certificate.publicKey)
        let signature = try P256.Signing.ECDSASignature(derRepresentation: answer.signature)
        #expect(answer.certificates.count == 1)
        #expect(answer.signatureAlgorithm == [1, 2, 840, 10045, 4, 3, 2], "ECDSA with SHA-256")
        #expect(answer.responderKeyHash == Insecure.SHA1.hash(data: key.x963Representation), "by key")
        #expect(key.isValidSignature(signature, for: answer.signed))
        #expect(certificate.issuer == issuer.subject)
        #expect(certificate.isSigned(by: issuer))
        return certificate.signsOCSP
    }

    // MARK: Answers

    @Test(arguments: OCSPMessages.Hash.allCases, [true, false])
    func `leaf and intermediate are good, by either hash and with or without its parameters`(
        hash: OCSPMessages.Hash, null: Bool
    ) throws {
        for (certificate, issuer) in [
            (authority.leaf, authority.intermediate), (authority.intermediate, authority.root),
        ] {
            let id = try OCSPMessages.certificateID(certificate, issuer: issuer, hash, null: null)
            let answer = try answer(OCSPMessages.request([id]))
            #expect(answer.status == 0)
            #expect(answer.responses.map(\.certificateID) == [id], "the CertID is the client's, byte by byte")
            #expect(answer.responses.map(\.status) == [.good])
            #expect(try isSigned(answer, below: issuer))
        }
    }

    @Test func `an answer begins two minutes ago and ends in twelve hours, in whole seconds`() throws {
        let answer = try answer(OCSPMessages.request([leafID]))
        #expect(answer.producedAt == "20261125094640Z")
        #expect(answer.responses.map(\.thisUpdate) == ["20261125094440Z"])
        #expect(answer.responses.map(\.nextUpdate) == ["20261125214640Z"])
    }

    @Test(arguments: [
        (-1, "19691231235959Z", "19691231235759Z"), (951_782_400_000, "20000229000000Z", "20000228235800Z"),
        (4_102_444_799_999, "20991231235959Z", "20991231235759Z"),
    ])
    func `an answer has the date it is given, at the ends of days and years`(
        milliseconds: Int, producedAt: String, thisUpdate: String
    ) throws {
        let answer = try answer(
            OCSPMessages.request([leafID]), now: Timestamp(milliseconds: Int64(milliseconds)))
        #expect(answer.producedAt == producedAt)
        #expect(answer.responses.map(\.thisUpdate) == [thisUpdate])
    }

    @Test func `a nonce is repeated, and without one there is none`() throws {
        #expect(try answer(OCSPMessages.request([leafID])).nonce == nil)
        for count in [1, 16, 32, 128] {
            let nonce = (0..<count).map { UInt8($0 ^ 0x5A) }
            let request = OCSPMessages.request([leafID], extensions: [OCSPMessages.nonce(nonce)])
            #expect(try answer(request).nonce == OCSPMessages.element(0x04, nonce))
        }
    }

    @Test func `several certificates of one issuer are answered in the order of the request`() throws {
        let other = try authority.rotated(.leaf)
        let ids = try [other.leaf, authority.leaf].map {
            try OCSPMessages.certificateID($0, issuer: authority.intermediate, .sha256)
        }
        let answer = try answer(OCSPMessages.request(ids))
        #expect(answer.responses.map(\.certificateID) == ids)
        #expect(answer.responses.map(\.status) == [.good, .good])
    }

    @Test func `what another issuer has issued is unknown beside what the first has`() throws {
        let stranger = try CertificateAuthority()
        let ids = [
            try OCSPMessages.certificateID(stranger.leaf, issuer: stranger.intermediate, .sha1), leafID,
            try OCSPMessages.certificateID(authority.intermediate, issuer: authority.root, .sha256),
        ]
        let answer = try answer(OCSPMessages.request(ids))
        #expect(answer.responses.map(\.certificateID) == ids)
        #expect(answer.responses.map(\.status) == [.unknown, .good, .unknown])
        #expect(try isSigned(answer, below: authority.intermediate))
    }

    @Test func `the responder's certificate is not asked about in turn, and is no authority`() throws {
        for (certificate, issuer) in [
            (authority.leaf, authority.intermediate), (authority.intermediate, authority.root),
        ] {
            let id = try OCSPMessages.certificateID(certificate, issuer: issuer, .sha256)
            let found = try #require(try answer(OCSPMessages.request([id])).certificates.first)
            #expect(found.value(of: "1.3.6.1.5.5.7.48.1.5") != nil, "id-pkix-ocsp-nocheck")
            #expect(found.ocspURLs.isEmpty)
            #expect(found.isAuthority == false)
            #expect(found.keyUsage == .digitalSignature)
            #expect(found.publicKey != certificate.publicKey && found.publicKey != issuer.publicKey)
        }
    }

    @Test func `a leaf that was issued as revoked is revoked by every responder, and its neighbours are good`() throws {
        let text = try JWSSigner(authority).sign(Array("{}".utf8), broken: .revoked)
        let leaf = try #require(try ReadJWS(text).chain.first)
        let revoked = OCSPAnswer.Status.revoked(since: "20000101000000Z", reason: 1)
        #expect(try status(leaf, issuer: authority.intermediate, responder) == revoked)
        // Another process has the same authority and nothing else.
        let again = try OCSPResponder([CertificateAuthority(authority.stored())])
        #expect(try status(leaf, issuer: authority.intermediate, again) == revoked)
        #expect(try status(authority.leaf, issuer: authority.intermediate, again) == .good)
        #expect(try status(authority.intermediate, issuer: authority.root, again) == .good)
    }

    @Test func `a serial number that an issuer never gave is unknown, in every mode that answers`() throws {
        let name = try OCSPMessages.certificateID(authority.leaf, issuer: authority.intermediate, .sha256)
        let serial = authority.leaf.serialNumber
        let place = try #require(name.indices.first { name[$0...].starts(with: serial) })
        for mode in [OCSPMode.good, .revoked, .unknown, .stale] {
            for bit in 0..<8 {
                for index in [1, 9, 10, 19] {
                    var other = name
                    other[place + index] ^= 1 << bit
                    #expect(
                        try answer(OCSPMessages.request([other]), mode).responses.map(\.status) == [.unknown],
                        "\(mode), byte \(index), bit \(bit)")
                }
            }
        }
        // The intermediate's number is the root's, not its own.
        let foreign = try OCSPMessages.certificateID(authority.intermediate, issuer: authority.intermediate, .sha1)
        #expect(try answer(OCSPMessages.request([foreign])).responses.map(\.status) == [.unknown])
    }

    @Test func `after a rotation old and new are answered, as long as both are known`() throws {
        for rotation in CertificateRotation.allCases {
            let rotated = try authority.rotated(rotation)
            let both = try OCSPResponder([rotated, authority])
            for known in [authority, rotated] {
                #expect(try status(known.leaf, issuer: known.intermediate, both) == .good)
                #expect(try status(known.intermediate, issuer: known.root, both) == .good)
            }
        }
        let rotated = try authority.rotated(.intermediate)
        #expect(try status(rotated.leaf, issuer: rotated.intermediate, responder) == nil)
    }

    // MARK: Modes

    @Test func `a mode answers for every certificate`() throws {
        for (mode, expected) in [
            (OCSPMode.good, OCSPAnswer.Status.good), (.slow, .good), (.stale, .good), (.wrongSigner, .good),
            (.revoked, .revoked(since: "20000101000000Z", reason: 1)), (.unknown, .unknown),
        ] {
            for (certificate, issuer) in [
                (authority.leaf, authority.intermediate), (authority.intermediate, authority.root),
            ] {
                let id = try OCSPMessages.certificateID(certificate, issuer: issuer, .sha256)
                let answer = try answer(OCSPMessages.request([id]), mode)
                #expect(answer.status == 0)
                #expect(answer.responses.map(\.status) == [expected], "\(mode)")
                #expect(try isSigned(answer, below: issuer) == (mode != .wrongSigner), "\(mode)")
                let begins = mode == .stale ? "20261124094440Z" : "20261125094440Z"
                #expect(answer.responses.map(\.thisUpdate) == [begins], "\(mode)")
            }
        }
    }

    @Test func `a stale answer ended half a day ago, and has the nonce of now`() throws {
        let request = OCSPMessages.request([leafID], extensions: [OCSPMessages.nonce([1, 2, 3])])
        let answer = try answer(request, .stale)
        #expect(answer.responses.map(\.nextUpdate) == ["20261124214640Z"])
        #expect(answer.producedAt == "20261124094640Z")
        #expect(answer.nonce == [0x04, 3, 1, 2, 3])
    }

    @Test func `a malformed answer is the beginning of a good one`() throws {
        let request = OCSPMessages.request([leafID])
        let malformed = try responder.response(to: request, mode: .malformed, now: now)
        let good = try responder.response(to: request, mode: .good, now: now)
        #expect(throws: (any Error).self) { try OCSPAnswer(malformed) }
        // The length of the signature differs by a byte or two.
        #expect(abs(malformed.count - good.count / 2) <= 2)
        #expect(malformed.starts(with: good.prefix(1)))
    }

    @Test func `an unavailable responder says tryLater, to garbage as well`() throws {
        for request in [OCSPMessages.request([leafID]), [], [0x30]] {
            #expect(try responder.response(to: request, mode: .unavailable, now: now) == [0x30, 3, 0x0A, 1, 3])
        }
    }

    // MARK: Errors

    /// As they are sent: a sequence of one ENUMERATED.
    private let malformedRequest: [UInt8] = [0x30, 3, 0x0A, 1, 1]
    private let unauthorized: [UInt8] = [0x30, 3, 0x0A, 1, 6]

    private func bytes(_ request: [UInt8]) throws -> [UInt8] {
        try responder.response(to: request, mode: .good, now: now)
    }

    @Test func `a request cut at any length, or with more behind it, is malformed`() throws {
        let request = OCSPMessages.request([leafID], extensions: [OCSPMessages.nonce([7, 7, 7, 7])])
        #expect(try OCSPAnswer(bytes(request)).status == 0)
        for length in request.indices {
            #expect(try bytes(Array(request.prefix(length))) == malformedRequest, "cut at \(length)")
        }
        #expect(try bytes(request + [0]) == malformedRequest)
    }

    @Test func `a request longer than the limit is malformed, and one of just that length is answered`() throws {
        // A client's name of the length that is wanted.
        func request(nameBytes count: Int) -> [UInt8] {
            let name = OCSPMessages.element(0xA1, OCSPMessages.element(0x86, Array(repeating: 0x61, count: count)))
            let list = OCSPMessages.element(0x30, OCSPMessages.element(0x30, leafID))
            return OCSPMessages.element(0x30, OCSPMessages.element(0x30, name, list))
        }
        let around = request(nameBytes: 1000).count - 1000
        let longest = request(nameBytes: OCSPResponder.requestBytesMax - around)
        #expect(longest.count == OCSPResponder.requestBytesMax)
        #expect(try OCSPAnswer(bytes(longest)).status == 0)
        #expect(try bytes(request(nameBytes: OCSPResponder.requestBytesMax - around + 1)) == malformedRequest)
    }

    @Test func `certificates of unknown issuers only are not answered`() throws {
        let stranger = try CertificateAuthority()
        for hash in OCSPMessages.Hash.allCases {
            let id = try OCSPMessages.certificateID(stranger.leaf, issuer: stranger.intermediate, hash)
            #expect(try bytes(OCSPMessages.request([id])) == unauthorized)
            for mode in OCSPMode.allCases where mode != .unavailable {
                #expect(
                    try responder.response(to: OCSPMessages.request([id]), mode: mode, now: now) == unauthorized,
                    "\(mode)")
            }
        }
    }

    @Test func `an issuer is found by name and key together`() throws {
        let stranger = try CertificateAuthority.appStore(
            root: CertificateAuthority(), ocspURL: "http://127.0.0.1:7430/ocsp")
        // The same names, other keys.
        #expect(stranger.intermediate.subject == authority.intermediate.subject)
        let id = try OCSPMessages.certificateID(authority.leaf, issuer: stranger.intermediate, .sha256)
        #expect(try bytes(OCSPMessages.request([id])) == unauthorized)
        let key = try #require(authority.intermediate.publicKey)
        let hash = OCSPMessages.Hash.sha256
        let nameless = OCSPMessages.certificateID(
            hash, hash([]), hash(Array(key.x963Representation)), serialNumber: [1])
        #expect(try bytes(OCSPMessages.request([nameless])) == unauthorized)
    }

    @Test func `extensions that are critical and unknown are refused, others passed over`() throws {
        let identifier: [UInt8] = [0x06, 9, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x04]
        let value = OCSPMessages.element(0x04, [0x30, 0])
        let plain = OCSPMessages.element(0x30, identifier, value)
        let critical = OCSPMessages.element(0x30, identifier, [0x01, 1, 0xFF], value)
        #expect(try OCSPAnswer(bytes(OCSPMessages.request([leafID], extensions: [plain]))).status == 0)
        #expect(try bytes(OCSPMessages.request([leafID], extensions: [critical])) == malformedRequest)
        // Of one certificate's.
        for (extended, isAnswered) in [(plain, true), (critical, false)] {
            let single = OCSPMessages.element(
                0x30, leafID, OCSPMessages.element(0xA0, OCSPMessages.element(0x30, extended)))
            let request = OCSPMessages.element(0x30, OCSPMessages.element(0x30, OCSPMessages.element(0x30, single)))
            #expect(try OCSPAnswer(bytes(request)).status == (isAnswered ? 0 : 1))
        }
    }

    @Test func `a nonce of no bytes, of too many, twice, or not in its type is refused`() throws {
        let wrong = OCSPMessages.element(
            0x30, OCSPMessages.nonceIdentifier, OCSPMessages.element(0x04, [0x02, 1, 1]))
        for extensions in [
            [OCSPMessages.nonce([])], [OCSPMessages.nonce(Array(repeating: 1, count: 129))],
            [OCSPMessages.nonce([1]), OCSPMessages.nonce([1])], [wrong],
        ] {
            #expect(try bytes(OCSPMessages.request([leafID], extensions: extensions)) == malformedRequest)
        }
    }

    @Test func `a request of no certificates, of too many, or of another version is refused`() throws {
        #expect(try bytes(OCSPMessages.request([])) == malformedRequest)
        let most = Array(repeating: leafID, count: OCSPRequest.certificatesMax)
        #expect(try OCSPAnswer(bytes(OCSPMessages.request(most))).responses.count == OCSPRequest.certificatesMax)
        #expect(try bytes(OCSPMessages.request(most + [leafID])) == malformedRequest)
        let list = OCSPMessages.element(0x30, OCSPMessages.element(0x30, leafID))
        for (version, status) in [(0, 0), (1, 1)] {
            let number = OCSPMessages.element(0xA0, [0x02, 1, UInt8(version)])
            let request = OCSPMessages.element(0x30, OCSPMessages.element(0x30, number, list))
            #expect(try OCSPAnswer(bytes(request)).status == status)
        }
    }

    @Test func `a client's name and signature are passed over`() throws {
        let name = OCSPMessages.element(0xA1, OCSPMessages.element(0x86, Array("client".utf8)))
        let list = OCSPMessages.element(0x30, OCSPMessages.element(0x30, leafID))
        let signature = OCSPMessages.element(0xA0, OCSPMessages.element(0x30, [0x05, 0]))
        let request = OCSPMessages.element(0x30, OCSPMessages.element(0x30, name, list), signature)
        #expect(try OCSPAnswer(bytes(request)).responses.map(\.status) == [.good])
    }

    @Test func `noise is malformed, and nested as deep as bytes allow, too`() throws {
        var random = SplitMix64.seeded()
        for _ in 0..<2000 {
            let count = Int.random(in: 0...300, using: &random)
            #expect(
                try bytes((0..<count).map { _ in .random(in: 0...255, using: &random) }) == malformedRequest)
            let noise = DERTree.noise(depth: 6, &random).bytes
            #expect(try bytes(noise) == malformedRequest, "\(noise)")
        }
        let deep = OCSPResponder.requestBytesMax
        #expect(try bytes(Array(repeating: 0x30, count: deep)) == malformedRequest)
        #expect(try bytes((0..<deep).map { $0 % 2 == 0 ? 0x30 : 0x80 }) == malformedRequest)
    }

    @Test func `elements left out, doubled, moved or exchanged never crash, and every answer is signed`() throws {
        var random = SplitMix64.seeded()
        let id = try OCSPMessages.certificateID(authority.intermediate, issuer: authority.root, .sha1)
        let request = OCSPMessages.request([leafID, id], extensions: [OCSPMessages.nonce([1, 2, 3, 4])])
        let tree = try #require(DERTree(request))
        #expect(tree.bytes == request)
        var answered = 0
        for _ in 0..<4000 {
            var changed = tree
            for _ in 0...Int.random(in: 0...3, using: &random) { changed.mutate(&random) }
            let response = try bytes(changed.bytes)
            guard response != malformedRequest, response != unauthorized else { continue }
            let answer = try OCSPAnswer(response)
            #expect(answer.status == 0 && !answer.responses.isEmpty, "\(changed.bytes)")
            answered += 1
        }
        #expect(answered > 0)
    }

    // MARK: OpenSSL

    @Test func `OpenSSL believes what is good, and nothing that is stale or by a wrong signer`() throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") else { return }
        let directory = try TemporaryDirectory()
        for (name, certificate) in zip(["leaf", "intermediate", "root"], authority.chain) {
            let pem = certificate.pem + "\n"
            try pem.write(toFile: directory.file(name), atomically: true, encoding: .utf8)
        }
        for (certificate, issuer) in [("leaf", "intermediate"), ("intermediate", "root")] {
            let asked = ["ocsp", "-sha256", "-issuer", directory.file(issuer), "-cert", directory.file(certificate)]
            let request = directory.file("request")
            #expect(try openssl(asked + ["-reqout", request]).status == 0)
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: request)))
            for (mode, isBelieved) in [
                (OCSPMode.good, true), (.revoked, false), (.unknown, false), (.stale, false), (.wrongSigner, false),
                (.malformed, false), (.unavailable, false),
            ] {
                // OpenSSL compares with this machine's clock.
                let response = try responder.response(to: bytes, mode: mode, now: .wallClock())
                try Data(response).write(to: URL(fileURLWithPath: directory.file("response")))
                // No nonce is added to the request's own, which is compared.
                let said = try openssl(
                    asked + [
                        "-no_nonce", "-reqin", request, "-respin", directory.file("response"), "-CAfile",
                        directory.file("root"),
                        "-verify_other", directory.file("intermediate"),
                    ])
                let isGood =
                    said.status == 0 && said.text.contains("Response verify OK")
                    && said.text.contains("\(directory.file(certificate)): good") && !said.text.contains("WARNING")
                #expect(isGood == isBelieved, "\(certificate), \(mode): \(said)")
            }
        }
    }

    private func openssl(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
