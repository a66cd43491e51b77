/// Tells of each request, for `-v`: `GET /readyz  200  1.2 ms`. Tokens and bodies are not told.
struct TracingTransport: StoreTransport {
    private let transport: any StoreTransport
    private let tell: @Sendable (String) -> Void

    init(_ transport: any StoreTransport, tell: @escaping @Sendable (String) -> Void) {
        self.transport = transport
        self.tell = tell
    }

    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse {
        let start = ContinuousClock.now
        do {
            let response = try await transport.send(request)
            say(request, "\(response.status)", since: start)
            return response
        } catch {
            say(request, error.code.name, since: start)
            throw error
        }
    }

    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream {
        let start = ContinuousClock.now
        let stream = try await transport.open(request)
        say(request, "\(stream.status)", since: start)
        return stream
    }

    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse {
        let start = ContinuousClock.now
        do {
            let response = try await transport.upload(request, file)
            say(request, "\(response.status)", since: start)
            return response
        } catch {
            say(request, error.code.name, since: start)
            throw error
        }
    }

    private func say(_ request: StoreRequest, _ end: String, since start: ContinuousClock.Instant) {
        let time = Words.delay(ContinuousClock.now - start)
        tell("\(request.method.rawValue) \(Table.onOneLine(request.path))  \(end)  \(time)\n")
    }
}
