import EventLoop
import StoreModels

/// Runs scenarios, each in an isolated store of its own.
struct ScenarioRunner: Sendable {
    /// Runs a command line in a store, or in the installation for nil.
    let call: @Sendable (_ words: [String], _ store: String?) async -> CommandCall.Printout
    /// Sends a request to a server of the user's.
    let fetch: @Sendable (_ method: String, _ url: String) async throws(CLIError) -> JSONValue
    /// The variables of the process.
    let variables: [String: String]
    /// The app whose catalogue a store gets if the scenario names none.
    let bundleId: String
    /// Whether a store stays after its scenario. That of a failed one stays anyway.
    var keeps = false
    /// Whether the report has the store's clock and notifications.
    var reportsNotifications = false
    /// Waits before a step is repeated.
    var pause: @Sendable () async -> Void = { try? await ContinuousClock().sleep(for: Retry.pause) }

    /// Runs the steps until one is not as expected. Cancelling the task stops them, and the store is still removed.
    func run(_ scenario: Scenario) async -> ScenarioReport {
        let start = ContinuousClock.now
        var report = ScenarioReport(scenario: scenario)
        let create = ["store", "create"] + scenario.store(bundleId: bundleId)
        // Ctrl-C meanwhile would leave a store that the user does not know.
        let made = await Task { [call] in await call(create, nil) }.value
        guard made.isSuccess, let facts = Self.data(of: made), let store = facts["store"]?.stringValue else {
            report.failure = ScenarioReport.Failure(
                step: 0, line: 1, title: "storebus \(create.joined(separator: " "))", reasons: [Self.sentence(of: made)]
            )
            report.duration = ContinuousClock.now - start
            return report
        }
        report.store = store
        var values = values(of: facts)
        var clock = reportsNotifications ? await time(in: store) : nil
        for (index, step) in scenario.steps.enumerated() {
            guard !Task.isCancelled else { break }
            let done = await run(step, number: index + 1, store, &values, since: clock)
            clock = done.after
            report.steps.append(done)
            guard done.reasons.isEmpty || Task.isCancelled else {
                report.failure = ScenarioReport.Failure(
                    step: index + 1, line: step.line, title: done.title, reasons: done.reasons)
                break
            }
        }
        report.isStopped = Task.isCancelled
        report.duration = ContinuousClock.now - start
        await end(&report, store)
        return report
    }

    /// Reads what reports want, and removes the store. Neither changes the result.
    private func end(_ report: inout ScenarioReport, _ store: String) async {
        // A cancelled task would not send the requests.
        let call = call
        let (reads, removes) = (reportsNotifications, !keeps && report.failure == nil)
        let notifications = Task { () -> [JSONValue] in
            var found: [JSONValue] = []
            if reads {
                _ = await call(["notifications", "wait", "--settled", "--timeout", "5s"], store)
                let list = await call(["notifications", "list", "--limit", "100000"], store)
                for one in (Self.data(of: list)?.arrayValue ?? []).reversed() {
                    let name = one["notificationUUID"]?.stringValue ?? ""
                    found.append(Self.data(of: await call(["notifications", "show", name], store)) ?? one)
                }
            }
            if removes { _ = await call(["store", "delete", store, "--yes"], nil) }
            return found
        }
        report.notifications = await notifications.value
        report.isKept = !removes
    }

    private func values(of store: JSONValue) -> [ExactText: String] {
        var values: [ExactText: String] = [:]
        for (name, value) in variables { values[ExactText("env.\(name)")] = value }
        for name in ScenarioNames.ofStore { values[ExactText("store.\(name)")] = store[name]?.stringValue }
        return values
    }

    // MARK: Steps

    private func run(
        _ step: Scenario.Step, number: Int, _ store: String, _ values: inout [ExactText: String],
        since before: Timestamp?
    ) async -> ScenarioReport.Step {
        let start = ContinuousClock.now
        var attempt = await self.attempt(step, store, values)
        if let within = step.within {
            while !attempt.reasons.isEmpty, ContinuousClock.now - start < within, !Task.isCancelled {
                await pause()
                attempt = await self.attempt(step, store, values)
            }
            if !attempt.reasons.isEmpty {
                attempt.reasons.append("it was so for \(TimeLimit(within))")
            }
        }
        let duration = ContinuousClock.now - start
        if attempt.reasons.isEmpty {
            for (name, place) in step.saved {
                let found = place.flatMap { place in attempt.data.flatMap { Expectation.value($0, at: place) } }
                if let text = place == nil ? attempt.names.first : found?.scalarText {
                    values[name] = text
                } else {
                    attempt.reasons.append(
                        "'\(name.text)' was not saved: there is no \(place ?? "identifier") in the result")
                }
            }
        }
        return ScenarioReport.Step(
            number: number, line: step.line, title: step.title, before: before,
            after: reportsNotifications ? await time(in: store) : nil,
            duration: duration, data: attempt.data, reasons: attempt.reasons)
    }

    private struct Attempt {
        var data: JSONValue?
        var names: [String] = []
        /// Why it is not as expected.
        var reasons: [String] = []
    }

    private func attempt(_ step: Scenario.Step, _ store: String, _ values: [ExactText: String]) async -> Attempt {
        var attempt = Attempt()
        switch step.action {
        case .command(let words):
            let outcome = await call(words.map { $0.filled(values) }, store)
            attempt.names = outcome.names
            let error = Self.error(of: outcome)
            attempt.data = Self.data(of: outcome) ?? error
            // A purchase that waits for approval has not failed.
            let hasFailed = !outcome.isSuccess && outcome.status != CLIExit.purchaseDeferred.rawValue
            if hasFailed != step.fails {
                attempt.reasons = [hasFailed ? Self.sentence(of: outcome) : "it succeeded"]
            } else if let code = step.code, !code.isExactly(Self.code(of: error)) {
                attempt.reasons = ["it failed with \(Self.code(of: error) ?? "no code"), and not \(code)"]
            }
        case .request(let method, let url):
            do throws(CLIError) {
                attempt.data = try await fetch(method, url.filled(values))
            } catch {
                attempt.reasons = [error.message]
            }
        }
        if attempt.reasons.isEmpty, let expected = step.expected {
            attempt.reasons = Expectation.differences(expected, attempt.data, values)
        }
        return attempt
    }

    /// The time of the store's clock.
    private func time(in store: String) async -> Timestamp? {
        let status = await call(["time", "status"], store)
        return Self.data(of: status)?["now"]?.stringValue.flatMap { Timestamp($0) }
    }

    // MARK: Results

    private static func data(of outcome: CommandCall.Printout) -> JSONValue? {
        (try? StrictJSON.parse(Array(outcome.result.utf8)))?["data"]
    }

    /// The error that a command printed, or that of a purchase that failed.
    private static func error(of outcome: CommandCall.Printout) -> JSONValue? {
        (try? StrictJSON.parse(Array(outcome.narration.utf8)))?["error"] ?? data(of: outcome)?["transaction"]?["error"]
    }

    /// The code of an error, or the StoreKit name of a purchase's.
    private static func code(of error: JSONValue?) -> String? {
        (error?["name"] ?? error?["code"])?.stringValue
    }

    private static func sentence(of outcome: CommandCall.Printout) -> String {
        let error = error(of: outcome)
        let sentence = (error?["message"] ?? error?["localizedDescription"])?.stringValue
        return (sentence ?? "it failed with status \(outcome.status)") + (code(of: error).map { " [\($0)]" } ?? "")
    }
}

extension JSONValue {
    /// A scalar as text. Nil for null, objects and arrays.
    fileprivate var scalarText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): "\(value)"
        default: nil
        }
    }
}

/// The result of a scenario.
struct ScenarioReport: Sendable {
    struct Step: Sendable {
        /// From 1.
        var number: Int
        var line: Int
        var title: String
        /// The store's clock before it, and after it.
        var before: Timestamp?
        var after: Timestamp?
        var duration: Duration
        var data: JSONValue?
        /// Why it is not as expected. Empty if it is.
        var reasons: [String]
    }

    struct Failure: Sendable {
        /// 0 for the store that was not made.
        var step: Int
        var line: Int
        var title: String
        var reasons: [String]
    }

    let scenario: Scenario
    /// The name of its store. Nil if none was made.
    var store: String?
    var isKept = false
    var steps: [Step] = []
    var failure: Failure?
    /// Whether Ctrl-C ended it.
    var isStopped = false
    var duration: Duration = .zero
    /// The store's notifications, oldest first, with their signed payloads.
    var notifications: [JSONValue] = []

    var hasPassed: Bool { failure == nil && !isStopped }

    var json: JSONValue {
        let failure = failure.map { failure -> JSONValue in
            [
                "step": .integer(failure.step), "line": .integer(failure.line), "command": .string(failure.title),
                "reasons": .array(failure.reasons.map { .string($0) }),
            ]
        }
        return [
            "scenario": .string(scenario.name), "file": .string(scenario.file),
            "result": .string(hasPassed ? "passed" : isStopped ? "stopped" : "failed"),
            "store": store.map { .string($0) } ?? .null, "isKept": .bool(isKept),
            "durationMs": .integer(Int(duration / .milliseconds(1))), "failure": failure ?? .null,
            "steps": .array(
                steps.map { step in
                    [
                        "step": .integer(step.number), "line": .integer(step.line), "command": .string(step.title),
                        "clock": step.after.map { JSONText.value($0) } ?? .null,
                        "durationMs": .integer(Int(step.duration / .milliseconds(1))),
                    ]
                }),
        ]
    }

    /// The lines of the text form.
    func text(_ style: Style) -> String {
        let name = Table.onOneLine(scenario.name)
        guard let failure else {
            let word = isStopped ? style.paint("STOPPED", .bad) : style.paint("ok", .good) + "   "
            return "\(word)  \(name)  \(Format.count(steps.count, "step"))  \(Format.seconds(duration))\n"
        }
        let place = "      \(scenario.file):\(failure.line): \(Table.onOneLine(failure.title))\n"
        return style.paint("FAIL", .bad) + "  \(name)\n" + place
            + failure.reasons.map { "      \(Table.onOneLine($0))\n" }.joined()
            + (isKept ? store.map { "      kept: \($0)\n" } ?? "" : "")
    }
}
