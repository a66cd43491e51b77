import EventLoop
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// Scenarios: their files, their runs, their reports and their recordings.
@Suite struct ScenarioTests {
    private static func scenario(
        _ text: String, file: String = "tests/pay.scenario.yaml", variables: [String: String] = [:]
    ) throws(YAMLFault) -> Scenario {
        try Scenario(Array(text.utf8), file: file, variables: variables)
    }

    private static func fault(_ text: String, variables: [String: String] = [:]) -> String? {
        do throws(YAMLFault) {
            _ = try scenario(text, variables: variables)
            return nil
        } catch {
            return "\(error.line): \(error.reason)"
        }
    }

    // MARK: Files

    @Test func `a file has a name, a store and steps`() throws {
        let scenario = try Self.scenario(
            """
            # A comment.
            scenario: "pay: all of it"
            store: { catalogue: App.storekit, clock: 2026-01-01T00:00:00Z, seed: 1 }
            steps:
              - storebus buy pro.monthly --as alice
              - run: tx list --as 'al ice'
                expect: [{ state: purchased }]
                within: 5s
                save: { first: 0.id, second: 0.productIdentifier }
              - run: buy pro.monthly --as alice
                fails: paymentCancelled
              - http: GET http://localhost:${env.PORT}/me
            """, variables: ["PORT": "3000"])
        #expect(scenario.name == "pay: all of it")
        #expect(
            scenario.store == ["--catalogue=tests/App.storekit", "--clock=2026-01-01T00:00:00Z", "--seed=1"])
        #expect(
            scenario.store(bundleId: "com.example.app").last == "--bundle-id=com.example.app")
        #expect(
            try Self.scenario("scenario: a\nsteps: [tx list]").store(bundleId: "a") == ["--bundle-id=a", "--seed=0"])
        #expect(scenario.steps.map(\.line) == [5, 6, 10, 12])
        #expect(scenario.steps[0].title == "storebus buy pro.monthly --as alice")
        let list = scenario.steps[1]
        #expect(list.within == .seconds(5) && list.saved.count == 2 && list.expected?.entries?.count == 1)
        guard case .command(let words) = list.action else {
            Issue.record("a command")
            return
        }
        #expect(words.map(\.typed) == ["tx", "list", "--as", "al ice"])
        #expect(scenario.steps[2].fails && scenario.steps[2].code == "paymentCancelled")
        guard case .request("GET", let url) = scenario.steps[3].action else {
            Issue.record("a request")
            return
        }
        #expect(url.filled([ExactText("env.PORT"): "3000"]) == "http://localhost:3000/me")
    }

    @Test(arguments: [
        ("", "1: the file is empty"),
        ("- a", "1: a scenario is a mapping, and not a list"),
        ("scenario: a\nstep: []", "2: a scenario has no 'step', but scenario, store, steps; did you mean 'steps'?"),
        ("scenario: a", "1: 'steps' is missing"),
        ("scenario: a\nsteps: []", "2: 'steps' is a list of commands"),
        ("scenario: a\nsteps: [up]", "2: 'storebus up' is for a terminal"),
        ("scenario: a\nsteps:\n  - byu x", "3: there is no command 'storebus byu'; did you mean 'storebus buy'?"),
        ("scenario: a\nsteps:\n  - tx", "3: 'tx' is no whole command"),
        ("scenario: a\nsteps:\n  - scenario run b", "3: 'storebus scenario run' is about the whole installation"),
        ("scenario: a\nsteps:\n  - app delete a --yes", "3: 'storebus app delete' is about the whole installation"),
        ("scenario: a\nsteps:\n  - ca ocsp revoked", "3: 'storebus ca ocsp' is about the whole installation"),
        ("scenario: a\nsteps:\n  - logs -f", "3: 'storebus logs -f' is for a terminal"),
        ("scenario: a\nsteps:\n  - tx list -o names", "3: leave -o out: a scenario reads the JSON of each command"),
        ("scenario: a\nsteps:\n  - tx list 'a", "3: a quotation mark has no second one"),
        ("scenario: a\nsteps:\n  - tx show ${first}", "3: no step before saves 'first'"),
        ("scenario: a\nsteps:\n  - tx show ${first", "3: '${' has no '}'"),
        ("scenario: a\nsteps:\n  - tx show ${env.NO_SUCH}", "3: the variable NO_SUCH is not set"),
        (
            "scenario: a\nsteps:\n  - tx show ${store.no}",
            "3: no step before saves 'store.no'; did you mean 'store.url'?"
        ),
        (
            "scenario: a\nsteps:\n  - run: tx list\n    expects: {}",
            "4: a step has no 'expects', but run, http, expect, fails, save, within; did you mean 'expect'?"
        ),
        (
            "scenario: a\nsteps:\n  - { run: tx list, http: GET http://a/ }",
            "3: a step has either 'run', a command, or 'http', a request"
        ),
        (
            "scenario: a\nsteps:\n  - run: buy p --as a\n    within: 5s",
            "4: 'within' repeats the step, and storebus buy p --as a changes the store"
        ),
        ("scenario: a\nsteps:\n  - run: tx list\n    within: soon", "4: 'within' is a time such as 5s, and not 'soon'"),
        (
            "scenario: a\nsteps:\n  - http: FETCH http://a/",
            "3: 'http' is a method and an address, such as GET http://localhost:3000/me/alice"
        ),
        (
            "scenario: a\nsteps:\n  - run: tx list\n    save: a b",
            "4: 'a b' is no name of a variable, which is of letters, digits and _"
        ),
        ("scenario: &a b\nsteps: *a", "2: aliases (*name) are not read here; write the value again"),
        ("scenario: a\nscenario: b", "2: 'scenario' is there twice"),
        ("scenario: a\n---\nscenario: b", "2: a second document begins here; write it into a file of its own"),
        ("scenario: a\nsteps: [\n", "3: did not find expected node content"),
    ])
    func `a wrong file is refused with its line`(text: String, fault: String) {
        #expect(Self.fault(text) == fault)
    }

    @Test func `levels within each other have a bound`() {
        let text = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(Self.fault(text) == "1: more than 32 levels are within each other")
    }

    @Test func `a line is divided as a shell does it`() throws {
        #expect(
            try ShellWord.split(" a  'b c' \"d \\\" e\" f\\ g h'i'\"j\" '' ") == [
                "a", "b c", "d \" e", "f g", "hij", "",
            ])
        #expect(try ShellWord.split("\"a\\b\"") == ["a\\b"])
        #expect(throws: ShellFault.self) { try ShellWord.split("a \\") }
        for word in ["plain", "two words", "it's", "", "${x}", "a\"b\\c"] {
            #expect(try ShellWord.split(ShellWord.quoted(word)) == [word])
        }
    }

    @Test func `the variables of the store are members of a new store`() throws {
        let response = IsolatedStoreResponse(
            store: "t-1", url: "u", bundleId: "b", issuerId: "i", keyId: "k", privateKey: "p", adminKey: "a",
            rootCertificate: "r", seed: 1, expiresAt: Timestamp(milliseconds: 0))
        let members = try #require(JSONText.value(response).objectValue)
        for name in ScenarioNames.ofStore { #expect(members[name]?.stringValue != nil, "\(name)") }
    }

    // MARK: Expectations

    @Test(arguments: [
        ("{ a: 1, b: x }", #"{"a":1,"b":"x","c":2}"#, []),
        ("{ a: 1 }", #"{"a":"1"}"#, []),
        ("{ a: '1' }", #"{"a":1}"#, ["a is 1, and not 1"]),
        ("{ a: true, b: null, c: ~ }", #"{"a":true,"b":null}"#, []),
        ("{ a: 2 }", "{}", ["a is missing, and not 2"]),
        ("[{ a: 1 }, 2]", #"[{"a":1,"b":2},2]"#, []),
        ("[1]", "[1,2]", ["the result is a list of 2, and not of 1"]),
        ("{ a: { b: [1] } }", #"{"a":{"b":[2]}}"#, ["a.b.0 is 2, and not 1"]),
        ("{ a: {} }", #"{"a":[]}"#, ["a is [], and not an object"]),
        ("{ a: [] }", #"{"a":{}}"#, ["a is {}, and not a list"]),
        ("{ a: \"${v}\" }", #"{"a":"seven"}"#, []),
    ])
    func `an expectation is a part of the result`(expected: String, value: String, differences: [String]) throws {
        let node = try YAMLNode.parse(Array(expected.utf8))
        let json = try StrictJSON.parse(Array(value.utf8))
        #expect(Expectation.differences(node, json, [ExactText("v"): "seven"]) == differences)
    }

    // MARK: Runs

    /// Answers command lines, and keeps them.
    private final class Shop: Sendable {
        private let state = Locked((lines: [String](), counts: [String: Int]()))
        private let answers: @Sendable (_ line: String, _ time: Int) -> CommandCall.Printout?

        init(_ answers: @escaping @Sendable (_ line: String, _ time: Int) -> CommandCall.Printout?) {
            self.answers = answers
        }

        /// The command lines but those about the clock.
        var lines: [String] { state.withLock { $0.lines.filter { !$0.contains("time status") } } }

        func call(_ words: [String], _ store: String?) -> CommandCall.Printout {
            let line = (store.map { "\($0): " } ?? "") + words.joined(separator: " ")
            let time = state.withLock { state in
                state.lines.append(line)
                state.counts[line, default: 0] += 1
                return state.counts[line] ?? 0
            }
            if let answer = answers(line, time) { return answer }
            if line.hasPrefix("store create") { return Self.printed(#"{"store":"t-1","url":"http://s/s/t-1"}"#) }
            if line.hasSuffix("time status") { return Self.printed(#"{"now":"2026-01-01T00:00:00.000Z"}"#) }
            return Self.printed("{}")
        }

        static func printed(_ data: String, names: [String] = []) -> CommandCall.Printout {
            CommandCall.Printout(result: #"{"data":\#(data),"next":null}"#, names: names)
        }

        static func failed(_ code: String, _ message: String) -> CommandCall.Printout {
            CommandCall.Printout(narration: #"{"error":{"code":"\#(code)","message":"\#(message)"}}"#, status: 1)
        }
    }

    private func report(
        _ text: String, keeps: Bool = false, notifications: Bool = false,
        fetched: JSONValue = ["status": 200, "body": ["pro": .bool(true)]],
        _ answers: @escaping @Sendable (_ line: String, _ time: Int) -> CommandCall.Printout? = { _, _ in nil }
    ) async throws -> (report: ScenarioReport, lines: [String]) {
        let shop = Shop(answers)
        let runner = ScenarioRunner(
            call: { words, store in shop.call(words, store) },
            fetch: { _, url throws(CLIError) in
                guard url == "http://a/me" else { throw CLIError(.serverUnreachable, "\(url): refused") }
                return fetched
            }, variables: [:], bundleId: "com.example.app", keeps: keeps, reportsNotifications: notifications,
            pause: {})
        let report = await runner.run(try Self.scenario("scenario: s\nsteps:\n\(text)"))
        return (report, shop.lines)
    }

    @Test func `a scenario makes a store, runs its steps there, and removes it`() async throws {
        let (report, lines) = try await report(
            """
              - run: buy p --as alice
                save: first
              - run: tx show ${first}
                expect: { id: "${first}" }
                save: { url: place.url }
              - http: GET ${url}
                expect: { status: 200, body: { pro: true } }
            """
        ) { line, _ in
            switch line {
            case "t-1: buy p --as alice": Shop.printed("{}", names: ["0001"])
            case "t-1: tx show 0001": Shop.printed(#"{"id":"0001","place":{"url":"http://a/me"}}"#)
            default: nil
            }
        }
        #expect(report.hasPassed && report.steps.count == 3 && !report.isKept)
        #expect(
            lines == [
                "store create --bundle-id=com.example.app --seed=0", "t-1: buy p --as alice", "t-1: tx show 0001",
                "store delete t-1 --yes",
            ])
        #expect(report.text(.plain).hasPrefix("ok     s  3 steps  "))
    }

    @Test func `a step that is not as expected ends the scenario, and its store stays`() async throws {
        let (report, lines) = try await report(
            """
              - run: sub show 1
                expect: { status: active, other: 1 }
              - sub show 2
            """
        ) { line, _ in line.contains("sub show") ? Shop.printed(#"{"status":"expired"}"#) : nil }
        let failure = try #require(report.failure)
        #expect(failure.step == 1 && failure.line == 3)
        #expect(failure.reasons == [#"status is "expired", and not active"#, "other is missing, and not 1"])
        #expect(lines.count == 2 && report.isKept)
        #expect(report.text(.plain).contains("tests/pay.scenario.yaml:3: storebus sub show 1\n"))
    }

    @Test func `a failed command fails its step, with its code`() async throws {
        let (report, _) = try await report("  - tx show 1") { line, _ in
            line.contains("tx show") ? Shop.failed("notFound", "there is no 1") : nil
        }
        #expect(report.failure?.reasons == ["there is no 1 [notFound]"])
    }

    @Test func `a step may expect its failure`() async throws {
        func run(_ fails: String, _ outcome: CommandCall.Printout) async throws -> [String] {
            try await report("  - run: buy p --as a\n    fails: \(fails)") { line, _ in
                line.contains("buy") ? outcome : nil
            }.report.failure?.reasons ?? []
        }
        let refused = Shop.failed("notFound", "no p")
        #expect(try await run("notFound", refused) == [])
        #expect(try await run("true", refused) == [])
        #expect(try await run("forbidden", refused) == ["it failed with notFound, and not forbidden"])
        #expect(try await run("notFound", Shop.printed("{}")) == ["it succeeded"])
        var failed = Shop.printed(#"{"transaction":{"error":{"code":2,"name":"paymentCancelled"}}}"#)
        failed.status = CLIExit.purchaseFailed.rawValue
        #expect(try await run("paymentCancelled", failed) == [])
        failed.status = CLIExit.purchaseDeferred.rawValue
        #expect(try await run("false", failed) == [])
    }

    @Test func `a step that reads is repeated until it is as expected`() async throws {
        let (report, lines) = try await report(
            """
              - run: sub show 1
                expect: { status: active }
                within: 1h
            """
        ) { line, time in
            line.contains("sub show") ? Shop.printed(#"{"status":"\#(time < 3 ? "expired" : "active")"}"#) : nil
        }
        #expect(report.hasPassed && lines.count { $0.contains("sub show") } == 3)
    }

    @Test func `what is not in the result is not saved`() async throws {
        let (report, _) = try await report("  - run: tx show 1\n    save: { a: b.c }")
        #expect(report.failure?.reasons == ["'a' was not saved: there is no b.c in the result"])
        let (other, _) = try await self.report("  - run: tx show 1\n    save: a")
        #expect(other.failure?.reasons == ["'a' was not saved: there is no identifier in the result"])
    }

    @Test func `a server that does not answer fails the step`() async throws {
        let (report, _) = try await report("  - http: GET http://b/")
        #expect(report.failure?.reasons == ["http://b/: refused"])
    }

    @Test func `a store that is not made fails the scenario`() async throws {
        let (report, lines) = try await report("  - tx list") { line, _ in
            line.hasPrefix("store create") ? Shop.failed("catalogInvalid", "App.storekit is refused") : nil
        }
        #expect(report.failure?.step == 0 && report.store == nil && lines.count == 1)
        #expect(report.failure?.reasons == ["App.storekit is refused [catalogInvalid]"])
    }

    @Test func `a stopped scenario runs no further step, and its store is removed`() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await self.report("  - tx list\n  - tx list")
        }
        let (stopped, lines) = try await task.value
        #expect(stopped.isStopped && !stopped.hasPassed && stopped.steps.isEmpty)
        #expect(lines.last == "store delete t-1 --yes")
        #expect(stopped.text(.plain).hasPrefix("STOPPED  s"))
    }

    // MARK: Reports

    @Test func `reports name the file and the line, and escape what others wrote`() async throws {
        let (failed, _) = try await report("  - run: tx list\n    expect: { a: '<&>,:%' }") { line, _ in
            line.contains("tx list") ? Shop.printed(#"{"a":"x\n"}"#) : nil
        }
        let (passed, _) = try await report("  - tx list")
        let junit = ScenarioReports.junit([failed, passed])
        #expect(junit.contains(#"<testsuites tests="2" failures="1" time=""#))
        #expect(junit.contains(#"<failure message="a is &quot;x\n&quot;, and not &lt;&amp;&gt;,:%">tests/pay"#))
        #expect(junit.contains("tests/pay.scenario.yaml:3: storebus tx list"))
        #expect(
            ScenarioReports.annotations([failed, passed])
                == "::error file=tests/pay.scenario.yaml,line=3,title=s::storebus tx list%0Aa is \"x\\n\", and not <&>,:%25\n"
        )
        let page = ScenarioPage.html([failed, passed])
        #expect(page.contains("1 passed, 1 failed") && page.contains("&lt;&amp;&gt;") && !page.contains("<&>"))
        #expect(failed.json["failure"]?["line"] == 3 && passed.json["failure"] == .null)
        #expect(ScenarioReports.escaped("a\u{1}b") == "a\u{FFFD}b")
    }

    @Test func `notifications are fixtures, and come in the page behind the step that made them`() async throws {
        let (report, lines) = try await report(
            "  - buy p --as a\n  - time advance 1mo\n  - tx list", notifications: true
        ) { line, time in
            switch line {
            case "t-1: time status":
                Shop.printed(#"{"now":"2026-0\#(time > 2 ? 2 : 1)-01T00:00:00.000Z"}"#)
            case "t-1: notifications list --limit 100000":
                Shop.printed(#"[{"notificationUUID":"n2"},{"notificationUUID":"n1"}]"#)
            case "t-1: notifications show n1":
                Shop.printed(
                    #"{"kind":"SUBSCRIBED.INITIAL_BUY","signedPayload":"a.b.c","at":"2026-01-01T00:00:00.000Z"}"#)
            case "t-1: notifications show n2":
                Shop.printed(#"{"kind":"DID_RENEW","signedPayload":"d.e.f","at":"2026-01-08T00:00:00.000Z"}"#)
            default: nil
            }
        }
        #expect(lines.contains("t-1: notifications wait --settled --timeout 5s"))
        #expect(
            ScenarioFixtures.files(report).map { "\($0.name) \($0.text)" } == [
                "1-SUBSCRIBED.INITIAL_BUY.json {\"signedPayload\":\"a.b.c\"}\n",
                "2-DID_RENEW.json {\"signedPayload\":\"d.e.f\"}\n",
            ])
        #expect(ScenarioFixtures.directory(report.scenario) == "pay")
        let order = ScenarioPage.rows(report).map { row in
            ["buy", "INITIAL_BUY", "advance", "DID_RENEW", "tx list"].first { row.contains($0) } ?? row
        }
        #expect(order == ["buy", "INITIAL_BUY", "advance", "DID_RENEW", "tx list"])
    }

    // MARK: Recordings

    private typealias Recorded = ScenarioRecording.Step

    @Test func `a recording saves the identifiers that later commands name, and can be run`() throws {
        let recording = ScenarioRecording(
            beginning: .init(
                file: "/tmp/a life.scenario.yaml", bundleId: "com.example.app", clock: Timestamp(milliseconds: 0)),
            steps: [
                Recorded(words: ["buy", "p", "--as", "al ice"], names: ["0001"], hasFailed: false),
                Recorded(words: ["buy", "p", "--as", "bob", "--outcome", "cancel"], names: ["0002"], hasFailed: true),
                Recorded(words: ["finish", "0001", "--as", "al ice"], names: ["0001"], hasFailed: false),
                Recorded(words: ["refund", "0001"], names: ["0001"], hasFailed: false),
            ])
        #expect(
            recording.yaml == """
                scenario: a life
                store: { bundle-id: com.example.app, clock: "1970-01-01T00:00:00.000Z", seed: 1 }
                steps:
                  - run: storebus buy p --as 'al ice'
                    save: s1
                  - run: storebus buy p --as bob --outcome cancel
                    fails: true
                  - storebus finish ${s1} --as 'al ice'
                  - storebus refund ${s1}

                """)
        let scenario = try Self.scenario(recording.yaml)
        #expect(scenario.steps.count == 4 && scenario.steps[1].fails)
    }

    @Test(arguments: ["a: b", "a #b", "'a'", "#a", "a:", "true'", "é", "tab\there", "${x}", "$${x", "a'b"])
    func `what a recording writes is read as it was typed`(word: String) throws {
        let recording = ScenarioRecording(
            beginning: .init(file: "\(word).scenario.yaml", bundleId: "a.b", clock: Timestamp(milliseconds: 0)),
            steps: [Recorded(words: ["buy", word, "--as", "a"], names: [], hasFailed: false)])
        let scenario = try Self.scenario(recording.yaml)
        #expect(scenario.name == word.replacing("\n", with: " "))
        guard case .command(let words) = scenario.steps[0].action else {
            Issue.record("a command")
            return
        }
        #expect(words.map { $0.filled([:]) } == ["buy", word, "--as", "a"])
    }

    @Test func `flags that name a store are not a step's`() throws {
        let scenario = try Self.scenario(
            "scenario: a\nsteps:\n  - storebus tx list --store t-9 --url http://a --as b -q")
        guard case .command(let words) = scenario.steps[0].action else {
            Issue.record("a command")
            return
        }
        #expect(words.map(\.typed) == ["tx", "list", "--as", "b"])
    }

    @Test func `the flags of every command are not recorded`() {
        #expect(
            GlobalFlags.removed(["tx", "delete", "1", "--yes", "-o", "json", "--store=t-1", "-q", "--", "-q"])
                == ["tx", "delete", "1", "--yes", "--", "-q"])
    }
}
