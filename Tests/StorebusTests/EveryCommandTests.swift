import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// What holds for every command that prints what a store told it.
@Suite(.slow) struct EveryCommandTests {
    /// Each prints a table or facts from ``FakeStore/usual``.
    static let commands: [[String]] = [
        ["status"], ["status", "--store", "t-7"], ["app", "list"], ["app", "show"],
        ["app", "set", "--price", "free"], ["app", "delete", "com.example.app", "--yes"],
        ["product", "list"], ["product", "show", "pro.monthly", "--storefront", "FRA"],
        ["product", "price", "pro.monthly", "--storefront", "USA,FRA"],
        ["product", "availability", "pro.monthly", "--storefront", "FRA"], ["storefront", "list"],
        ["tx", "list"], ["tx", "show", "0001"], ["account", "list"], ["account", "show", "alice"], ["prompt", "list"],
        ["account", "create", "alice", "--sheet", "cancel"], ["store", "list"], ["store", "create", "--seed", "42"],
        ["store", "delete", "t-7", "--yes"], ["store", "fork", "t-7", "--ttl", "10m", "--running"],
        ["store", "snapshot", "t-7", "subscribed", "--ttl", "20d"],
        ["key", "list"], ["key", "create"], ["bus", "ls"], ["bus", "info"], ["bus", "stats"], ["bus", "health"],
        ["chaos", "runs"], ["trace", "show"], ["trace", "show", "2000000000000001"],
        ["why", "…0001"], ["why", "pro.monthly"], ["config", "show"], ["version"], ["wait", "purchased"],
        ["reset", "--as", "alice", "--yes"], ["reset", "--as", "alice", "--settings", "--yes"], ["reset", "--yes"],
        ["reset", "--everything", "--yes"], ["open"],
        ["buy", "pro.monthly", "--as", "alice"], ["finish", "0001", "--as", "alice"], ["import", sample],
        ["prompt", "answer", "p_1", "approve"], ["decline", "0001"], ["account", "set", "alice", "--sheet", "cancel"],
        ["account", "set", "alice", "--unset", "all"],
        ["code", "list"], ["code", "create", "pro.monthly", "SPRING", "--count", "2", "--days", "90"],
        ["code", "deactivate", "spring26"], ["code", "activate", "o_1"],
        ["code", "redeem", "SPRING26", "--as", "alice"],
        ["family", "list"], ["family", "create", "smith", "alice"],
        ["family", "add", "smith", "bob", "--shares", "no"],
        ["family", "remove", "smith", "bob"], ["family", "end", "smith"],
        ["key", "revoke", "K1", "--yes"], ["doctor", "--url", "http://store"],
        ["approve", "0001"], ["resolve", "t_1"], ["redeliver", "0001"], ["restore", "--as", "alice"],
        ["download", "list", "--as", "alice"], ["download", "start", "d_1", "--as", "alice"],
        ["download", "pause", "…1", "--as", "alice"], ["download", "resume", "0001", "--as", "alice"],
        ["download", "cancel", "d_1", "--as", "alice"], ["product", "content", "put", "hidden-beaches", sample],
        ["product", "content", "show", "hidden-beaches"], ["product", "show", "pro.monthly"], ["device", "list"],
        ["device", "add", "alice-2", "--as", "alice"], ["tx", "delete", "0001", "--yes"],
        ["tx", "delete", "0001", "--dry-run"], ["tx", "finish", "0001", "--as", "alice"],
        ["buy", "pro.monthly", "--as", "alice", "--outcome", "approve"],
        ["buy", "pro.monthly", "--as", "alice", "--offer", "winback:back.free"],
        ["buy", "pro.monthly", "--as", "alice", "--plan", "monthly"],
        ["time", "status"], ["time", "advance", "3mo"], ["time", "to", "2027-02-21"], ["time", "next", "2"],
        ["time", "rate", "30s=1mo"], ["time", "freeze"], ["time", "real", "--now"],
        ["time", "to", "2026-01-01", "--back"],
        ["sub", "list"], ["sub", "show", "--as", "alice"], ["sub", "timeline", "…0001"], ["sub", "cancel", "0001"],
        ["sub", "resume", "0004"], ["sub", "renew", "--as", "alice"], ["sub", "expire", "--as", "alice"],
        ["sub", "extend", "30", "--as", "alice"], ["sub", "fail-next", "--as", "alice"],
        ["sub", "resolve-billing", "--as", "alice"], ["sub", "change", "pro.yearly", "--as", "alice"],
        ["sub", "upgrade", "pro.yearly", "--as", "alice"], ["sub", "downgrade", "pro.weekly", "--as", "alice"],
        ["refund", "0001", "--reason", "appIssue"], ["refund", "now", "0001"], ["refund", "request", "0001"],
        ["refund", "list"], ["refund", "grant", "0001"], ["refund", "grant", "--as", "alice", "--percent", "50%"],
        ["refund", "decline", "--as", "alice"], ["revoke", "0001"], ["receipt", "--as", "alice"],
        ["verify", text], ["eligibility", "--as", "alice"], ["eligibility", "pro.monthly", "--as", "alice"],
        ["why", "pro.monthly", "--as", "alice"],
        ["promo", "list"], ["promo", "list", "--device", "alice-1"], ["promo", "order", "pro.monthly"],
        ["promo", "order", "hidden-beaches", "--device", "alice-1"], ["promo", "hide", "pro.monthly"],
        ["promo", "hide", "pro.monthly", "--device", "alice-1"], ["promo", "show", "fishing"],
        ["promo", "default", "pro.monthly", "--device", "alice-1"], ["promo", "default"],
        ["promo", "default", "--device", "alice-1"], ["promo", "image", "put", "hidden-beaches", sample],
        ["promo", "image", "approve", "hidden-beaches"], ["promo", "image", "reject", "hidden-beaches"],
        ["promo", "featured"], ["promo", "featured", "pro.monthly"], ["promo", "page", "--as", "alice"],
        ["promo", "page", "--device", "alice-1", "--featured"],
        ["promo", "page", "--as", "alice", "--search", "beach"],
        ["intent", "hidden-beaches", "--as", "alice"], ["intent", "start", Promoted.link, "--device", "alice-1"],
        ["intent", "list"], ["intent", "show", "…2k9f"], ["intent", "continue", "…2k9f"],
        ["intent", "defer", "i_01j2k9f"], ["intent", "cancel", "2k9f"],
        ["intent", "url", "pro.monthly"], ["device", "show", "alice-1"],
        ["device", "put", "alice-1", "--os-version", "17.4"], ["device", "delete", "alice-1", "--yes"],
        ["device", "delete", "alice-1", "--dry-run"], ["device", "install", "alice-1"],
        ["device", "uninstall", "alice-1"], ["buy", "pro.monthly", "--as", "alice", "--intent", "2k9f"],
        ["app", "set", "--renewal-rate", "realTime"], ["notifications", "list"], ["notifications", "endpoint"],
        ["notifications", "endpoint", "http://a.example/", "--retry", "fast"], ["notifications", "resend", "3f2a1c9e"],
        ["notifications", "resend", "--state", "failed"],
        ["notifications", "wait", "DID_RENEW", "--as", "alice"], ["notifications", "wait", "--settled"],
        ["trigger", "DID_RENEW", "--as", "alice"], ["ca", "show"], ["ca", "ocsp", "revoked"], ["ca", "rotate", "leaf"],
    ]

    /// Each prints a sentence, or something another program reads.
    static let others: [[String]] = [
        ["env"], ["store", "create", "--env"], ["down", "--data", "/nowhere"], ["export"],
        ["notifications", "show", "3f2a1c9e"], ["notifications", "endpoint", "--delete"], ["trust"],
        ["trust", "node"], ["ca", "root"], ["ca", "issue", "transaction", "2000000000000001"],
    ]

    /// Any catalogue; the store of these tests does not look at it.
    private static let sample =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        + "/Services/Catalog/Resources/Sample.storekit"

    /// Names, which are digits of base64; the store of these tests takes them for a receipt.
    private static let text =
        "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Listings/Blocks/L17.txt"

    private func run(
        _ arguments: [String], variables: [String: String] = [:], terminal: Terminal = .none
    ) async -> Recorder {
        let variables = ["STOREBUS_ADMIN_KEY": "admin", "STOREBUS_URL": "http://store"].merging(variables) { $1 }
        return await Recorder.run(arguments, variables: variables, terminal: terminal, transport: FakeStore()).said
    }

    @Test(arguments: commands)
    func `JSON says everything that the table says`(command: [String]) async throws {
        let human = await run(command)
        let json = await run(command + ["-o", "json"])
        try #require(!human.result.isEmpty, "\(human.narration)")
        #expect(json.result.split(separator: "\n").count == 1)
        let document = try StrictJSON.parse(Array(json.result.utf8))
        #expect(document["data"] != nil)
        #expect(document["next"] != nil)
        let missing = Coverage(document).missing(from: human.result)
        #expect(missing.isEmpty, "not in \(json.result)")
        if let next = document["next"]?.stringValue { #expect(human.narration.contains("next: \(next)\n")) }
        #expect(json.narration == "")
    }

    @Test(arguments: commands + others)
    func `jsonl is one item a line, names are identifiers`(command: [String]) async throws {
        let lines = await run(command + ["-o", "jsonl"])
        let document = try StrictJSON.parse(Array(await run(command + ["-o", "json"]).result.utf8))
        let data = try #require(document["data"])
        let items = data.arrayValue ?? [data]
        let printed = try lines.result.split(separator: "\n").map { try StrictJSON.parse(Array($0.utf8)) }
        // Instants that are "now" differ between two runs; the number of items does not.
        #expect(printed.count == items.count)
        let names = await run(command + ["-o", "names"]).result
        #expect(!names.contains("{") && !names.contains("  "))
    }

    @Test(arguments: commands + others)
    func `a pipe gets no escape sequence, and a terminal the same words`(command: [String]) async {
        let terminal = Terminal(isInput: true, isOutput: true, isError: true)
        let piped = await run(command)
        #expect(!piped.result.contains("\u{1B}") && !piped.narration.contains("\u{1B}"))
        let painted = await run(command, variables: ["TERM": "xterm"], terminal: terminal)
        // Of these the words depend on the terminal, or on the moment.
        if !["config", "wait", "doctor"].contains(command[0]) {
            #expect(Coverage.withoutColours(painted.result) == piped.result)
        }
    }

    @Test func `colours can be demanded and forbidden`() async {
        let table = ["tx", "list"]
        #expect(await run(table + ["--color", "always"]).result.contains("\u{1B}[32mpurchased\u{1B}[0m"))
        #expect(await run(table, variables: ["CLICOLOR_FORCE": "1"]).result.contains("\u{1B}"))
        #expect(await !run(table, variables: ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]).result.contains("\u{1B}"))
        #expect(await run(table + ["--color", "always"], variables: ["NO_COLOR": "1"]).result.contains("\u{1B}"))
        let terminal = Terminal(isInput: true, isOutput: true, isError: true)
        let never = await run(table + ["--color", "never"], terminal: terminal)
        #expect(!never.result.contains("\u{1B}"))
        let forbidden = await run(table, variables: ["NO_COLOR": "1"], terminal: terminal)
        #expect(!forbidden.result.contains("\u{1B}"))
        let dumb = await run(table, terminal: Terminal(isInput: true, isOutput: true, isError: true, isDumb: true))
        #expect(!dumb.result.contains("\u{1B}"))
        #expect(await run(table, terminal: terminal).result.contains("\u{1B}"))
    }

    @Test(arguments: commands + others)
    func `quiet says nothing beside the result`(command: [String]) async {
        #expect(await run(command + ["-q"]).narration == "")
    }

    @Test func `the flags of every command may stand before it`() async throws {
        let before = await run(["-o", "json", "-q", "tx", "list"])
        let behind = await run(["tx", "list", "-o", "json", "-q"])
        #expect(before.result == behind.result)
        #expect(before.result.hasPrefix("{"))
    }
}
