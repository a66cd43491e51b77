import StoreModels
import Testing

@testable import Storebus

@Suite struct ServiceRosterTests {
    private func serviceList(
        _ environment: [String: String] = [:], wantsSample: Bool = true, replicas: Replicas = Replicas(),
        database: DatabaseAddress? = nil
    ) -> ServiceList {
        ServiceList(
            settings: .init(
                directory: DataDirectory("/data"), host: "127.0.0.1", port: .auto, busPort: .fixed(7420),
                wantsSample: wantsSample, replicas: replicas, database: database),
            executableDirectory: "/bin/storebus", environment: environment)
    }

    private func ready(_ service: String, port: Int, monitorPort: Int) throws -> ReadyFile {
        try StoreJSON.decode(
            ReadyFile.self,
            from: Array(#"{"service":"\#(service)","pid":1,"port":\#(port),"monitorPort":\#(monitorPort)}"#.utf8))
    }

    @Test func `every service of the store is in the serviceList, with the broker`() {
        #expect(Set(ServiceList.services) == Set(ServiceName.allCases.map(\.rawValue)).union(["broker"]))
    }

    @Test func `a broker that is started again gets the port it had, though it was free to choose`() throws {
        let ports = ["broker": try ready("broker", port: 41000, monitorPort: 41001)]
        let arguments = serviceList().launch("broker", ports: ports).arguments.joined(separator: " ")
        #expect(arguments.contains("--port 41000"))
        #expect(arguments.contains("--monitor-port 41001"))
        #expect(arguments.contains("--users-file /data/bus/users.json"))
    }

    @Test func `services get the bus and the place of its token, never the token`() throws {
        let ports = ["broker": try ready("broker", port: 41000, monitorPort: 41001)]
        let launch = serviceList().launch("catalog", ports: ports)
        #expect(launch.executable == "/bin/storebus/catalog")
        #expect(launch.environment["BUS_URL"] == "storebus://127.0.0.1:41000")
        #expect(launch.environment["BUS_CREDENTIALS_FILE"] == "/data/bus/catalog.token")
        #expect(launch.arguments.contains("--sample"))
        #expect(!serviceList(wantsSample: false).launch("catalog", ports: ports).arguments.contains("--sample"))
    }

    @Test func `variables of single services go before all others, and their file reaches none`() throws {
        let serviceList = ServiceList(
            settings: .init(
                directory: DataDirectory("/data"), host: "127.0.0.1", port: .auto, busPort: .fixed(7420),
                wantsSample: false),
            executableDirectory: "/bin/storebus", environment: [ServiceList.additionsVariable: "/x", "A": "1"],
            additions: ["catalog": ["BUS_URL": "storebus://127.0.0.1:9", "A": "2", ServiceList.dataVariable: "/disk"]])
        let ports = ["broker": try ready("broker", port: 41000, monitorPort: 41001)]
        let catalog = serviceList.launch("catalog", ports: ports).environment
        #expect(catalog["BUS_URL"] == "storebus://127.0.0.1:9" && catalog["A"] == "2")
        #expect(serviceList.launch("catalog", ports: ports).arguments.contains("/disk"))
        #expect(!serviceList.launch("gateway", ports: ports).arguments.contains("/disk"))
        let gateway = serviceList.launch("gateway", ports: ports).environment
        #expect(gateway["BUS_URL"] == "storebus://127.0.0.1:41000" && gateway["A"] == "1")
        #expect(gateway[ServiceList.additionsVariable] == nil)
    }

    @Test func `replicas are processes of their own, each with its ready file, log and monitoring`() throws {
        let serviceList = serviceList(
            replicas: try Replicas(["payment-queue=2,eligibility=3", "catalog=2", "gateway=2"]))
        let names = serviceList.instances.map(\.name)
        #expect(
            names == [
                "broker", "catalog", "catalog#2", "payment-queue", "payment-queue#2", "promotion-controller",
                "eligibility", "eligibility#2", "eligibility#3", "payment-processor", "app-store-server", "gateway",
                "gateway#2",
            ])
        #expect(serviceList.plans.map(\.service) == names)
        let second = serviceList.launch("payment-queue#2", ports: [:])
        #expect(second.executable == "/bin/storebus/payment-queue")
        #expect(second.logFile == "/data/logs/payment-queue.2.log")
        let arguments = second.arguments.joined(separator: " ")
        #expect(arguments == "--ready-file /data/run/payment-queue.2.ready --data /data --monitor-port 0")
        // One process has the port that was asked for, and one brings the sample.
        #expect(serviceList.launch("gateway#2", ports: [:]).arguments.joined(separator: " ").contains("--port 0"))
        #expect(!serviceList.launch("catalog#2", ports: [:]).arguments.contains("--sample"))
        let again = ["gateway#2": try ready("gateway", port: 41005, monitorPort: 1)]
        #expect(serviceList.launch("gateway#2", ports: again).arguments.joined(separator: " ").contains("--port 41005"))
    }

    @Test func `services that store get the database, and none by an argument`() throws {
        let url = "postgres://storebus:secret@db/store"
        let serviceList = serviceList(
            ["DATABASE_URL": url, "DATABASE_PASSWORD_FILE": "/secret", "PGPASSFILE": "/pass"],
            database: try DatabaseAddress(url, origin: "DATABASE_URL"))
        for service in Replicas.storing {
            let launch = serviceList.launch(service, ports: [:])
            #expect(launch.environment["DATABASE_URL"] == url)
            #expect(launch.environment["DATABASE_PASSWORD_FILE"] == "/secret")
            #expect(!launch.arguments.joined(separator: " ").contains("postgres"))
        }
        for service in ["broker", "eligibility"] {
            let environment = serviceList.launch(service, ports: [:]).environment
            #expect(environment.keys.allSatisfy { !$0.hasPrefix("DATABASE") && !$0.hasPrefix("PG") })
        }
    }

    @Test func `only the gateway learns the admin key`() throws {
        let given = serviceList(["STOREBUS_ADMIN_KEY": "mine"])
        #expect(given.launch("gateway", ports: [:]).environment["STOREBUS_ADMIN_KEY"] == "mine")
        #expect(given.launch("catalog", ports: [:]).environment["STOREBUS_ADMIN_KEY"] == nil)
        let made = serviceList().launch("gateway", ports: [:]).environment
        #expect(made["STOREBUS_ADMIN_KEY_FILE"] == "/data/admin.key")
    }
}
