import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// A wrong command line is answered with the place as it was typed, and with the remedy.
@Suite struct WrongInputTests {
    /// A line, a part of the sentence with the place, and a part of the remedy.
    struct Line: Sendable, CustomTestStringConvertible {
        var arguments: [String]
        var place: String
        var remedy: String

        init(_ arguments: String..., place: String, remedy: String) {
            self.arguments = arguments
            self.place = place
            self.remedy = remedy
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let number = "is a whole number, not '"
    private static let instant = "such as 2027-01-31 or 2027-01-31T10:00:00Z"
    private static let time = "such as 500ms, 5s, 2m or 1h"

    private static let clock = [
        Line(
            "time", "advance", "-1d", place: "cannot be negative: '-1d'", remedy: "storebus time to 2026-01-01 --back"),
        Line("time", "advance", "1000y", place: "'1000y' is too long", remedy: "at most 100y"),
        Line("time", "advance", "P2000M", place: "'P2000M' is too long", remedy: "at most 100y"),
        Line("time", "advance", "3months", place: "'3months' is not a length", remedy: "did you mean '3mo'?"),
        Line("time", "advance", "2 weeks", place: "'2 weeks' is not a length", remedy: "did you mean '2w'?"),
        Line("time", "advance", "1day12hours", place: "'1day12hours'", remedy: "did you mean '1d12h'?"),
        Line("time", "advance", "month", place: "'month' is not a length", remedy: "did you mean '1mo'?"),
        Line("time", "advance", "3", "months", place: "'3' has no unit", remedy: "such as 3d or 3mo"),
        Line("time", "advance", "0d", place: "'0d' is no time", remedy: "more than 0"),
        Line("time", "advance", "1.5d", place: "'1.5d' is not a length", remedy: "for example 90s, 36h"),
        Line("time", "advance", "", place: "'' has no unit", remedy: "for example 90s, 36h"),
        Line("time", "advance", "1d", "--timeout", "10d", place: "--timeout is a time", remedy: time),
        Line("time", "to", "yesterday", place: "<instant> is an instant in UTC", remedy: instant),
        Line("time", "to", "2027-02-30", place: "not '2027-02-30'", remedy: instant),
        Line("time", "to", "01.02.2027", place: "not '01.02.2027'", remedy: instant),
        Line("time", "next", "-1", place: "cannot be negative: '-1'", remedy: "help: storebus time next --help"),
        Line("time", "next", "-q", "-1", place: "an argument cannot be negative", remedy: "storebus time next --help"),
        Line("-q", "time", "next", "-1", place: "an argument cannot be negative", remedy: "storebus time next --help"),
        Line("time", "next", "0", place: "the number of events", remedy: "1 to 1000"),
        Line("time", "next", "many", place: "<n> \(number)many'", remedy: "help: storebus time next --help"),
        Line("time", "rate", "0", place: "a rate is a name", remedy: "30s=1mo"),
    ]

    private static let shopping = [
        Line("buy", place: "<product>", remedy: "for example storebus buy com.example.pro.monthly --as alice"),
        Line("buy", "p", place: "--as <account>", remedy: "for example storebus buy"),
        Line("buy", "p", "--as", "", place: "--as must not be empty", remedy: "help: storebus buy --help"),
        Line("buy", "p", "--as", "a", "--quantity", "two", place: "--quantity \(number)two'", remedy: "help: storebus"),
        Line("buy", "p", "--as", "a", "--quantity", "-1", place: "--quantity cannot be negative", remedy: "'-1'"),
        Line("buy", "p", "--as", "a", "--timeout", "5d", place: "--timeout is a time", remedy: time),
        Line("buy", "p", "--as", "a", "--timeout", "-5s", place: "--timeout cannot be negative", remedy: "'-5s'"),
        Line("buy", "p", "--as", "a", "--timeout", place: "--timeout needs a value", remedy: time),
        Line("finish", "0", "--as", "alice", place: "'0' is too short", remedy: "at least 4 characters"),
        Line("tx", "delete", "01", "--yes", place: "'01' is too short", remedy: "the end of 2000000000000001"),
        Line("refund", "lst", place: "'lst' is too short", remedy: "did you mean 'storebus refund list'?"),
        Line("refund", "requests", place: "'requests'", remedy: "did you mean 'storebus refund request'?"),
        Line("trigger", "REFUND", "--of", "1", place: "'1' is too short", remedy: "at least 4 characters"),
        Line("prompt", "answer", "1", "approve", place: "'1' is too short", remedy: "the end of p_1"),
        Line("buy", "p", "--as", "-5", place: "--as needs a value", remedy: "write --as=-5"),
        Line("refund", "1", place: "'1' is too short", remedy: "at least 4 characters"),
        Line("revoke", "…001", place: "'…001' is too short", remedy: "at least 4 characters"),
        Line("approve", "…1", place: "'…1' is too short", remedy: "at least 4 characters"),
        Line("sub", "cancel", "1", place: "'1' is too short", remedy: "at least 4 characters"),
        Line("tx", "show", "", place: "a transaction is named by", remedy: "storebus tx list"),
        Line("decline", place: "name a transaction", remedy: "its account: --as"),
        Line("decline", "0001", "--as", "bob", place: "a purchase of alice, not of bob", remedy: "leave --as out"),
        Line("refund", "request", "0001", "--reason", "OTHERS", place: "--reason is one of", remedy: "mean 'OTHER'"),
        Line("refund", "grant", place: "name a request for a refund", remedy: "its account: --as"),
        Line("refund", "grant", "9999", place: "of '9999' waits", remedy: "storebus refund list"),
        Line("decline", "alice", place: "'alice' is an account", remedy: "storebus decline --as alice"),
        Line("resolve", "alice", place: "'alice' is an account", remedy: "storebus resolve --as alice"),
        Line("sub", "fail-next", "alice", place: "'alice' is an", remedy: "storebus sub fail-next --as alice"),
        Line("refund", "grant", "alice", place: "is an account", remedy: "storebus refund grant --as alice"),
        Line("refund", "request", "alice", place: "is an account", remedy: "storebus refund request --as alice"),
        Line("refund", "request", place: "name a transaction", remedy: "its account: --as"),
        Line("refund", "grant", "0001", "33", place: "'33'", remedy: "did you mean '--percent 33'?"),
        Line("refund", "grant", "0001", "--percent", "1/3", place: "not '1/3'", remedy: "did you mean '33.333'?"),
        Line("refund", "grant", "0001", "--percent", "4/3", place: "not '4/3'", remedy: "such as 33.5"),
        Line("refund", "grant", "01", place: "'01' is too short", remedy: "the end of q_01j2k9f"),
        Line("refund", "grant", "0001", "--percent", "0", place: "--percent is a percentage", remedy: "such as 33.5"),
        Line("refund", "grant", "0001", "--percent", "101%", place: "not '101%'", remedy: "such as 33.5"),
        Line("refund", "grant", "0001", "--percent", "1.2345", place: "not '1.2345'", remedy: "three decimals"),
        Line(
            "sub", "extend", "lots", "--as", "alice", place: "<days> \(number)lots'",
            remedy: "help: storebus sub extend"),
        Line("sub", "extend", "-1", "--as", "alice", place: "cannot be negative: '-1'", remedy: "storebus sub extend"),
        Line("reset", "--as", "alice", "--everything", place: "--everything", remedy: "leave one of them out"),
        Line("reset", "--as", "", place: "--as must not be empty", remedy: "help: storebus reset --help"),
    ]

    private static let others = [
        Line(
            "account", "set", "alice", "--ask-to-buy", "yes", place: "--ask-to-buy is true or false", remedy: "'true'?"),
        Line("account", "set", "alice", "--ask-to-buy", "off", place: "not 'off'", remedy: "did you mean 'false'?"),
        Line("account", "set", "alice", "--ask-to-buy", place: "--ask-to-buy needs a value", remedy: "true or false"),
        Line(
            "account", "set", "", "--sheet", "cancel", place: "the account must not be empty", remedy: "help: storebus"),
        Line("app", "set", "--released", "maybe", place: "--released is true or false", remedy: "not 'maybe'"),
        Line("app", "set", "--price", "-1USD", place: "--price cannot be negative", remedy: "'-1USD'"),
        Line("help", "nosuch", place: "there is no command 'storebus nosuch'", remedy: "help: storebus --help"),
        Line("help", "tx", "lst", place: "no command 'storebus tx lst'", remedy: "did you mean 'storebus tx list'?"),
        Line("byu", "--help", place: "there is no command 'storebus byu'", remedy: "did you mean 'storebus buy'?"),
        Line("tx", "lst", "--help", place: "'storebus tx lst'", remedy: "did you mean 'storebus tx list'?"),
        Line("-o", "json", "byu", place: "there is no command 'storebus byu'", remedy: "did you mean 'storebus buy'?"),
        Line("tx", "list", "--stroe", "t-7", place: "Unknown option '--stroe'", remedy: "did you mean '--store'?"),
        Line("tx", "list", "--unfinshed", place: "'--unfinshed'", remedy: "did you mean '--unfinished'?"),
        Line(
            "notifications", "endpoint", "localhost:3000/apple", place: "'localhost:3000/apple' does not",
            remedy: "did you mean 'http://localhost:3000/apple'?"),
        Line("key", "list", "--as", "kid", place: "Unknown option '--as'", remedy: "help: storebus key list --help"),
        Line("tx", "list", "--limit", "many", place: "--limit \(number)many'", remedy: "help: storebus tx list --help"),
        Line("logs", "-n", "many", place: "-n \(number)many'", remedy: "help: storebus logs --help"),
        Line("logs", "-n", "-1", place: "-n cannot be negative", remedy: "'-1'"),
        Line("up", "--port", "x", place: "--port is 1 to 65535, or auto", remedy: "not 'x'"),
        Line("notifications", "resend", place: "name a notification", remedy: "--state failed"),
        Line("notifications", "resend", "--state", "faild", place: "--state is one of", remedy: "mean 'failed'?"),
        Line("notifications", "resend", "3f2a", "--state", "failed", place: "--state", remedy: "help: storebus"),
        Line("notifications", "wait", "NOPE", place: "no notification type 'NOPE'", remedy: "they are SUBSCRIBED"),
        Line("notifications", "wait", "DID_RENEW.X", place: "no subtype 'X'", remedy: "DID_RENEW.BILLING_RECOVERY"),
        Line("notifications", "wait", "--settled", "--as", "a", place: "--settled waits for all", remedy: "leave out"),
        Line("notifications", "wait", "--state", "sent", place: "--state is one of", remedy: "delivered"),
        Line(
            "notifications", "endpoint", "http://a.example", "--timeout", "10m", place: "--timeout of an attempt",
            remedy: "100ms to 60s"),
    ]

    @Test(arguments: clock + shopping + others)
    func `a wrong input is answered with its place and the remedy`(line: Line) async {
        let (status, said) = await Recorder.run(
            line.arguments, variables: ["STOREBUS_URL": "http://store", "STOREBUS_ADMIN_KEY": "a"],
            transport: FakeStore())
        #expect(status != .success)
        #expect(said.result == "")
        for part in [line.place, line.remedy] { #expect(said.narration.contains(part), "\(said.narration)") }
        #expect(!said.narration.contains("Did you mean '--yes'?"))
    }

    /// A refusal of the store, with the member it names.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var arguments: [String]
        var request: String
        var path: String
        var place: String

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let refusals = [
        Refusal(
            arguments: ["buy", "pro.monthly", "--as", "alice", "--quantity", "99"], request: "POST /v1/payments",
            path: "$.quantity", place: "--quantity"),
        Refusal(
            arguments: ["buy", "", "--as", "alice"], request: "POST /v1/products/query",
            path: "$.productIdentifiers[0]", place: "<product>"),
        Refusal(
            arguments: ["buy", "pro.monthly", "--as", "alice", "--storefront", "Germany"],
            request: "POST /v1/sessions", path: "$.storefront", place: "--storefront"),
        Refusal(
            arguments: ["time", "to", "9999-01-01"], request: "POST /admin/v1/apps/com.example.app/clock/advance",
            path: "$.to", place: "<instant>"),
        Refusal(
            arguments: ["account", "set", "alice", "--simulate", "purchase=nope"],
            request: "PUT /admin/v1/testers/alice", path: "$.simulatedErrors.purchase", place: "--simulate"),
        Refusal(
            arguments: ["device", "put", "alice-1", "--os-version", "x"], request: "PUT /admin/v1/devices/alice-1",
            path: "$.osVersion", place: "--os-version"),
        Refusal(
            arguments: ["app", "set", "--current-version", "x"], request: "PUT /admin/v1/apps/com.example.app",
            path: "$.currentVersion", place: "--current-version"),
        Refusal(
            arguments: ["store", "create", "--ttl", "10x"], request: "POST /admin/v1/stores", path: "$.ttl",
            place: "--ttl"),
    ]

    @Test(arguments: refusals)
    func `a member that the store refuses is named as it was typed`(refusal: Refusal) async {
        let store = FakeStore()
        let problem = StubTransport.problem(400, .requestInvalid, details: ["path": .string(refusal.path)])
        store.answer(refusal.request, status: 400, problem.with(["detail": .string("\(refusal.path): must be other")]))
        let (status, said) = await Recorder.run(
            refusal.arguments, variables: ["STOREBUS_URL": "http://store", "STOREBUS_ADMIN_KEY": "a"], transport: store)
        #expect(status == .usage, "\(said.narration)")
        #expect(said.narration.hasPrefix("error: \(refusal.place) must be other "), "\(said.narration)")
        #expect(said.narration.contains("help: storebus \(refusal.arguments[0])"))
        #expect(!said.narration.contains("member"))
    }

    @Test func `a key that is no key is named by its flag`() async {
        let store = FakeStore()
        store.answer("POST /v1/payments", status: 400, StubTransport.problem(400, .idempotencyKeyInvalid))
        let said = await store.run("buy", "pro.monthly", "--as", "alice", "--idempotency-key", "ü").said
        #expect(said.narration.hasPrefix("error: --idempotency-key must be 1 to 255 printable ASCII characters"))
    }

    @Test(arguments: ["<?xml version=\"1.0\"?><plist/>", "bplist00", "", "PK\u{3}\u{4}"])
    func `a file that is no catalogue is refused with what a catalogue is`(content: String) async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("App.plist")
        try FileAccess.write(Array(content.utf8), to: file, mode: 0o600)
        let (status, said) = await FakeStore().run("import", file)
        #expect(status == .badInput)
        #expect(said.narration.contains("App.plist:1: "))
        #expect(said.narration.contains("a .storekit file is JSON, as Xcode saves it"))
        #expect(said.narration.contains("storebus export > Example.storekit"))
    }

    @Test(arguments: [
        (["ready", "--wait", "--timeout", "30s"], "storebus status --wait --timeout 30s"),
        (["ready"], "storebus status"),
        (["page", "--as", "alice"], "storebus promo page --as alice"),
        (["tester", "create", "a b"], "storebus account create 'a b'"),
        (["account", "reset", "alice"], "storebus account set alice --unset all"),
        (["account", "clear", "alice", "--yes"], "storebus reset --as alice --yes"),
        (["promo", "reset", "--device", "alice-1"], "storebus promo default --device alice-1"),
        (["tester", "reset", "alice"], "storebus account set alice --unset all"),
        (["page", "--as=alice"], "storebus promo page --as alice"),
        (["account", "clear", "--yes", "alice"], "storebus reset --as alice --yes"),
        (["-q", "account", "reset", "alice"], "storebus account set alice -q --unset all"),
        (["help", "page"], "storebus promo page"), (["page", "--data", "d"], "storebus promo page --data d"),
    ])
    func `a name that went is answered with the one that stays`(arguments: [String], command: String) async throws {
        let (status, said) = await Recorder.run(arguments)
        #expect(status == .usage)
        #expect(
            said.narration.contains(
                "there is no command 'storebus \(arguments.first { !["help", "-q"].contains($0) } ?? "")"))
        #expect(said.narration.contains("  use \(command)      help: "), "\(said.narration)")
    }
}
