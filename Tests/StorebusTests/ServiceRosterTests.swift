import StoreModels
import Storebus
import Testing

@Suite struct ServiceRosterTests {
    private func roster(_ environment: [String: String] = [:], wantsSample: Bool = true) -> ServiceRoster {
        ServiceRoster(
            settings: .init(
                directory: DataDirectory("/data"), host: "127.0.0.1", port: .auto, busPort: .fixed(7420),
                wantsSample: wantsSample),
            executableDirectory: "/bin/storebus", environment: environment)
    }

    private func ready(_ service: String, port: Int, monitorPort: Int) throws -> ReadyFile {
        try StoreJSON.decode(
            ReadyFile.self,
            from: Array(#"{"service":"\#(service)","pid":1,"port":\#(port),"monitorPort":\#(monitorPort)}"#.utf8))
    }

    @Test func `every service of the store is in the roster, with the broker`() {
        #expect(Set(ServiceRoster.services) == Set(ServiceName.allCases.map(\.rawValue)).union(["broker"]))
    }

    @Test func `a broker that is started again gets the port it had, though it was free to choose`() throws {
        let ports = ["broker": try ready("broker", port: 41000, monitorPort: 41001)]
        let arguments = roster().launch("broker", ports: ports).arguments.joined(separator: " ")
        #expect(arguments.contains("--port 41000"))
        #expect(arguments.contains("--monitor-port 41001"))
        #expect(arguments.contains("--token-file /data/bus.token"))
    }

    @Test func `services are told the bus and where its token is, never the token`() throws {
        let ports = ["broker": try ready("broker", port: 41000, monitorPort: 41001)]
        let launch = roster().launch("catalog", ports: ports)
        #expect(launch.executable == "/bin/storebus/catalog")
        #expect(launch.environment["BUS_URL"] == "storebus://127.0.0.1:41000")
        #expect(launch.environment["BUS_CREDENTIALS_FILE"] == "/data/bus.token")
        #expect(launch.arguments.contains("--sample"))
        #expect(!roster(wantsSample: false).launch("catalog", ports: ports).arguments.contains("--sample"))
    }

    @Test func `only the gateway learns the admin key`() throws {
        let given = roster(["STOREBUS_ADMIN_KEY": "mine"])
        #expect(given.launch("gateway", ports: [:]).environment["STOREBUS_ADMIN_KEY"] == "mine")
        #expect(given.launch("catalog", ports: [:]).environment["STOREBUS_ADMIN_KEY"] == nil)
        let made = roster().launch("gateway", ports: [:]).environment
        #expect(made["STOREBUS_ADMIN_KEY_FILE"] == "/data/admin.key")
    }
}
