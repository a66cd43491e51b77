import BusClient
import EventLoop
import Testing

@Suite struct BusURLTests {
    @Test(
        arguments: [
            ("storebus://127.0.0.1:7420", "127.0.0.1", 7420, nil),
            ("storebus://broker", "broker", 7420, nil),
            ("storebus://broker/", "broker", 7420, nil),
            ("storebus://secret@broker:1", "broker", 1, "secret"),
            ("storebus://[::1]:65535", "::1", 65535, nil),
            ("storebus://[::1]", "::1", 7420, nil),
        ] as [(String, String, Int, String?)])
    func `it reads host, port and token`(text: String, host: String, port: Int, token: String?) throws {
        let url = try BusURL(parsing: text)
        #expect(url == BusURL(host: host, port: port, token: token))
    }

    @Test(arguments: [
        "", "broker:7420", "http://broker", "nats://broker", "storebus://", "storebus://:7420", "storebus://a:0",
        "storebus://a:65536", "storebus://a:x", "storebus://a:", "storebus://a/b", "storebus://[::1]x",
    ])
    func `it refuses everything else with a sentence`(text: String) {
        let error = #expect(throws: BusError.self) { try BusURL(parsing: text) }
        #expect(error?.code == .invalidURL)
    }

    @Test(arguments: [("tls://se@broker", "tls://broker:7420"), ("tls://[::1]:7", "tls://[::1]:7")])
    func `tls is the same with TLS`(text: String, shown: String) throws {
        let url = try BusURL(parsing: text)
        #expect(url.tls == TLSFiles() && "\(url)" == shown)
    }

    @Test func `its description hides the token`() throws {
        #expect("\(try BusURL(parsing: "storebus://secret@[::1]:7"))" == "storebus://[::1]:7")
    }
}
