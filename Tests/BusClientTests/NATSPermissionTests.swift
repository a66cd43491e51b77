import BusClient
import EventLoop
import StorebusTesting
import Testing

@testable import NATSClient

/// Goal: the caller gets an error for what a NATS server forbids its user. Method: a server with users.
@Suite(.timeLimit(.minutes(5)))
struct NATSPermissionTests {
    private static let users = """
        authorization { users: [
          { user: "catalog", password: "pass word", permissions: {
            publish: { deny: "sb.secret.>" }, subscribe: { deny: ["sb.secret.>"] } } }
        ] }
        """

    @Test func `a refused subscription throws, a refused request fails at once, and all else goes on`() async throws {
        let server = try await TemporaryNATS(configuration: Self.users)
        defer { server.stop() }
        let loop = try UVLoop.start(name: "test")
        let url = try NATSURL(parsing: "nats://catalog:pass%20word@127.0.0.1:\(server.port)")
        let client = NATSClient(configuration: .init(url: url, name: "catalog"), loop: loop, logger: silent)
        client.start()
        try await client.waitUntilConnected(timeout: .seconds(10))
        for queue in [nil, "q"] {
            let refused = await #expect(throws: BusError.self) {
                try await client.subscribe("sb.secret.v1.a", queue: queue) { _ in }
            }
            #expect(refused?.code == .permissionDenied)
            #expect(refused?.origin == .broker)
        }
        let request = await #expect(throws: BusError.self) {
            try await client.request("sb.secret.v1.b", timeout: .seconds(120))
        }
        #expect(request?.code == .permissionDenied)
        _ = try await client.subscribe("sb.open", queue: "q") { try? client.respond(to: $0, body: [1]) }
        #expect(try await client.request("sb.open").body == [1])
        await client.close()
        await loop.close()
    }

    @Test(
        arguments: [
            (#"Permissions Violation for Subscription to "sb.a" using queue "q""#, true, "sb.a"),
            (#"Permissions Violation for Subscription to "sb.a""#, true, "sb.a"),
            (#"Permissions Violation for Publish to "sb.b""#, false, "sb.b"),
        ])
    func `the server's sentence tells what was refused`(text: String, isSubscription: Bool, subject: String) throws {
        let refusal = try #require(NATSRefusal(text))
        #expect(refusal.isSubscription == isSubscription)
        #expect(refusal.subject == subject)
        #expect(NATSRefusal("Authorization Violation") == nil)
    }

    @Test func `a user's inbox has the user's name, so that permissions can keep others out`() throws {
        var named = NATSClient.Configuration(url: try NATSURL(parsing: "nats://gateway:@a"), name: "x")
        #expect(named.makeInbox().hasPrefix("_INBOX_gateway."))
        var dotted = NATSClient.Configuration(url: try NATSURL(parsing: "nats://a.b:@a"), name: "x")
        #expect(dotted.makeInbox().hasPrefix("_INBOX."))
        #expect(named.makeInbox() != named.makeInbox())
    }
}
