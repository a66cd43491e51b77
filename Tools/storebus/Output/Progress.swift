import EventLoop
import StoreModels

/// Shows progress on a terminal after a second. In a pipe it prints nothing.
struct Progress: Sendable {
    private let console: Console
    let isShown: Bool

    /// The delay before progress is shown.
    static let delay = Duration.seconds(1)
    private static let interval = Duration.milliseconds(120)
    private static let frames = ["|", "/", "-", "\\"]

    init(_ environment: CommandEnvironment, isQuiet: Bool) {
        console = environment.console
        isShown = environment.terminal.isError && !environment.terminal.isDumb && !isQuiet
    }

    /// - Parameter words: The work, `waiting for the store`.
    func during<Value>(
        _ words: String, _ body: () async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        guard isShown else { return try await body() }
        let ticker = tick(words)
        let result = await Result.of(body)
        await end(ticker)
        return try result.get()
    }

    /// Shows the words until it is cancelled.
    func tick(_ words: String) -> Task<Void, Never> {
        let start = ContinuousClock.now
        return Task { [console] in
            try? await ContinuousClock().sleep(for: Self.delay)
            var frame = 0
            while !Task.isCancelled {
                let seconds = (ContinuousClock.now - start).components.seconds
                console.showProgress("\(Self.frames[frame % Self.frames.count]) \(words) (\(seconds) s)")
                frame += 1
                try? await ContinuousClock().sleep(for: Self.interval)
            }
        }
    }

    /// Shows or removes the words.
    func show(_ words: String?) { console.showProgress(words) }

    /// Removes the words after the ticker has ended, so that it cannot show them again.
    func end(_ ticker: Task<Void, Never>) async {
        ticker.cancel()
        await ticker.value
        console.showProgress(nil)
    }
}

/// Shows the progress of a transfer on a terminal after a second:
///
/// ```
/// [######--------------]  31 %  22.4 MiB of 72.0 MiB  11.2 MiB/s  5 s left
/// ```
final class TransferProgress: Sendable {
    private let progress: Progress
    private let length: Int64
    private let start = ContinuousClock.now
    /// Time of the last output, and the bytes at the start, excluded from the speed.
    private let state = Locked<(shown: ContinuousClock.Instant?, first: Int64?)>((nil, nil))

    private static let interval = Duration.milliseconds(120)
    /// Length of the bar. The line fits 80 columns, because a wrapped line cannot be removed.
    private static let width = 20

    init(_ progress: Progress, length: Int64) {
        self.progress = progress
        self.length = length
    }

    /// - Parameter count: Number of bytes transferred.
    func advance(to count: Int64) {
        guard progress.isShown else { return }
        let now = ContinuousClock.now
        let first: Int64? = state.withLock { state in
            if state.first == nil { state.first = count }
            guard now - start >= Progress.delay, state.shown.map({ now - $0 >= Self.interval }) ?? true else {
                return nil
            }
            state.shown = now
            return state.first
        }
        guard let first else { return }
        progress.show(Self.text(count, of: length, moved: count - first, in: now - start))
    }

    /// Runs the body and removes the line afterwards.
    func during<Value>(_ body: () async throws(CLIError) -> Value) async throws(CLIError) -> Value {
        let result = await Result.of(body)
        end()
        return try result.get()
    }

    private func end() {
        if progress.isShown { progress.show(nil) }
    }

    /// - Parameters:
    ///   - moved: Number of bytes received in `time`.
    static func text(_ count: Int64, of length: Int64, moved: Int64, in time: Duration) -> String {
        let share = length > 0 ? min(Double(count) / Double(length), 1) : 1
        let marks = Int(share * Double(width))
        let bar = String(repeating: "#", count: marks) + String(repeating: "-", count: width - marks)
        let percent = "\(Int(share * 100))"
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        let speed = seconds > 0 ? Double(moved) / seconds : 0
        var words = [
            "[\(bar)] \(String(repeating: " ", count: 3 - percent.count))\(percent) %",
            "\(Format.size(count)) of \(Format.size(length))",
        ]
        if speed >= 1 {
            words.append("\(Format.size(Int64(speed)))/s")
            words.append("\(Int((Double(length - count) / speed).rounded(.up))) s left")
        }
        return words.joined(separator: "  ")
    }
}
