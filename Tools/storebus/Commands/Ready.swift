import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus ready`
struct ReadyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "ready", "Say whether the store is ready, for health checks and scripts.",
        """
        storebus ready
        storebus ready --wait --timeout 30s

        A store is ready when it completes purchases. Without its payment processor it takes purchases but they \
        wait, so it is not ready. Exits with 0 or 1 only. With --wait, asks until the store is ready, 30s unless \
        --timeout says otherwise.
        """)

    @Flag(help: "Ask again until it is ready.") var wait = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        do throws(CLIError) {
            try await answer()
        } catch {
            // A health check has two results only.
            var error = error
            error.status = .refused
            throw error
        }
    }

    private func answer() async throws(CLIError) {
        let start = ContinuousClock.now
        let timeout = global.timeout?.duration ?? .seconds(30)
        let context = try await find(until: start + timeout)
        let body = try await context.progress.during("waiting for \(context.api.url)") { () throws(CLIError) in
            try await Self.poll(context, until: wait ? start + timeout : start)
        }
        _ = try await context.api.isolatedStore()
        let url = context.api.url
        let away = Self.missingReplicas(context.directory)
        context.print(
            CommandResult(
                data: [
                    "url": .string(url), "ready": true, "readiness": body,
                    "missingReplicas": .array(away.map { .string($0) }),
                ], names: [url], next: "storebus status",
                notes: away.isEmpty ? [] : ["\(away.joined(separator: ", ")) not ready; the others serve"]
            ) {
                "\($0.paint("ready", .good))  \(url)\n"
            })
    }

    /// Lists local replicas that are not ready. The store is ready while one replica of each service is.
    private static func missingReplicas(_ directory: DataDirectory?) -> [String] {
        guard let directory, let record = RunRecord.read(directory) else { return [] }
        return record.instances.filter { record.replicas?[$0.service] != nil }.map(\.name)
            .filter { ReadyFile.read(directory.readyFile($0)) == nil }
    }

    /// Waits for the record of a store that is starting, with `--data` and `--wait`.
    private func find(until deadline: ContinuousClock.Instant) async throws(CLIError) -> CommandContext {
        while true {
            do throws(CLIError) {
                return try CommandContext.find(global)
            } catch  where wait && error.code == .serverUnreachable && ContinuousClock.now < deadline {
                try? await ContinuousClock().sleep(for: Self.pause)
            }
        }
    }

    private static let pause = Duration.milliseconds(100)

    private static func poll(
        _ context: CommandContext, until deadline: ContinuousClock.Instant
    ) async throws(CLIError) -> JSONValue {
        while true {
            var failure: CLIError
            do throws(CLIError) {
                let readiness = try await context.api.readiness()
                if readiness.isReady { return readiness.body?.json ?? .null }
                failure = notReady(context.api.url, readiness.body)
            } catch {
                failure = error
            }
            guard ContinuousClock.now < deadline else {
                failure.hints = ["find the reason: storebus doctor"] + failure.hints
                throw failure
            }
            try? await ContinuousClock().sleep(for: pause)
        }
    }

    private static func notReady(_ url: String, _ body: Received<ReadinessResponse>?) -> CLIError {
        let services = body?.services ?? [:]
        let silent = services.filter { $0.value != "answering" }.keys.sorted()
        let which = silent.isEmpty ? "" : ": \(silent.joined(separator: ", ")) does not answer"
        return CLIError(
            .notReady, "\(url) is not ready\(which)", retryable: true,
            details: ["readiness": body?.json ?? .null])
    }
}
