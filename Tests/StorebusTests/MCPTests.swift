import ArgumentParser
import EventLoop
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// The commands as tools of agents.
@Suite struct MCPTests {
    // MARK: Tools

    @Test func `every command is a tool, or one for a person or a script`() {
        let tools = Set(CommandTool.all.map(\.name))
        #expect(tools.count == CommandTool.all.count)
        for entry in CommandReference.entries where !entry.isGroup {
            let isForPeople = entry.command is any TerminalCommand.Type
            #expect(tools.contains(entry.path.joined(separator: "_")) != isForPeople, "\(entry.path)")
            #expect(!isForPeople || !(entry.command is any ReadingCommand.Type), "\(entry.path)")
        }
        #expect(tools.isSuperset(of: ["tx_list", "buy", "time_advance", "promo_image_put", "status"]))
        #expect(tools.isDisjoint(with: ["up", "watch", "tx_watch", "env", "store_run", "mcp", "help"]))
    }

    @Test func `a tool has each option and argument of its command once, and none about the terminal`() throws {
        let list = try #require(CommandTool.all.first { $0.name == "tx_list" })
        #expect(
            list.arguments.keys.sorted() == [
                "after", "as", "bundle-id", "filter", "limit", "state", "store", "timeout", "unfinished",
            ])
        #expect(list.isReading && list.description.contains("storebus tx list --as alice"))
        let schema = try #require(list.listed["inputSchema"])
        #expect(schema["properties"]?["filter"]?["type"] == "array")
        #expect(schema["properties"]?["unfinished"]?["type"] == "boolean")
        #expect(schema["properties"]?["limit"]?["default"] == "50")
        #expect(schema["required"] == .array([]))
        let delete = try #require(CommandTool.all.first { $0.name == "tx_delete" })
        #expect(!delete.isReading && delete.arguments["yes"] != nil)
        #expect(delete.listed["inputSchema"]?["required"] == .array(["transaction"]))
    }

    @Test(.slow, arguments: EveryCommandTests.commands)
    func `a command that says it reads sends no other request`(command: [String]) async {
        guard StorebusCommand.type(of: command) is any ReadingCommand.Type else { return }
        let store = FakeStore()
        _ = await Recorder.run(
            command, variables: ["STOREBUS_ADMIN_KEY": "admin", "STOREBUS_URL": "http://store"], transport: store)
        let changes = store.requests.filter { $0.method != .get && !$0.path.hasSuffix("/verifyReceipt") }
        #expect(changes.isEmpty, "\(changes.map(\.path))")
    }

    @Test func `names are those that every client's schemas admit`() {
        for tool in CommandTool.all {
            for name in [tool.name] + tool.arguments.keys {
                let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
                #expect(isPlain && (1...64).contains(name.utf8.count), "\(name) of \(tool.name)")
            }
        }
    }

    @Test func `a tool that reads writes no file, and sends no file to a bus`() {
        let files = CommandTool.all.filter(\.isReading).flatMap { tool in
            tool.arguments.keys.filter { ["out", "svg", "to", "bus-url", "bus-token-file"].contains($0) }
        }
        #expect(files.isEmpty, "\(files)")
    }

    // MARK: Command lines

    private func words(
        _ name: String, _ given: [String: JSONValue], fixed: [String: String] = [:]
    ) throws -> [String] {
        try #require(CommandTool.all.first { $0.name == name }).words(given, fixed: fixed)
    }

    @Test func `members become options and words, in the order of the command`() throws {
        #expect(
            try words("sub_extend", ["subscription": "0001", "days": 30])
                == ["sub", "extend", "--output=json", "30", "0001"])
        #expect(
            try words("promo_order", ["product": .array(["b", "a"]), "device": "alice-1"])
                == ["promo", "order", "--device=alice-1", "--output=json", "b", "a"])
        #expect(
            try words("tx_list", ["unfinished": true, "limit": 3])
                == ["tx", "list", "--limit=3", "--unfinished", "--output=json"])
        #expect(try words("tx_list", ["unfinished": false]) == ["tx", "list", "--limit=50", "--output=json"])
        #expect(try words("tx_list", ["after": .null]) == ["tx", "list", "--limit=50", "--output=json"])
    }

    @Test func `a value that looks like a flag stays a value`() async throws {
        let line = try words("tx_delete", ["transaction": "--yes", "store": "--yes"])
        #expect(line == ["tx", "delete", "--store=--yes", "--output=json", "--", "--yes"])
        let parsed = try await StorebusCommand.asyncParseAsRoot(line)
        #expect((parsed as? TxDeleteCommand)?.options.yes == false)
    }

    @Test func `the server's options are those of each call that has none of its own`() throws {
        let fixed = ["url": "http://a", "store": "t-7", "bundle-id": "com.example.a"]
        #expect(
            try words("app_show", [:], fixed: fixed)
                == ["app", "show", "--bundle-id=com.example.a", "--store=t-7", "--url=http://a", "--output=json"])
        #expect(try words("app_show", ["store": .null], fixed: fixed) == words("app_show", [:], fixed: fixed))
        #expect(
            try words("app_show", ["store": "t-8"], fixed: fixed)
                == ["app", "show", "--store=t-8", "--bundle-id=com.example.a", "--url=http://a", "--output=json"])
        #expect(try words("version", [:], fixed: fixed) == ["version", "--output=json"])
        #expect(
            try words("store_delete", ["store": .array(["t-8"])], fixed: fixed)
                == ["store", "delete", "--url=http://a", "--output=json", "t-8"])
        #expect(
            try words("notifications_endpoint", ["url": "http://b/"], fixed: ["url": "http://a"])
                == ["notifications", "endpoint", "--url=http://a", "--output=json", "http://b/"])
    }

    @Test func `a wrong member is named, with those that there are`() {
        func message(_ name: String, _ given: [String: JSONValue]) -> String? {
            let error = #expect(throws: CLIError.self) { _ = try words(name, given) }
            return error.map { "\($0.message); \($0.hints.map(\.text).joined())" }
        }
        #expect(message("version", ["colour": "red"])?.hasPrefix("version has no argument 'colour'") == true)
        #expect(message("tx_show", ["transaction": [:]])?.contains("is a string, and not an object") == true)
        #expect(message("tx_list", ["unfinished": "yes"])?.contains("is true or false, and not a string") == true)
        #expect(message("promo_order", ["product": .array([true])])?.contains("a list of strings") == true)
    }

    @Test func `a page's length is one of an agent's, and another limit stays as it is`() throws {
        #expect(
            try words("code_create", ["product": "p", "offer": "O", "code": "A"])
                == ["code", "create", "--code=A", "--output=json", "p", "O"])
        #expect(try words("logs", ["lines": 3]) == ["logs", "--lines=3", "--output=json"])
    }

    // MARK: Conversations

    /// Answers of a server whose commands run against ``FakeStore``, or do as they are told.
    private func answers(
        to messages: [String], canWrite: Bool = false, run: (@Sendable ([String]) async -> MCPServer.Outcome)? = nil
    ) async throws -> [JSONValue] {
        let sent = Locked<[JSONValue]>([])
        let server = MCPServer(canWrite: canWrite, fixed: [:]) { words in
            if let run { return await run(words) }
            let (status, said) = await Recorder.run(
                words, variables: ["STOREBUS_ADMIN_KEY": "admin", "STOREBUS_URL": "http://store"],
                transport: FakeStore())
            return MCPServer.Outcome(texts: [said.result + said.narration], isError: status != .success)
        } send: { message in
            sent.withLock { $0.append(message) }
        }
        for message in messages { server.receive(Array(message.utf8)) }
        await server.settle()
        return sent.withLock { $0 }
    }

    private func call(_ id: Int, _ name: String, _ arguments: String = "{}", meta: String = "{}") -> String {
        """
        {"jsonrpc":"2.0","id":\(id),"method":"tools/call",\
        "params":{"name":"\(name)","arguments":\(arguments),"_meta":\(meta)}}
        """
    }

    @Test(arguments: [("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-11-25")])
    func `a client that greets gets its revision, or the newest`(wanted: String, given: String) async throws {
        let sent = try await answers(to: [
            #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(wanted)"}}"#,
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            #"{"jsonrpc":"2.0","id":"a","method":"ping"}"#, #"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        ])
        #expect(sent.map { $0["id"] } == [0, "a", 2])
        #expect(sent[0]["result"]?["protocolVersion"] == .string(given))
        #expect(sent[0]["result"]?["serverInfo"]?["name"] == "storebus")
        #expect(sent[1]["result"] == [:])
        let tools = try #require(sent[2]["result"]?["tools"]?.arrayValue)
        #expect(tools.allSatisfy { $0["annotations"]?["readOnlyHint"] == true } && tools.count > 40)
        #expect(sent[2]["result"]?["resultType"] == nil)
    }

    @Test func `a client of the revision without a greeting discovers, and its results are complete`() async throws {
        let meta = #"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
        let sent = try await answers(to: [
            #"{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":\#(meta)}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":\#(meta)}}"#,
            call(2, "version", meta: meta),
            call(3, "version", meta: #"{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}"#),
        ])
        let byID = Dictionary(uniqueKeysWithValues: sent.map { ($0["id"]?.intValue ?? -1, $0) })
        #expect(byID[0]?["result"]?["supportedVersions"] == .array(["2026-07-28"]))
        for id in 0...2 { #expect(byID[id]?["result"]?["resultType"] == "complete") }
        #expect(byID[1]?["result"]?["cacheScope"] == "private")
        #expect(byID[3]?["error"]?["code"] == -32022)
        #expect(byID[3]?["error"]?["data"]?["supported"] == .array(["2026-07-28"]))
    }

    @Test func `a call gives what the command prints, and an error of the store is one of the call`() async throws {
        let sent = try await answers(to: [call(1, "tx_show", #"{"transaction":"0001"}"#)])
        #expect(sent[0]["result"]?["isError"] == false)
        let text = try #require(sent[0]["result"]?["content"]?.arrayValue?.first?["text"]?.stringValue)
        #expect(try StrictJSON.parse(Array(text.utf8))["data"]?["transactionIdentifier"] != nil)
        let failed = try await answers(to: [call(1, "tx_show", #"{"transaction":"9999"}"#)])
        #expect(failed[0]["result"]?["isError"] == true)
        #expect("\(failed[0])".contains("notFound"))
    }

    @Test func `without write a command that changes something is refused, and not run`() async throws {
        let runs = Locked(0)
        let run: @Sendable ([String]) async -> MCPServer.Outcome = { _ in
            runs.withLock { $0 += 1 }
            return MCPServer.Outcome(texts: ["done"], isError: false)
        }
        let refused = try await answers(to: [call(1, "buy", #"{"product":"p","as":"a"}"#)], run: run)
        #expect(refused[0]["result"]?["isError"] == true && "\(refused[0])".contains("storebus mcp --write"))
        #expect(runs.withLock { $0 } == 0)
        let done = try await answers(to: [call(1, "buy", #"{"product":"p","as":"a"}"#)], canWrite: true, run: run)
        #expect(done[0]["result"]?["isError"] == false)
        #expect(runs.withLock { $0 } == 1)
    }

    @Test(arguments: [
        ("{", -32700), (#"{"jsonrpc":"2.0","id":1,"method":"x","method":"y"}"#, -32700), ("[]", -32600), ("1", -32600),
        (#"{"id":1,"method":"ping"}"#, -32600), (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32601),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"version","arguments":"{}"}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tx_lst"}}"#, -32602),
    ])
    func `a message that is none gets an error, and the next one an answer`(message: String, code: Int) async throws {
        let sent = try await answers(to: [message, #"{"jsonrpc":"2.0","id":"next","method":"ping"}"#])
        #expect(sent.count == 2)
        #expect(sent.first?["error"]?["code"] == .integer(code))
        #expect(sent.last?["id"] == "next")
    }

    @Test func `a call does not wait for the one before it, and a cancelled one has no answer`() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let sent = Locked<[JSONValue]>([])
        let server = MCPServer(canWrite: false, fixed: [:]) { words in
            guard words.first == "wait" else { return MCPServer.Outcome(texts: ["quick"], isError: false) }
            begin.yield()
            await Self.untilCancelled()
            return MCPServer.Outcome(texts: ["slow"], isError: false)
        } send: { message in
            sent.withLock { $0.append(message) }
        }
        server.receive(Array(call(1, "wait", #"{"filter":["purchased"]}"#).utf8))
        var beginnings = begun.makeAsyncIterator()
        await beginnings.next()
        let (lines, input) = AsyncStream.makeStream(of: InputLine.self)
        input.yield(.line(Array(call(2, "version").utf8)))
        let cancelled = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#
        input.yield(.line(Array(cancelled.utf8)))
        input.yield(.line(Array(call(1, "version").utf8)))
        input.yield(.tooLong)
        input.finish()
        await server.serve(lines)
        await server.settle()
        let answers = sent.withLock { $0 }
        #expect(Set(answers.map { $0["id"] }) == [2, .null, 1])
        #expect(answers.contains { $0["id"] == 1 && $0["error"]?["code"] == -32600 }, "its id is in use until it ends")
        #expect(answers.contains { $0["error"]?["code"] == -32700 })
        #expect(!"\(answers)".contains("slow"))
    }

    /// Ends when the task that awaits it is cancelled.
    private static func untilCancelled() async {
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        await withTaskCancellationHandler {
            for await _ in never {}
        } onCancel: {
            end.finish()
        }
    }

    // MARK: Input

    @Test func `lines are the same in whichever portions they come`() {
        var random = SplitMix64.seeded()
        let text = Array("one\n\ntwo words\r\nlast".utf8)
        for _ in 1...100 {
            var splitter = InputLine.Splitter()
            var lines: [InputLine] = []
            var rest = text[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &random)
                lines += splitter.lines(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            if let last = splitter.rest { lines.append(last) }
            #expect(lines == ["one", "", "two words\r", "last"].map { .line(Array($0.utf8)) })
        }
    }

    @Test func `a line beyond the limit is dropped, and the next one read`() {
        var splitter = InputLine.Splitter()
        let long = [UInt8](repeating: 0x61, count: InputLine.byteCountMax)
        #expect(splitter.lines(long[...]).isEmpty)
        #expect(splitter.lines([0x0A]) == [.line(long)])
        #expect(splitter.lines(long[...]).isEmpty)
        #expect(splitter.lines([0x61, 0x0A, 0x62, 0x0A]) == [.tooLong, .line([0x62])])
        #expect(splitter.rest == nil)
    }
}
