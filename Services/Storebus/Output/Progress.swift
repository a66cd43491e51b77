import StoreModels

/// Says on a terminal that something goes on, once it has taken a second; in a pipe nothing is said.
struct Progress: Sendable {
    private let console: Console
    let isShown: Bool

    /// Before it, nobody is told.
    static let patience = Duration.seconds(1)
    private static let interval = Duration.milliseconds(120)
    private static let frames = ["|", "/", "-", "\\"]

    init(_ environment: CommandEnvironment, isQuiet: Bool) {
        console = environment.console
        isShown = environment.terminal.isError && !environment.terminal.isDumb && !isQuiet
    }

    /// - Parameter words: what goes on, `waiting for the store`.
    func during<Value>(
        _ words: String, _ body: () async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        guard isShown else { return try await body() }
        let ticker = tick(words)
        do {
            let value = try await body()
            await end(ticker)
            return value
        } catch {
            await end(ticker)
            throw error
        }
    }

    /// Shows the words until it is cancelled.
    func tick(_ words: String) -> Task<Void, Never> {
        let start = ContinuousClock.now
        return Task { [console] in
            try? await ContinuousClock().sleep(for: Self.patience)
            var frame = 0
            while !Task.isCancelled {
                let seconds = (ContinuousClock.now - start).components.seconds
                console.showProgress("\(Self.frames[frame % Self.frames.count]) \(words) (\(seconds) s)")
                frame += 1
                try? await ContinuousClock().sleep(for: Self.interval)
            }
        }
    }

    /// Shows words, or takes them away.
    func show(_ words: String?) { console.showProgress(words) }

    /// Takes the words away; the ticker has ended when this returns, so that it cannot show them again.
    func end(_ ticker: Task<Void, Never>) async {
        ticker.cancel()
        await ticker.value
        console.showProgress(nil)
    }
}
