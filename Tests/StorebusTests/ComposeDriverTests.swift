import Chaos
import EventLoop
import Testing

@testable import Storebus

/// What the compose driver asks of docker, and what it takes back.
@Suite struct ComposeDriverTests {
    /// An engine whose containers all run, with processes 100, 101, …, and which notes what it is asked.
    private final class Engine: Sendable {
        private let asked = Locked<[[String]]>([])
        let states = Locked<[String: String]>([:])  // keys: identifiers of containers
        let refused: Set<String>

        init(refusing refused: Set<String> = []) { self.refused = refused }

        var docker: DockerCommand {
            DockerCommand { arguments in
                self.asked.withLock { $0.append(arguments) }
                if self.refused.contains(arguments[0]) { return DockerCommand.Output(status: 1, text: "no") }
                switch arguments[0] {
                case "inspect":
                    let lines = arguments.dropFirst(3).enumerated().map { index, id in
                        "\(id)\t\(self.states.withLock { $0[id] } ?? "running")\t\(100 + index)"
                    }
                    return DockerCommand.Output(status: 0, text: lines.joined(separator: "\n"))
                case "exec": return DockerCommand.Output(status: 0, text: "s3cret")
                default: return DockerCommand.Output(status: 0, text: "")
                }
            }
        }

        /// Commands that change something, with the first digit of the container's identifier.
        var changes: [String] {
            asked.withLock { $0 }.filter { !["inspect", "exec"].contains($0[0]) }
                .map { "\($0[0]) \($0.last?.prefix(1) ?? "")" }
        }

        var execs: [[String]] { asked.withLock { $0 }.filter { $0[0] == "exec" } }
    }

    private func driver(
        _ engine: Engine, kills: Bool = true, without service: String? = nil
    ) -> (driver: ComposeDriver, killed: Locked<[Int32]>) {
        let killed = Locked<[Int32]>([])
        let lines = ComposeProjectTests.listed.filter { line in
            service.map { !line.split(separator: "\t").contains(Substring($0)) } ?? true
        }
        let project = ComposeProject.parse(lines.joined(separator: "\n"))[0]
        let driver = ComposeDriver(project, engine.docker) { container in
            if kills { killed.withLock { $0.append(container.pid) } }
            return kills
        }
        return (driver, killed)
    }

    private func fault(_ name: FaultName, _ target: String, number: Int = 1, replica: Int = 0) -> PlannedFault {
        PlannedFault(number: number, name: name, target: target, replica: replica, length: .seconds(1))
    }

    @Test func `a kill hits the process of one replica, and nothing is asked of the engine`() async {
        let engine = Engine()
        let (driver, killed) = driver(engine)
        #expect(await driver.strike(fault(.kill, "gateway", replica: 3)) == 101)
        #expect(killed.withLock { $0 } == [101])
        #expect(engine.changes.isEmpty)
        // Its process has gone; the other one's has not.
        #expect(driver.pids(of: "gateway") == [100, 0])
    }

    @Test func `a process that cannot be signalled is killed by the engine`() async {
        let engine = Engine()
        let (driver, _) = driver(engine, kills: false)
        _ = await driver.strike(fault(.kill, "broker"))
        #expect(engine.changes == ["kill e"])
    }

    @Test func `a pause is ended once`() async {
        let engine = Engine()
        let (driver, _) = driver(engine)
        let pause = fault(.pause, "postgres", number: 4)
        _ = await driver.strike(pause)
        await driver.relieve(pause)
        await driver.relieve(pause)
        await driver.relieveAll()
        #expect(engine.changes == ["pause d", "unpause d"])
    }

    @Test func `a run that is broken off goes on with what is paused and starts what it has struck`() async {
        let engine = Engine()
        let (driver, _) = driver(engine)
        _ = await driver.strike(fault(.pause, "door", number: 1))
        _ = await driver.strike(fault(.kill, "broker", number: 2))
        _ = await driver.strike(fault(.restart, "payment-queue", number: 3))
        await driver.relieveAll()
        #expect(engine.changes.first == "pause c")
        #expect(Set(engine.changes) == ["pause c", "unpause c", "restart f", "start e", "start f"])
        let restarted = engine.changes.firstIndex(of: "restart f")
        let started = engine.changes.firstIndex(of: "start f")
        #expect(restarted.map { restart in started.map { $0 > restart } ?? false } == true)
        await driver.relieveAll()
        #expect(engine.changes.count == 5)
    }

    @Test func `a kill needs the keeper where processes cannot be signalled`() async throws {
        // Processes 100 and 101 of this machine are no containers' of these identifiers.
        try await driver(Engine()).driver.check(.kill, ["broker"])
        let alone = driver(Engine(), without: "keeper").driver
        try await alone.check(.pause, ["broker"])
        let error = await #expect(throws: CLIError.self) { try await alone.check(.kill, ["broker"]) }
        #expect(error?.message.contains("the fault 'kill' needs a way to bring broker back") == true)
        #expect(error?.hints.first?.text.contains("deploy/compose.chaos.yml up --wait") == true)
        #expect(error?.code == .usage)
    }

    @Test func `a service whose containers do not run is refused by name`() async {
        let engine = Engine()
        engine.states.withLock { $0[ComposeProjectTests.id("e")] = "exited" }
        let (driver, _) = driver(engine)
        let error = await #expect(throws: CLIError.self) { try await driver.check(.restart, ["door", "broker"]) }
        #expect(error?.message.contains("'restart' needs a running container of broker") == true)
        #expect(error?.message.contains("project shop") == true)
    }

    @Test func `PostgreSQL is asked itself, a NATS node's container is looked at, and the rest is on the bus`() async {
        let engine = Engine()
        let (driver, _) = driver(engine)
        #expect(await driver.answers("postgres") == true)
        #expect(engine.execs.first?.contains("pg_isready") == true)
        for service in ["payment-queue", "gateway", "broker", "door"] { #expect(await driver.answers(service) == nil) }
        let lines = [
            ComposeProjectTests.line("gateway", "a"), ComposeProjectTests.line("nats-1", "b"),
        ].joined(separator: "\n")
        let nats = ComposeDriver(ComposeProject.parse(lines)[0], engine.docker)
        #expect(await nats.answers("nats-1") == true)
        engine.states.withLock { $0[ComposeProjectTests.id("b")] = "paused" }
        #expect(await nats.answers("nats-1") == false)
    }

    @Test func `states of containers are read line by line`() {
        let states = ComposeDriver.ContainerState.parse("a\trunning\t12\nError: No such object: b\nc\texited\t0")
        #expect(states.map(\.id) == ["a", "c"])
        #expect(states.map(\.pid) == [12, 0])
        #expect(!ComposeDriver.isOnThisMachine(states[1]))
    }

    @Test func `a secret is read from a container that runs`() async {
        let engine = Engine()
        let (driver, _) = driver(engine)
        #expect(await driver.secret("admin.key", of: "gateway") == "s3cret")
        #expect(engine.execs.first?.last == "/var/lib/storebus/secrets/admin.key")
        #expect(await driver.secret("admin.key", of: "catalog") == nil)
        let refusing = ComposeDriver(ComposeProjectTests.project, Engine(refusing: ["exec"]).docker)
        #expect(await refusing.secret("admin.key", of: "gateway") == nil)
    }
}
