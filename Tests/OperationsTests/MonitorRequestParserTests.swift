import StorebusTesting
import Testing

@testable import Operations

@Suite struct MonitorRequestParserTests {
    private func parse(_ text: String) -> MonitorRequestParser.Result {
        var parser = MonitorRequestParser()
        return parser.take(Array(text.utf8))
    }

    @Test func `path and query are decoded`() {
        #expect(
            parse("GET /connz?subs=1&state=closed&name=a%20b&flag HTTP/1.1\r\nHost: x\r\n\r\n")
                == .request(
                    MonitorRequest(
                        path: "/connz", query: ["subs": "1", "state": "closed", "name": "a b", "flag": ""])))
        #expect(parse("HEAD /%68ealthz HTTP/1.0\r\n\r\n") == .request(MonitorRequest(path: "/healthz", isHead: true)))
    }

    @Test func `a head in pieces is one head`() {
        let text = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        var parser = MonitorRequestParser()
        for byte in text.dropLast() { #expect(parser.take([byte]) == .incomplete) }
        #expect(parser.take([text[text.count - 1]]) == .request(MonitorRequest(path: "/healthz")))
    }

    @Test(arguments: [
        ("POST / HTTP/1.1\r\n\r\n", 405), ("DELETE /x HTTP/1.1\r\n\r\n", 405), ("GET /\r\n\r\n", 400),
        ("nonsense\r\n\r\n", 400), ("GET x HTTP/1.1\r\n\r\n", 400), ("GET /%zz HTTP/1.1\r\n\r\n", 400),
        ("GET /%f HTTP/1.1\r\n\r\n", 400), ("GET /%ff HTTP/1.1\r\n\r\n", 400), ("GET /?a=%+1 HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/2\r\n\r\n", 400),
    ])
    func `everything else is refused`(text: String, status: Int) {
        guard case .refused(let answer, _) = parse(text) else {
            Issue.record("it was taken")
            return
        }
        #expect(answer == status)
    }

    @Test func `each byte of a slow head is looked at once, but for the last three`() {
        var parser = MonitorRequestParser()
        for count in 1...8000 {
            #expect(parser.take([0x61]) == .incomplete)
            #expect(parser.searched == max(0, count - 3))
        }
        // The empty line may come in parts.
        for byte in [0x0D, 0x0A, 0x0D] as [UInt8] { #expect(parser.take([byte]) == .incomplete) }
        #expect(parser.take([0x0A]) == .refused(status: 400, "no HTTP/1.1 request"))
    }

    @Test func `a head without an end is refused at 8 KiB`() {
        let flood = "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 9000)
        #expect(parse(flood) == .refused(status: 431, "the request's head is too large"))
        #expect(parse(flood + "\r\n\r\n") == .refused(status: 431, "the request's head is too large"))
    }

    @Test func `random bytes never crash it`() {
        var random = SplitMix64.seeded()
        for _ in 0..<2000 {
            var parser = MonitorRequestParser()
            let count = Int.random(in: 0...200, using: &random)
            _ = parser.take((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } + Array("\r\n\r\n".utf8))
        }
    }
}
