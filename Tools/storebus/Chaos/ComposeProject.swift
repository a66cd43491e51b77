import StoreModels

/// A store of `docker compose` that runs, with the containers of its services.
struct ComposeProject: Hashable, Sendable {
    /// A container, as `docker ps` lists it.
    struct Container: Hashable, Sendable {
        /// Of 64 hexadecimal digits.
        var id: String
        var service: String
        /// The replica, counted from 1.
        var number: Int
        /// `running`, `paused`, `exited`, …
        var state: String
        /// Published ports: `127.0.0.1:7430->7430/tcp`.
        var ports: String
    }

    let name: String
    /// In the order of services' names and replicas.
    let containers: [Container]

    /// Services of the compose files that have no part in a purchase, or are the run's own means.
    private static let tools: Set<String> = [
        "secrets", "storebus", "engine", "keeper", busDoor, "prometheus", "grafana",
    ]
    /// Starts killed containers again: deploy/compose.chaos.yml.
    static let keeper = "keeper"
    /// Publishes the bus on this machine: deploy/compose.chaos.yml.
    static let busDoor = "bus-door"
    static let door = "door"
    static let postgres = "postgres"
    /// The beginning of the names of NATS nodes: `nats-1`.
    static let natsPrefix = "nats-"

    /// Services besides those of the bus that a run may hit.
    static let infrastructure = [postgres, door, "nats-1", "nats-2", "nats-3"]

    /// Whether the engine answers for a service, because it is neither on the bus nor published.
    static func isOffTheBus(_ service: String) -> Bool { service != door && !ServiceList.services.contains(service) }

    /// Start of a store that takes every fault.
    static let start =
        "docker compose -f docker-compose.yml -f deploy/compose.chaos.yml up --wait"

    // MARK: Finding it

    /// Arguments of `docker ps` for the lines that ``parse(_:)`` reads.
    static let listing = [
        "ps", "--all", "--no-trunc", "--filter", "label=com.docker.compose.oneoff=False", "--format",
        ["{{.Label \"com.docker.compose.project\"}}", "{{.ID}}", "{{.Label \"com.docker.compose.service\"}}"]
            .joined(separator: "\t") + "\t{{.Label \"com.docker.compose.container-number\"}}\t{{.State}}\t{{.Ports}}",
    ]

    /// Finds the named project, or the only one that runs a store.
    /// - Parameter name: `--project`. Nil for `COMPOSE_PROJECT_NAME`, or else the only one.
    /// - Throws: `serverUnreachable` if the engine or the project does not run, `usage` for one of several.
    static func find(
        _ name: String?, _ docker: DockerCommand, _ environment: CommandEnvironment
    ) async throws(CLIError) -> ComposeProject {
        let listed = await docker.run(listing)
        guard listed.isGood else {
            throw CLIError(
                .serverUnreachable, "docker's engine does not answer: \(listed.lastLine)",
                hints: ["start it, or name it: DOCKER_HOST"])
        }
        return try choose(name ?? environment.variables["COMPOSE_PROJECT_NAME"], among: parse(listed.text))
    }

    static func choose(_ name: String?, among projects: [ComposeProject]) throws(CLIError) -> ComposeProject {
        let running = projects.filter { project in
            project.containers.contains { $0.service == ServiceList.gateway && $0.state != "exited" }
        }
        let names = running.map(\.name).joined(separator: ", ")
        if let name {
            if let project = running.first(where: { $0.name.isExactly(name) }) { return project }
            throw CLIError(
                .serverUnreachable, "no store runs in the compose project \(name)",
                hints: ["start it: \(start)"] + (names.isEmpty ? [] : ["stores run in \(names)"]))
        }
        guard let project = running.first else {
            throw CLIError(.serverUnreachable, "no compose project runs a store", hints: ["start it: \(start)"])
        }
        guard running.count == 1 else {
            throw CLIError(
                .usage, "several compose projects run a store: \(names)",
                hints: ["name one: --project \(project.name), or COMPOSE_PROJECT_NAME"])
        }
        return project
    }

    /// Reads the lines of `docker ps`. Others, such as warnings, are left out.
    static func parse(_ text: String) -> [ComposeProject] {
        var found: [String: [Container]] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard words.count == 6, words[1].utf8.count == 64, let number = Int(words[3]) else { continue }
            found[words[0], default: []].append(
                Container(id: words[1], service: words[2], number: number, state: words[4], ports: words[5]))
        }
        return found.sorted { $0.key < $1.key }.map { name, containers in
            ComposeProject(
                name: name,
                containers: containers.sorted { ($0.service, $0.number) < ($1.service, $1.number) })
        }
    }

    // MARK: What it has

    /// Services that a run may hit, in the order of `storebus up`, then those below and before them.
    var services: [String] {
        let there = Set(containers.map(\.service)).subtracting(Self.tools)
        let known = ServiceList.services + Self.infrastructure
        return known.filter { there.contains($0) } + there.subtracting(known).sorted()
    }

    func containers(of service: String) -> [Container] { containers.filter { $0.service == service } }

    /// Whether a container of the service runs.
    func runs(_ service: String) -> Bool { containers(of: service).contains { $0.state == "running" } }

    /// Whether the bus is a cluster of NATS servers.
    var isOnNATS: Bool { containers.contains { $0.service.hasPrefix(Self.natsPrefix) } }

    /// The address on this machine of a service's port: `127.0.0.1:7430`. Nil if it is not published.
    func published(_ service: String, port: Int) -> String? {
        for container in containers(of: service) {
            for mapping in container.ports.split(separator: ",") {
                let sides = mapping.drop { $0 == " " }.split(separator: ">", maxSplits: 1)
                guard sides.count == 2, sides[1] == "\(port)/tcp", sides[0].hasSuffix("-") else { continue }
                let address = String(sides[0].dropLast())
                // Published on every address is published on this machine, too.
                return address.hasPrefix("0.0.0.0:") ? "127.0.0.1:" + address.dropFirst("0.0.0.0:".count) : address
            }
        }
        return nil
    }
}
