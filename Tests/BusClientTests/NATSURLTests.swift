import BusClient
import EventLoop
import NATSClient
import Testing

@Suite struct NATSURLTests {
    @Test(
        arguments: [
            ("nats://a", "nats://a:4222", .none),
            ("nats://a/", "nats://a:4222", .none),
            ("nats://a,b:1,[::1]", "nats://a:4222,b:1,[::1]:4222", .none),
            ("nats://a,nats://b", "nats://a:4222,b:4222", .none),
            ("nats://se%40cret@a,b", "nats://a:4222,b:4222", .token("se@cret")),
            ("nats://gateway:p%3Aw@a", "nats://a:4222", .user("gateway", password: "p:w")),
            ("nats://gateway:@a", "nats://a:4222", .user("gateway", password: "")),
        ] as [(String, String, NATSURL.Credentials)])
    func `it reads servers and credentials, and shows only the servers`(
        text: String, shown: String, credentials: NATSURL.Credentials
    ) throws {
        let url = try NATSURL(parsing: text)
        #expect("\(url)" == shown)
        #expect(url.credentials == credentials)
    }

    @Test(arguments: [
        ("nats+tls://a,b:1", "nats+tls://a:4222,b:1"), ("nats+tls://t@a,nats+tls://b", "nats+tls://a:4222,b:4222"),
    ])
    func `nats+tls is the same with TLS`(text: String, shown: String) throws {
        let url = try NATSURL(parsing: text)
        #expect(url.tls == TLSFiles() && "\(url)" == shown)
    }

    @Test(arguments: [
        "nats+tls://a,nats://b", "nats://a,nats+tls://b", "tls://a",
        "", "a:4222", "storebus://a", "nats://", "nats://a,", "nats://,a", "nats://a:0", "nats://a:x", "nats://a/b",
        "nats://%4@a", "nats://%zz@a", "nats://%ff@a",
    ])
    func `it refuses everything else with a sentence`(text: String) {
        let error = #expect(throws: BusError.self) { try NATSURL(parsing: text) }
        #expect(error?.code == .invalidURL)
    }

    @Test func `a secret of a file is the user's password, or a token without a user`() throws {
        var named = try NATSURL(parsing: "nats://gateway:@a")
        named.add(secret: "x")
        #expect(named.credentials == .user("gateway", password: "x"))
        var unnamed = try NATSURL(parsing: "nats://a")
        unnamed.add(secret: "x")
        #expect(unnamed.credentials == .token("x"))
    }
}
