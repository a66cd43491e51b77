import Foundation
import StorebusTesting
import Testing

@testable import EventLoop

/// Goal: the pump between bytes and OpenSSL, and what it says of certificates. Method: two sessions in memory, whose
/// records are handed over in pieces of a test's choice.
@Suite struct TLSSessionTests {
    /// A client and a server session.
    private final class Pair {
        let client: TLSSession
        let server: TLSSession

        convenience init(
            client: TLSFiles, server: TLSFiles, name: String = "localhost", plainAnswer: [UInt8] = []
        ) throws(TLSError) {
            try self.init(client: client, try TLSContext(.server, server), name: name, plainAnswer: plainAnswer)
        }

        init(
            client: TLSFiles, _ server: TLSContext, name: String = "localhost", plainAnswer: [UInt8] = []
        ) throws(TLSError) {
            self.client = try TLSSession(try TLSContext(.client, client), peerName: name)
            self.server = try TLSSession(server, plainAnswer: plainAnswer)
        }

        /// Hands over records, in pieces of at most `size`, until neither side has any. Returns the first failure of
        /// each side.
        func exchange(size: Int = 1 << 20) -> (client: TLSError?, server: TLSError?) {
            while client.hasOutput || server.hasOutput {
                move(from: client, to: server, size)
                move(from: server, to: client, size)
            }
            return (client.failure, server.failure)
        }

        private func move(from: TLSSession, to: TLSSession, _ size: Int) {
            try? from.seal()
            from.takeRecords { records in
                var rest = records[...]
                while !rest.isEmpty {
                    try? to.receive(UnsafeRawBufferPointer(rebasing: rest.prefix(size)))
                    rest = rest.dropFirst(size)
                }
            }
            // Alerts and the peer's end are found by reading.
            if to.isEstablished { received[ObjectIdentifier(to), default: []] += read(to) }
        }

        private var received: [ObjectIdentifier: [UInt8]] = [:]

        func received(by session: TLSSession) -> [UInt8] { received[ObjectIdentifier(session)] ?? [] }

        private func read(_ session: TLSSession) -> [UInt8] {
            var all: [UInt8] = []
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
            defer { buffer.deallocate() }
            while let count = try? session.read(into: buffer), count > 0 { all += buffer[..<count] }
            return all
        }
    }

    private static func write(_ bytes: [UInt8], to session: TLSSession) {
        bytes.withUnsafeBytes { session.write($0) }
    }

    private let authority: TestAuthority
    private let identity: TestAuthority.Identity

    init() throws {
        authority = try TestAuthority()
        identity = try authority.identity("server")
    }

    private var trusting: TLSFiles { TLSFiles(authorities: authority.certificate) }

    private func files(_ identity: TestAuthority.Identity, _ authorities: String? = nil) -> TLSFiles {
        TLSFiles(authorities: authorities, certificate: identity.certificate, key: identity.key)
    }

    @Test(arguments: [1, 7, 1400, 1 << 20])
    func `plaintext written before and after the handshake arrives, in pieces of any size`(size: Int) throws {
        let pair = try Pair(client: trusting, server: files(identity))
        Self.write(Array("hello".utf8), to: pair.server)
        #expect(pair.server.waitingBytes == 5 && !pair.server.hasOutput, "it waits for the client's hello")
        #expect(pair.exchange(size: size) == (nil, nil))
        #expect(pair.client.isEstablished && pair.server.isEstablished && pair.server.waitingBytes == 0)
        #expect(pair.received(by: pair.client) == Array("hello".utf8))
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8)) }
        Self.write(body, to: pair.client)
        #expect(pair.exchange(size: size) == (nil, nil))
        #expect(pair.received(by: pair.server) == body)
    }

    @Test func `a large output is sealed in pieces, so that the loop serves others between them`() throws {
        let pair = try Pair(client: trusting, server: files(identity))
        _ = pair.exchange()
        let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ ($0 >> 9)) }
        Self.write(body, to: pair.client)
        try pair.client.seal()
        #expect(pair.client.waitingBytes == body.count - TLSSession.sealBytes && pair.client.hasOutput)
        #expect(pair.exchange() == (nil, nil))
        #expect(pair.received(by: pair.server) == body)
    }

    @Test func `finishing says so to the peer, after all plaintext`() throws {
        let pair = try Pair(client: trusting, server: files(identity))
        _ = pair.exchange()
        Self.write([1, 2], to: pair.client)
        pair.client.finish()
        #expect(pair.client.waitingBytes == 2, "not before it is sealed")
        try pair.client.seal()
        pair.client.finish()
        #expect(pair.exchange() == (nil, nil))
        #expect(pair.received(by: pair.server) == [1, 2] && pair.server.peerHasFinished)
    }

    @Test(arguments: ["localhost", "127.0.0.1", "::1"])
    func `a name and an address are found among the certificate's`(name: String) throws {
        let identity = try authority.identity("server", names: ["localhost", "127.0.0.1", "::1"])
        #expect(try Pair(client: trusting, server: files(identity), name: name).exchange() == (nil, nil))
    }

    @Test(arguments: ["b.example", "127.0.0.2", "a.example.org"])
    func `a certificate for another name is refused, with both names`(name: String) throws {
        let identity = try authority.identity("server", names: ["a.example", "127.0.0.1"])
        let (client, server) = try Pair(client: trusting, server: files(identity), name: name).exchange()
        #expect(client == .wrongName(wanted: name, names: "a.example, 127.0.0.1"))
        #expect(client?.description == "the certificate is for a.example, 127.0.0.1, not for \(name)")
        guard case .certificateRefused = server else {
            Issue.record("\(String(describing: server))")
            return
        }
    }

    @Test func `an expired certificate is refused, with its date`() throws {
        let identity = try authority.identity("server", days: -9 ... -2)
        let (client, server) = try Pair(client: trusting, server: files(identity)).exchange()
        guard case .expired("localhost, 127.0.0.1", let date) = client, case .certificateRefused = server else {
            Issue.record("\(String(describing: client)), \(String(describing: server))")
            return
        }
        #expect(date.hasSuffix("GMT"))
    }

    @Test func `a certificate that is not valid yet is refused`() throws {
        let identity = try authority.identity("server", days: 2...9)
        guard case .notYetValid = try Pair(client: trusting, server: files(identity)).exchange().client else {
            Issue.record("it was accepted, or refused otherwise")
            return
        }
    }

    @Test func `a certificate of a foreign authority is refused, with the authority's name`() throws {
        let foreign = try TestAuthority("Somebody Else")
        let theirs = files(try foreign.identity("server"))
        try withExtendedLifetime(foreign) {
            let pair = try Pair(client: trusting, server: theirs)
            #expect(pair.exchange().client == .unknownIssuer("CN = Somebody Else"))
        }
        // Without a file the system's authorities count, and none of them is a test's.
        #expect(
            try Pair(client: TLSFiles(), server: files(identity)).exchange().client == .unknownIssuer(authority.name))
    }

    @Test func `the peer's own certificate is an authority, too`() throws {
        var pinned = TLSFiles(authorities: identity.certificate)
        pinned.checksName = false
        #expect(try Pair(client: pinned, server: files(identity), name: "elsewhere").exchange() == (nil, nil))
    }

    @Test func `a server with authorities asks for a certificate of theirs`() throws {
        let server = files(identity, authority.certificate)
        let (client, refused) = try Pair(client: trusting, server: server).exchange()
        #expect(client == .certificateRequired && refused == .certificateRequired)
        let mine = files(try authority.identity("client", names: ["client"]), authority.certificate)
        #expect(try Pair(client: mine, server: server).exchange() == (nil, nil))
        let foreign = try TestAuthority("Somebody Else")
        let theirs = files(try foreign.identity("client"), authority.certificate)
        let (told, found) = try withExtendedLifetime(foreign) {
            try Pair(client: theirs, server: server).exchange()
        }
        guard case .certificateRefused = told else {
            Issue.record("\(String(describing: told))")
            return
        }
        #expect(found == .unknownIssuer("CN = Somebody Else"))
    }

    @Test func `bytes that are no TLS are answered in the clear, and never with what was written`() throws {
        let pair = try Pair(client: trusting, server: files(identity), plainAnswer: [9, 9])
        Self.write(Array("hello".utf8), to: pair.server)
        for greeting in [[0, 0, 0, 60], Array("GET /".utf8)] as [[UInt8]] {
            let server = try TLSSession(try TLSContext(.server, files(identity)), plainAnswer: [9, 9])
            Self.write(Array("hello".utf8), to: server)
            let error = #expect(throws: TLSError.self) { try greeting.withUnsafeBytes { try server.receive($0) } }
            #expect(error == .notTLS && server.waitingBytes == 0)
            var sent: [UInt8] = []
            server.takeRecords { sent += $0 }
            #expect(sent == [9, 9])
        }
        #expect(throws: TLSError.notTLS) { try [UInt8(0), 0, 0].withUnsafeBytes { try pair.client.receive($0) } }
    }

    @Test func `a server that closes before the client said anything gives the same answer`() throws {
        let server = try TLSSession(try TLSContext(.server, files(identity)), plainAnswer: [9, 9])
        Self.write(Array("hello".utf8), to: server)
        server.finish()
        var sent: [UInt8] = []
        server.takeRecords { sent += $0 }
        #expect(sent == [9, 9] && server.waitingBytes == 0)
    }

    @Test func `a record that was changed on the way ends the session`() throws {
        let pair = try Pair(client: trusting, server: files(identity))
        _ = pair.exchange()
        Self.write([1, 2, 3], to: pair.client)
        try pair.client.seal()
        var records: [UInt8] = []
        pair.client.takeRecords { records += $0 }
        try #require(!records.isEmpty)
        records[records.count - 1] ^= 1
        try records.withUnsafeBytes { try pair.server.receive($0) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { buffer.deallocate() }
        #expect(throws: TLSError.self) { try pair.server.read(into: buffer) }
        #expect(try pair.server.read(into: buffer) == 0, "nothing is read after a failure")
    }

    /// The content of a file in PEM.
    private static func der(_ path: String) throws -> [UInt8] {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        return Array(try #require(Data(base64Encoded: lines.filter { !$0.hasPrefix("-----") }.joined())))
    }

    @Test func `a server's certificates and key may come from memory`() throws {
        let (own, key) = (try Self.der(identity.certificate), try Self.der(identity.key))
        for chain in [[own], [own, try Self.der(authority.certificate)]] {
            let pair = try Pair(client: trusting, try TLSContext(chain: chain, key: key))
            #expect(pair.exchange() == (nil, nil))
            #expect(pair.client.isEstablished && pair.server.isEstablished)
        }
        let other = try Self.der(try authority.identity("other").key)
        let cases: [([[UInt8]], [UInt8], String)] = [
            ([own], other, "the private key"), ([own], [1, 2, 3], "the private key"),
            ([[1, 2, 3]], key, "certificate 1 of the chain"), ([own, [9, 9]], key, "certificate 2 of the chain"),
        ]
        for (chain, key, words) in cases {
            let error = #expect(throws: TLSError.self) { try TLSContext(chain: chain, key: key) }
            #expect(error?.description.contains(words) == true)
        }
    }

    @Test func `a file that cannot be used is named`() throws {
        let directory = try TemporaryDirectory()
        let (none, text) = (directory.file("none.pem"), identity.key)
        let other = try authority.identity("other")
        let cases: [(TLSFiles, TLSFiles.Kind, String, String)] = [
            (TLSFiles(authorities: none), .authorities, none, "does not exist"),
            (TLSFiles(authorities: text), .authorities, text, "has no certificate in PEM"),
            (TLSFiles(certificate: none, key: text), .certificate, none, "does not exist"),
            (TLSFiles(certificate: text, key: text), .certificate, text, "has no certificate in PEM"),
            (
                TLSFiles(certificate: identity.certificate, key: identity.certificate), .key, identity.certificate,
                "has no private key"
            ),
            (TLSFiles(certificate: identity.certificate, key: other.key), .key, other.key, "does not belong"),
            (TLSFiles(certificate: identity.certificate), .certificate, identity.certificate, "no file of the key"),
            (TLSFiles(key: text), .key, text, "no file of the certificate"),
        ]
        for (files, kind, path, words) in cases {
            let error = #expect(throws: TLSError.self) { try TLSContext(.client, files) }
            guard case .file(kind, path, let problem) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(problem.contains(words))
        }
    }
}
