import Cryptography
import Signing
import StoreModels
import Testing

@testable import GatewayEdge

/// The console's tokens as a pure state of key and time.
@Suite struct ConsoleTokenTests {
    private static let key = SymmetricKey(data: [UInt8](repeating: 3, count: 32))
    private static let start = Timestamp(milliseconds: 1_795_600_000_000)
    private let tokens = ConsoleTokens(key: key)

    @Test(arguments: ConsoleTokens.Purpose.allCases)
    func `a token is accepted until its end`(purpose: ConsoleTokens.Purpose) {
        let (token, end) = tokens.issue(purpose, now: Self.start)
        #expect(end == Self.start + (purpose == .session ? .seconds(43_200) : .seconds(60)))
        #expect(tokens.expiry(of: token, as: purpose, now: Self.start) == end)
        #expect(tokens.expiry(of: token, as: purpose, now: end + .milliseconds(-1)) == end)
        #expect(tokens.expiry(of: token, as: purpose, now: end) == nil)
    }

    @Test func `a ticket is no session, and a session no ticket`() {
        for purpose in ConsoleTokens.Purpose.allCases {
            let token = tokens.issue(purpose, now: Self.start).token
            for other in ConsoleTokens.Purpose.allCases {
                #expect((tokens.expiry(of: token, as: other, now: Self.start) != nil) == (other == purpose))
            }
        }
    }

    @Test func `a token that is altered in any character is refused`() {
        let token = Array(tokens.issue(.session, now: Self.start).token.utf8)
        #expect(token.count == 76)
        for index in token.indices {
            for byte in "AQgw_-z0+/=. \"".utf8 where byte != token[index] {
                var altered = token
                altered[index] = byte
                let text = String(decoding: altered, as: UTF8.self)
                #expect(tokens.expiry(of: text, as: .session, now: Self.start) == nil, "\(index)")
            }
            var shorter = token
            shorter.remove(at: index)
            #expect(
                tokens.expiry(of: String(decoding: shorter, as: UTF8.self), as: .session, now: Self.start) == nil)
        }
        let text = String(decoding: token, as: UTF8.self)
        for other in ["", "=", text + "A", "A" + text, text + "=", text + text, String(repeating: "A", count: 76)] {
            #expect(tokens.expiry(of: other, as: .session, now: Self.start) == nil)
        }
    }

    @Test func `every bit of the bytes is authenticated`() throws {
        let bytes = try #require(Base64URL.decode(tokens.issue(.session, now: Self.start).token))
        for index in bytes.indices {
            for bit in 0..<8 {
                var altered = bytes
                altered[index] ^= 1 << bit
                #expect(tokens.expiry(of: Base64URL.encode(altered), as: .session, now: Self.start) == nil)
            }
        }
    }

    @Test func `no two tokens are alike, and each has a CSRF token of its own`() {
        let issued = (0..<100).map { _ in tokens.issue(.session, now: Self.start).token }
        #expect(Set(issued).count == 100)
        let csrf = issued.map(tokens.csrfToken)
        #expect(Set(csrf).count == 100)
        #expect(tokens.isCSRFToken(csrf[0], of: issued[0]))
        for other in [csrf[1], issued[0], "", String(csrf[0].dropLast()), csrf[0] + "AAAA"] {
            #expect(!tokens.isCSRFToken(other, of: issued[0]))
        }
        #expect(tokens.expiry(of: csrf[0], as: .session, now: Self.start) == nil)
    }

    @Test func `another admin key or session key makes other tokens`() {
        let sessionKey = SymmetricKey(data: [UInt8](repeating: 7, count: 32))
        let otherSessionKey = SymmetricKey(data: [UInt8](repeating: 8, count: 32))
        let first = ConsoleTokens(key: AdminKey("the first key").consoleKey(sessionKey: sessionKey))
        let same = ConsoleTokens(key: AdminKey("the first key").consoleKey(sessionKey: sessionKey))
        let token = first.issue(.session, now: Self.start).token
        #expect(same.expiry(of: token, as: .session, now: Self.start) != nil, "any replica accepts it")
        #expect(same.csrfToken(of: token) == first.csrfToken(of: token))
        for (admin, session) in [("the second key", sessionKey), ("the first key", otherSessionKey)] {
            let other = ConsoleTokens(key: AdminKey(admin).consoleKey(sessionKey: session))
            #expect(other.expiry(of: token, as: .session, now: Self.start) == nil)
            #expect(!other.isCSRFToken(first.csrfToken(of: token), of: token))
        }
    }
}
