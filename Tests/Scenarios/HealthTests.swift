import Foundation
import StorebusTesting
import Testing

/// Goal: what a container's health check asks tells the truth. Method: the executables' own `--health`, given what the
/// running instance was given, against real processes that work, hang and are gone.
@Suite(.process) struct HealthTests {
    private static let services = [
        "broker", "catalog", "payment-queue", "payment-processor", "promotion-controller", "eligibility",
        "app-store-server",
        "gateway",
    ]

    @Test func `every process that serves is well, and says so itself`() async throws {
        try await StoreStack.run { store in
            for service in Self.services {
                let probe = try await Probe.run(service, in: store)
                #expect(probe.status == 0, "\(service): \(probe.output)")
                #expect(probe.output.contains(#""status":"pass""#))
            }
        }
    }

    @Test func `a process that hangs is not well, and one that does not run is not ready`() async throws {
        try await StoreStack.run { store in
            try store.signal("catalog", SIGSTOP)
            let hanging = try await Probe.run("catalog", in: store)
            try store.signal("catalog", SIGCONT)
            #expect(hanging.status == 69)
            let gone = try await Probe.run("catalog", in: store, readyFile: store.directory.file("nothing.ready"))
            #expect(gone.status == 69)
            #expect(gone.output.contains("not ready"))
        }
    }

    @Test func `a wrong bus token is refused by its name, with the exit status for it`() async throws {
        try await StoreStack.run { store in
            let token = store.directory.file("wrong.token")
            try "not-the-token".write(toFile: token, atomically: true, encoding: .utf8)
            let probe = try await Probe.run("catalog", in: store, token: token)
            #expect(probe.status == 77)
            #expect(probe.output.contains("BUS_CREDENTIALS_FILE"))
        }
    }
}

/// One run of `<service> --health`.
private struct Probe {
    let status: Int32
    let output: String

    static func run(
        _ service: String, in store: StoreStack, readyFile: String? = nil, token: String? = nil
    ) async throws -> Probe {
        let facts = try JSONDecoder().decode(
            Facts.self, from: Data(contentsOf: URL(fileURLWithPath: store.directory.file("run/up.json"))))
        let token = token ?? store.directory.file("bus.token")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Executables.path(of: service))
        process.arguments = ["--health", "--ready-file", readyFile ?? store.directory.file("run/\(service).1.ready")]
        process.environment = [
            "BUS_URL": facts.busURL, "BUS_CREDENTIALS_FILE": token, "BUS_TOKEN_FILE": token,
        ]
        let output = store.directory.file("\(service).probe")
        try Data().write(to: URL(fileURLWithPath: output))
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: output)
        try process.run()
        try await eventually("\(service) --health ends", within: .seconds(10)) { !process.isRunning }
        return Probe(
            status: process.terminationStatus, output: (try? String(contentsOfFile: output, encoding: .utf8)) ?? "")
    }

    private struct Facts: Decodable {
        let busURL: String
    }
}
