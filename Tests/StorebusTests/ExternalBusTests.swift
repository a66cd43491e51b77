import Testing

@testable import Storebus

@Suite struct ExternalBusTests {
    private func settings(_ bus: ExternalBus?) -> ServiceList.Settings {
        ServiceList.Settings(
            directory: DataDirectory("/data"), host: "127.0.0.1", port: .auto, busPort: .auto, wantsSample: false,
            bus: bus)
    }

    private func serviceList(_ bus: ExternalBus?, _ environment: [String: String]) -> ServiceList {
        ServiceList(settings: settings(bus), executableDirectory: "/bin", environment: environment)
    }

    @Test func `the flag goes before the variable, and neither means a broker of the store's own`() throws {
        let variables = ["BUS_URL": "nats://a,b"]
        #expect(try ExternalBus.find(flag: "storebus://h:1", variables)?.url == "storebus://h:1")
        #expect(try ExternalBus.find(flag: nil, variables)?.origin == "BUS_URL")
        #expect(try ExternalBus.find(flag: nil, ["BUS_URL": ""]) == nil)
        #expect(try ExternalBus.find(flag: nil, [:]) == nil)
    }

    @Test func `a secret is no argument, and is never shown`() throws {
        let bus = try #require(try ExternalBus.find(flag: nil, ["BUS_URL": "nats://user:se@cret@a,b:1"]))
        #expect(bus.location == "nats://a,b:1")
        let error = #expect(throws: CLIError.self) { try ExternalBus.find(flag: "nats://secret@a", [:]) }
        #expect(error?.status == .usage)
        #expect(error?.message.contains("secret@") == false)
        for text in ["http://a", "nats://", "a:4222"] {
            #expect(throws: CLIError.self) { try ExternalBus(text, origin: "BUS_URL") }
        }
    }

    @Test(arguments: ["tls://bus.example:7420", "nats+tls://a,b"])
    func `a bus with TLS is joined with the files of the environment`(url: String) throws {
        let joined = serviceList(try ExternalBus(url, origin: "--bus-url"), ["BUS_TLS_CA": "/tls/ca.pem"])
        let catalog = joined.launch("catalog", ports: [:]).environment
        #expect(catalog["BUS_URL"] == url && catalog["BUS_TLS_CA"] == "/tls/ca.pem")
    }

    @Test func `the store's own broker is on loopback, without the files of a bus with TLS`() throws {
        let variables = ["BUS_TLS_CA": "/tls/ca.pem", "BUS_TLS_CERT": "/tls/me.pem", "BUS_TLS_KEY": "/tls/me.key"]
        for service in ["broker", "catalog"] {
            let environment = serviceList(nil, variables).launch(service, ports: [:]).environment
            #expect(environment.keys.allSatisfy { !$0.hasPrefix("BUS_TLS_") })
        }
    }

    @Test func `on an external bus no broker is started, and its credentials are the caller's`() throws {
        let bus = try ExternalBus("nats://token@a,b", origin: "BUS_URL")
        let joined = serviceList(bus, ["BUS_CREDENTIALS_FILE": "/secrets/nats"])
        #expect(!joined.instances.contains { $0.service == ServiceList.broker })
        let catalog = joined.launch("catalog", ports: [:])
        #expect(catalog.environment["BUS_URL"] == "nats://token@a,b")
        #expect(catalog.environment["BUS_CREDENTIALS_FILE"] == "/secrets/nats")
        #expect(!catalog.arguments.joined(separator: " ").contains("token"))
        #expect(serviceList(nil, [:]).instances.contains { $0.service == ServiceList.broker })
    }
}
