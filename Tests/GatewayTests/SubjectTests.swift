import HTTPTypes
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway
@testable import GatewayEdge

/// S13: what clients write is data. Whatever a path, a query, a header or a body says, the gateway publishes and
/// subscribes to the same subjects. The requests are made from the routes and `openapi.json`, so a new route gets them,
/// too.
@Suite(.slow) struct SubjectTests {
    /// Each has the word `canary`, which no subject of the gateway's own has.
    private static let texts = [
        "canary.b", "canary.*", "canary.>", "$SYS.canary", "_INBOX.canary.1", "canary\r\nPUB sb.canary",
        "canary\u{0}", "canary \u{E9}\u{1F600}", String(repeating: "canary.", count: 1500),
    ]

    private func token(
        _ route: Route, _ store: GatewayHarness, app: String, server: String, serverAPI: String
    ) -> String? {
        switch route.access {
        case .admin: Sample.adminKey
        case .server: server
        case .serverAPI: serverAPI
        case .app, .appOrStore, .appOrServer: app
        case .open, .named, .console: nil
        }
    }

    /// The values with one text in place of another, each text once.
    private func replacing(_ value: JSONValue, with text: String) -> [JSONValue] {
        switch value {
        case .string: [.string(text)]
        case .array(let values):
            values.indices.flatMap { index in
                replacing(values[index], with: text).map { one in
                    var changed = values
                    changed[index] = one
                    return .array(changed)
                }
            }
        case .object(let members):
            members.keys.sorted().flatMap { name in
                replacing(members[name] ?? .null, with: text).map { .object(members.merging([name: $0]) { $1 }) }
            }
        default: []
        }
    }

    private func example(_ route: Route, _ document: OpenAPIDocument) -> JSONValue? {
        document.operations["\(route.method.rawValue) \(route.path)"]?.example
    }

    @Test func `no text of a client's changes the subjects (S13)`() async throws {
        let document = try OpenAPIDocument()
        try await GatewayHarness.run { store in
            let (app, server) = (try await store.session(), try await store.apiKey())
            let serverAPI = try await store.serverToken().text()
            // Streams wait for events, and so does the operator's wait; none ends by itself.
            let endless = ["/v1/transactions/stream", "/admin/v1/events/wait", "/admin/v1/events/stream"]
            for route in store.gateway.routes where route.isBuilt && !endless.contains(route.path) {
                let token = token(route, store, app: app, server: server, serverAPI: serverAPI)
                let example = example(route, document)
                for text in Self.texts {
                    let inPath = route.operation.path.parameters.map { ($0, text) }
                    let usual = route.operation.path.parameters.map { ($0, $0 == .bundleId ? Sample.bundleId : "x") }
                    let query = route.query.sorted().map { "\($0)=\(PercentEncoding.encode(text))" }
                    let path = { (values: [(PathParameter, String)]) in
                        route.operation.target(Dictionary(uniqueKeysWithValues: values))
                    }
                    var requests: [(String, JSONValue?)] = [(path(inPath), example)]
                    requests += query.map { ("\(path(usual))?\($0)", example) }
                    requests += (example.map { replacing($0, with: text) } ?? []).map { (path(usual), $0) }
                    for (target, body) in requests {
                        _ = try await store.send(
                            HTTPMethod(rawValue: route.method.rawValue), target, token: token,
                            headers: [("Idempotency-Key", "canary.>"), ("Sb-Actor", "canary")],
                            bytes: try body.map { try StoreJSON.encode($0) })
                    }
                }
            }
            let subjects = Set(store.subjects.all)
            #expect(subjects.count > 60, "requests of nearly every kind were sent")
            // Constant words, and at the end of an event the digest of names.
            let request = #/sb\.[a-z]+\.v1(\.[A-Za-z]+)+|\$SRV\.[A-Z]+(\.[a-z-]+)?/#
            let event = #/sb\.evt\.[a-z]+\.v1(\.[A-Za-z]+)+(\.[0-9a-f]{32})?/#
            for subject in subjects.sorted() {
                let isKnown = subject.wholeMatch(of: request) != nil || subject.wholeMatch(of: event) != nil
                #expect(isKnown && !subject.contains("canary"), "\(subject)")
            }
        }
    }
}
