import StorebusTesting
import Testing

@testable import Storebus

/// What `docker ps` says of a store in containers.
@Suite struct ComposeProjectTests {
    /// An identifier of 64 digits.
    static func id(_ digit: Character) -> String { String(repeating: digit, count: 64) }

    static func line(
        _ service: String, _ id: Character, number: Int = 1, state: String = "running", ports: String = "",
        project: String = "shop"
    ) -> String {
        [project, self.id(id), service, "\(number)", state, ports].joined(separator: "\t")
    }

    static let listed = [
        line("gateway", "b", number: 2), line("gateway", "a"), line("door", "c", ports: "127.0.0.1:17430->7430/tcp"),
        line("postgres", "d", ports: "5432/tcp"), line("broker", "e"), line("payment-queue", "f"),
        line("secrets", "0", state: "exited"), line("keeper", "1"), line("engine", "2"),
        line("bus-door", "3", ports: "0.0.0.0:17420->7420/tcp, :::17420->7420/tcp"),
    ]
    static var project: ComposeProject { ComposeProject.parse(listed.joined(separator: "\n"))[0] }

    @Test func `lines of docker ps make a project, with services that can be hit in their order`() {
        let project = Self.project
        #expect(project.name == "shop")
        #expect(project.services == ["broker", "payment-queue", "gateway", "postgres", "door"])
        #expect(project.containers(of: "gateway").map(\.id) == [Self.id("a"), Self.id("b")])
        #expect(project.runs("keeper"))
        #expect(!project.runs("secrets"))
        #expect(!project.isOnNATS)
    }

    @Test func `a service of one's own that the run does not know is last`() {
        let more = (Self.listed + [Self.line("mailer", "9"), Self.line("nats-2", "8")]).joined(separator: "\n")
        let project = ComposeProject.parse(more)[0]
        #expect(project.services.suffix(3) == ["door", "nats-2", "mailer"])
        #expect(project.isOnNATS)
    }

    @Test func `warnings among the lines are left out`() {
        let text = "WARNING: Error loading config file: permission denied\n\n" + Self.listed[0] + "\nshop\tshort\n"
        #expect(ComposeProject.parse(text).flatMap(\.containers).map(\.service) == ["gateway"])
        #expect(ComposeProject.parse("").isEmpty)
    }

    @Test func `published ports are found, and only those`() {
        #expect(Self.project.published("door", port: 7430) == "127.0.0.1:17430")
        #expect(Self.project.published("bus-door", port: 7420) == "127.0.0.1:17420")
        #expect(Self.project.published("postgres", port: 5432) == nil)
        #expect(Self.project.published("door", port: 7421) == nil)
        #expect(Self.project.published("broker", port: 7420) == nil)
    }

    @Test func `the only project that runs a store is the one`() throws {
        let others = [
            Self.line("web", "4", project: "blog"), Self.line("gateway", "5", state: "exited", project: "old"),
        ]
        let projects = ComposeProject.parse((Self.listed + others).joined(separator: "\n"))
        #expect(projects.count == 3)
        #expect(try ComposeProject.choose(nil, among: projects).name == "shop")
        #expect(try ComposeProject.choose("shop", among: projects).name == "shop")
    }

    @Test(
        arguments: [
            (nil, [String](), "no compose project runs a store"),
            ("old", ["shop", "old-copy"], "no store runs in the compose project old"),
            (nil, ["shop", "shop2"], "several compose projects run a store: shop, shop2"),
        ] as [(String?, [String], String)])
    func `a project that cannot be chosen is refused by name`(name: String?, running: [String], message: String) {
        let lines = running.map { Self.line("gateway", "a", project: $0) }.joined(separator: "\n")
        let error = #expect(throws: CLIError.self) {
            try ComposeProject.choose(name, among: ComposeProject.parse(lines))
        }
        #expect(error?.message == message)
        #expect(
            error?.hints.joined(separator: "").text.contains(
                running.count == 2 && name == nil ? "--project shop" : "compose.chaos.yml")
                == true)
    }

    @Test func `an engine that does not answer is named`() async throws {
        let docker = DockerCommand { _ in
            DockerCommand.Output(
                status: 1, text: "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.\n")
        }
        let error = await #expect(throws: CLIError.self) {
            try await ComposeProject.find(nil, docker, CommandEnvironment(console: Recorder().console))
        }
        #expect(error?.message.contains("Cannot connect to the Docker daemon") == true)
        #expect(error?.code == .serverUnreachable)
    }

    @Test func `COMPOSE_PROJECT_NAME names the project`() async throws {
        let text = (Self.listed + [Self.line("gateway", "7", project: "second")]).joined(separator: "\n")
        let docker = DockerCommand { _ in DockerCommand.Output(status: 0, text: text) }
        let environment = CommandEnvironment(
            console: Recorder().console, variables: ["COMPOSE_PROJECT_NAME": "second"])
        #expect(try await ComposeProject.find(nil, docker, environment).name == "second")
        #expect(try await ComposeProject.find("shop", docker, environment).name == "shop")
    }

    @Test func `docker is looked for in PATH`() throws {
        let directory = try TemporaryDirectory()
        let environment = CommandEnvironment(
            console: Recorder().console, variables: ["PATH": "/nowhere:\(directory.path)"])
        let error = #expect(throws: CLIError.self) { try DockerCommand.find(environment) }
        #expect(error?.message.contains("docker, which is not in PATH") == true)
        try FileAccess.write(Array("#!/bin/sh\n".utf8), to: directory.file("docker"), mode: 0o755)
        _ = try DockerCommand.find(environment)
    }

    /// A program in place of docker: its words, its end, and its arguments.
    @Test func `a command's words and status are read`() async throws {
        let directory = try TemporaryDirectory()
        try FileAccess.write(
            Array("#!/bin/sh\necho \"$2 $1\"\necho bad >&2\nexit 3\n".utf8), to: directory.file("docker"), mode: 0o755)
        let docker = try DockerCommand.find(
            CommandEnvironment(console: Recorder().console, variables: ["PATH": "\(directory.path):/usr/bin:/bin"]))
        let output = await docker.run(["one", "two"])
        #expect(output == DockerCommand.Output(status: 3, text: "two one\nbad"))
        #expect(output.lastLine == "bad")
        #expect(!output.isGood)
    }
}
