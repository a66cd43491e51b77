import EventLoop
import StoreModels

/// A server of the Model Context Protocol: JSON-RPC 2.0 with one message a line, each call in a task of its own.
final class MCPServer: Sendable {
    /// The output of a command, and its success.
    struct Outcome: Sendable {
        var texts: [String]
        var isError: Bool
    }

    /// Revisions that begin with `initialize`, the newest last. What they say of tools is the same. That of 2025-03-26
    /// is not among them, because it has several messages in a list.
    static let greeted = ["2024-11-05", "2025-06-18", "2025-11-25"]
    /// The revision without `initialize`: each request names it, and each result says that it is complete.
    static let stateless = "2026-07-28"

    private let tools: [CommandTool]
    private let canWrite: Bool
    private let fixed: [String: String]
    private let run: @Sendable ([String]) async -> Outcome
    private let send: @Sendable (JSONValue) -> Void
    private let calls = Locked(Calls())

    /// Calls whose command runs, by numbers of their own.
    private struct Calls {
        var open: [Int: Call] = [:]
        var next = 0
    }

    private struct Call {
        let id: JSONValue
        let task: Task<Void, Never>
        /// The client wants no answer. The command ends all the same, and takes back what it has to.
        var isCancelled = false
    }

    /// - Parameters:
    ///   - canWrite: Whether tools that change the store are offered.
    ///   - fixed: Values by the names of options. Each call gets them.
    ///   - run: Runs a command line behind `storebus`.
    ///   - send: Sends a message to the client.
    init(
        tools: [CommandTool] = CommandTool.all, canWrite: Bool, fixed: [String: String],
        run: @escaping @Sendable ([String]) async -> Outcome, send: @escaping @Sendable (JSONValue) -> Void
    ) {
        self.tools = tools
        self.canWrite = canWrite
        self.fixed = fixed
        self.run = run
        self.send = send
    }

    /// Serves until the input ends or the task is cancelled, and then ends the calls that run.
    func serve(_ lines: AsyncStream<InputLine>) async {
        for await line in lines {
            switch line {
            case .line(let bytes): receive(bytes)
            case .tooLong: fail(.null, .parse, "a message has at most \(InputLine.byteCountMax / 1024 / 1024) MiB")
            }
        }
        for call in calls.withLock({ Array($0.open.values) }) { call.task.cancel() }
        await settle()
    }

    /// Waits until no call runs.
    func settle() async {
        for call in calls.withLock({ Array($0.open.values) }) { await call.task.value }
    }

    // MARK: Messages

    /// Error codes of JSON-RPC, and the protocol's own one.
    private enum Fault: Int {
        case parse = -32700, request = -32600, method = -32601, parameters = -32602, revision = -32022
    }

    /// The parts of a request that its answer depends on.
    private struct Request {
        let id: JSONValue
        let isStateless: Bool
    }

    func receive(_ bytes: [UInt8]) {
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) { return }
        let message: JSONValue
        do {
            message = try StrictJSON.parse(bytes)
        } catch {
            return fail(.null, .parse, "\(error)")
        }
        guard message["jsonrpc"] == "2.0", let method = message["method"]?.stringValue else {
            // An answer to a request that this server never sends.
            if message["result"] != nil || message["error"] != nil { return }
            return fail(message["id"] ?? .null, .request, "a message has jsonrpc \"2.0\" and a method")
        }
        let parameters = message["params"] ?? [:]
        guard let id = message["id"] else { return notified(method, parameters) }
        let revision = parameters["_meta"]?["io.modelcontextprotocol/protocolVersion"]?.stringValue
        guard revision == nil || revision == Self.stateless else {
            return fail(
                id, .revision, "this revision is not spoken here",
                ["supported": .array([.string(Self.stateless)]), "requested": .string(revision ?? "")])
        }
        let request = Request(id: id, isStateless: revision != nil)
        switch method {
        case "initialize": answer(request, greeting(parameters["protocolVersion"]?.stringValue))
        case "server/discover": answer(request, discovery, isKept: true)
        case "ping": answer(request, [:])
        case "tools/list":
            let offered = tools.filter { canWrite || $0.isReading }.map(\.listed)
            answer(request, ["tools": .array(offered)], isKept: true)
        case "tools/call": call(request, parameters)
        default: fail(id, .method, "there is no method '\(method)': this server has tools only")
        }
    }

    private func notified(_ method: String, _ parameters: JSONValue) {
        guard method == "notifications/cancelled", let id = parameters["requestId"] else { return }
        calls.withLock { calls in
            for (number, call) in calls.open where call.id == id {
                calls.open[number]?.isCancelled = true
                call.task.cancel()
            }
        }
    }

    private func greeting(_ wanted: String?) -> JSONValue {
        let revision = wanted.flatMap { Self.greeted.contains($0) ? $0 : nil } ?? Self.greeted.last ?? ""
        return described.with(["protocolVersion": .string(revision), "serverInfo": Self.implementation])
    }

    private var discovery: JSONValue {
        described.with([
            "supportedVersions": .array([.string(Self.stateless)]),
            "_meta": ["io.modelcontextprotocol/serverInfo": Self.implementation],
        ])
    }

    private static let implementation: JSONValue = [
        "name": "storebus", "version": .string(StorebusVersion.number),
    ]

    private var described: JSONValue { ["capabilities": ["tools": [:]], "instructions": .string(instructions)] }

    private var instructions: String {
        """
        Each tool is a command of storebus, a StoreKit-shaped store: tx_list is `storebus tx list`. Results are JSON \
        with 'data' and 'next', a suggested command. A list with 'limit' has \(CommandTool.pageLength) entries unless \
        that says otherwise; 'after' continues it.
        """ + (canWrite ? "" : " This server only reads; `storebus mcp --write` offers the other commands as well.")
    }

    // MARK: Calls

    private func call(_ request: Request, _ parameters: JSONValue) {
        let id = request.id
        guard let name = parameters["name"]?.stringValue else { return fail(id, .parameters, "name a tool") }
        guard let tool = tools.first(where: { $0.name == name }) else {
            let near = Suggestion.suffix(for: name, among: tools.map(\.name))
            return fail(id, .parameters, "there is no tool '\(name)'\(near)")
        }
        guard canWrite || tool.isReading else {
            let error = CLIError(
                .usage, "\(name) changes the store, and this server only reads",
                hints: ["start it as storebus mcp --write"])
            return finish(request, Outcome(texts: [error.json], isError: true))
        }
        guard let arguments = (parameters["arguments"] ?? [:]).objectValue else {
            return fail(id, .parameters, "'arguments' is an object")
        }
        guard !calls.withLock({ $0.open.values.contains { $0.id == id } }) else {
            return fail(id, .request, "a call with this id has not ended")
        }
        let words: [String]
        do throws(CLIError) {
            words = try tool.words(arguments, fixed: fixed)
        } catch {
            return finish(request, Outcome(texts: [error.json], isError: true))
        }
        calls.withLock { calls in
            let number = calls.next
            calls.next += 1
            calls.open[number] = Call(id: id, task: Task { await answer(request, number, words) })
        }
    }

    private func answer(_ request: Request, _ number: Int, _ words: [String]) async {
        let outcome = await run(words)
        // It waits for the lock under which it was put there.
        let call = calls.withLock { $0.open.removeValue(forKey: number) }
        if call?.isCancelled == false { finish(request, outcome) }
    }

    private func finish(_ request: Request, _ outcome: Outcome) {
        answer(
            request,
            [
                "content": .array(outcome.texts.map { ["type": "text", "text": .string($0)] }),
                "isError": .bool(outcome.isError),
            ])
    }

    /// - Parameter isKept: Whether the result stays the same as long as the server runs.
    private func answer(_ request: Request, _ result: JSONValue, isKept: Bool = false) {
        var result = result
        if request.isStateless {
            result = result.with(["resultType": "complete"])
            if isKept { result = result.with(["ttlMs": .integer(Self.keptMilliseconds), "cacheScope": "private"]) }
        }
        send(["jsonrpc": "2.0", "id": request.id, "result": result])
    }

    private static let keptMilliseconds = 3_600_000

    private func fail(_ id: JSONValue, _ fault: Fault, _ message: String, _ data: JSONValue? = nil) {
        let error: JSONValue = ["code": .integer(fault.rawValue), "message": .string(message)]
        send(["jsonrpc": "2.0", "id": id, "error": error.with(["data": data])])
    }
}
