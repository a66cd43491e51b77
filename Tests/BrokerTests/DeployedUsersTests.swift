import BusProtocol
import Foundation
import StoreModels
import Testing

@testable import Broker

/// Goal: `deploy/users.json` lets each service do what its code does, and nothing else. The endpoints and who calls
/// them are read from the sources, so that a new call without its permission fails here and not in a deployment.
@Suite struct DeployedUsersTests {
    /// A request subject as `StoreModels` declares it.
    private struct Request: Hashable {
        let service: ServiceName
        let subject: String
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func sources(_ directory: String) throws -> [String] {
        let base = root.appending(path: directory)
        let files = try #require(FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }

    /// Every endpoint under the name that callers use, `CatalogEndpoints.getApp`.
    private static func endpoints() throws -> [String: Request] {
        var endpoints: [String: Request] = [:]
        for text in try sources("Shared/StoreModels") {
            guard let group = text.firstMatch(of: /public enum (\w+Endpoints) \{/)?.output.1 else { continue }
            // Constants that are no endpoints may come before.
            let declaration =
                #/
                public\ static\ (?:let|func)\ (\w+)(?:(?!public\ static)[\s\S])*?
                \(\s*\.(\w+),\ "([A-Za-z.]+)"
                /#
            for match in text.matches(of: declaration) {
                let service = try #require(ServiceName.allCases.first { "\($0)" == match.output.2 })
                endpoints["\(group).\(match.output.1)"] = Request(
                    service: service, subject: "sb.\(service.subjectToken).v1.\(match.output.3)")
            }
        }
        return endpoints
    }

    private static func folder(_ service: ServiceName) -> String {
        "Services/" + service.rawValue.split(separator: "-").map(\.capitalized).joined()
    }

    /// The requests that a service's code sends to other services.
    private static func calls(of service: ServiceName, _ endpoints: [String: Request]) throws -> Set<String> {
        var calls: Set<String> = []
        for text in try sources(folder(service)) {
            for match in text.matches(of: /\w+Endpoints\.\w+/) {
                let request = try #require(endpoints[String(match.output)], "\(match.output) is not declared")
                if request.service != service { calls.insert(request.subject) }
            }
        }
        return calls
    }

    /// The users, with tokens in place of the files that only a deployment has.
    private static func users() throws -> [String: Permissions] {
        let text = try String(contentsOf: root.appending(path: "deploy/users.json"), encoding: .utf8)
        let withTokens = text.replacing("\"tokenFile\"", with: "\"token\"")
        let users = try UsersFile(json: Array(withTokens.utf8)).users
        return Dictionary(uniqueKeysWithValues: users.map { ($0.name, $0.permissions) })
    }

    @Test func `each service may send the requests that its code sends, and no others`() throws {
        let (users, endpoints) = (try Self.users(), try Self.endpoints())
        #expect(
            endpoints.count > 80 && endpoints["CatalogEndpoints.getApp"]?.subject == CatalogEndpoints.getApp.subject)
        for service in ServiceName.allCases {
            let user = try #require(users[service.rawValue])
            let calls = try Self.calls(of: service, endpoints)
            let neighbours = Set(endpoints.values.filter { calls.contains($0.subject) }.map(\.service))
            for request in Set(endpoints.values) {
                let mayPublish = user.publishing(to: request.subject.utf8.span) == .allowed
                // The gateway speaks for customers, so it may send all requests of the services it calls.
                let needs = service == .gateway ? neighbours.contains(request.service) : calls.contains(request.subject)
                #expect(mayPublish == needs, "\(service.rawValue) \(request.subject)")
            }
        }
    }

    private typealias CallGraph = [ServiceName: Set<ServiceName>]

    /// Finds services that call each other in a circle. The first one is the last one, too.
    private static func cycle(in graph: CallGraph) -> [ServiceName]? {
        func circle(_ way: [ServiceName]) -> [ServiceName]? {
            for next in (graph[way[way.count - 1]] ?? []).sorted(by: { $0.rawValue < $1.rawValue }) {
                if next == way[0] { return way + [next] }
                if !way.contains(next), let found = circle(way + [next]) { return found }
            }
            return nil
        }
        for service in ServiceName.allCases {
            if let found = circle([service]) { return found }
        }
        return nil
    }

    @Test func `services call each other in one direction`() throws {
        let (users, endpoints) = (try Self.users(), try Self.endpoints())
        var (called, permitted): (CallGraph, CallGraph) = ([:], [:])
        for service in ServiceName.allCases {
            let (user, calls) = (try #require(users[service.rawValue]), try Self.calls(of: service, endpoints))
            for request in Set(endpoints.values) where request.service != service {
                if calls.contains(request.subject) { called[service, default: []].insert(request.service) }
                if user.publishing(to: request.subject.utf8.span) == .allowed {
                    permitted[service, default: []].insert(request.service)
                }
            }
        }
        for (graph, source) in [(called, "the code"), (permitted, "users.json")] {
            #expect(graph[.gateway]?.contains(.appStoreServer) == true, "\(source)")
            #expect(graph[.appStoreServer]?.contains(.paymentQueue) == true, "\(source)")
            let cycle = Self.cycle(in: graph)?.map(\.rawValue).joined(separator: " → ")
            #expect(cycle == nil, "\(source): \(cycle ?? "")")
        }
        let withCycle = called.merging([.catalog: [.appStoreServer]]) { $0.union($1) }
        #expect(Self.cycle(in: withCycle)?.count ?? 0 >= 3, "a cycle is found")
    }

    @Test func `each service may serve its own requests, in the queue group only`() throws {
        let (users, endpoints) = (try Self.users(), try Self.endpoints())
        for service in ServiceName.allCases {
            let user = try #require(users[service.rawValue])
            for request in Set(endpoints.values) {
                let refusal = user.refusal(
                    of: try SubjectPattern(request.subject), queue: try QueueName("q"), isOwnInbox: false)
                #expect((refusal == nil) == (request.service == service), "\(service.rawValue) \(request.subject)")
            }
        }
    }

    @Test func `each service publishes its own events, and subscribes to those it acts on`() throws {
        let users = try Self.users()
        let events: [(subject: String, from: ServiceName, heardBy: [ServiceName])] = [
            (PaymentEvents.customerChanged(key: "k"), .paymentQueue, [.gateway]),
            (PromotionEvents.intentsChanged(key: "k"), .promotionController, [.gateway]),
            (ProcessorEvents.chargeChanged, .paymentProcessor, [.paymentQueue]),
            (VersionLease.recalled(by: .catalog, holder: "4f"), .catalog, [.gateway, .paymentQueue, .eligibility]),
            (VersionLease.recalled(by: .paymentQueue, holder: "4f"), .paymentQueue, [.gateway]),
            (ServerEventHints.subject, .paymentQueue, [.appStoreServer]),
            ("sb.evt.gateway.v1.session.opened", .gateway, [.gateway]),
        ]
        for event in events {
            for service in ServiceName.allCases {
                let user = try #require(users[service.rawValue])
                #expect((user.publishing(to: event.subject.utf8.span) == .allowed) == (service == event.from))
                let refusal = user.refusal(of: try SubjectPattern(event.subject), queue: nil, isOwnInbox: false)
                #expect((refusal == nil) == event.heardBy.contains(service), "\(service.rawValue) \(event.subject)")
            }
        }
    }

    @Test func `each service can be discovered, and asks for its own health only`() throws {
        let users = try Self.users()
        for service in ServiceName.allCases {
            let (user, name) = (try #require(users[service.rawValue]), service.rawValue)
            for pattern in ["$SRV.PING", "$SRV.INFO.\(name)", "$SRV.HEALTH.\(name).id1"] {
                #expect(user.refusal(of: try SubjectPattern(pattern), queue: nil, isOwnInbox: false) == nil)
            }
            #expect(user.publishing(to: "$SRV.HEALTH.\(name).id1".utf8.span) == .allowed)
            // A service with a database looks who is on the bus before it joins.
            #expect((user.publishing(to: "$SRV.PING".utf8.span) == .allowed) == (service != .eligibility))
            let others = user.publishing(to: "$SRV.HEALTH.another.id1".utf8.span)
            #expect((others == .allowed) == (service == .gateway))
            #expect(user.publishing(to: "$SYS.REQ.VARZ".utf8.span) != .allowed)
        }
    }

    @Test func `the operator watches and asks nothing of a customer's`() throws {
        let operatorUser = try #require(try Self.users()["operator"])
        #expect(operatorUser.publishing(to: "$SYS.REQ.VARZ".utf8.span) == .allowed)
        for pattern in ["$SYS.TAP.sb.>", "$SYS.TAP._INBOX.>"] {
            let tap = try SubjectPattern(pattern)
            #expect(operatorUser.refusal(of: tap, queue: nil, isOwnInbox: false) == nil)
        }
        for request in try Self.endpoints().values {
            #expect(operatorUser.publishing(to: request.subject.utf8.span) != .allowed)
        }
    }
}
