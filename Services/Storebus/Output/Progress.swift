import EventLoop
import StoreModels

/// Shows on a terminal that work is going on, once it has taken a second; in a pipe nothing is said.
struct Progress: Sendable {
    private let console: Console
    let isShown: Bool

    /// The delay before it is shown.
    static let delay = Duration.seconds(1)
    private static let interval = Duration.milliseconds(120)
    private static let frames = ["|", "/", "-", "\\"]

    init(_ environment: CommandEnvironment, isQuiet: Bool) {
        console = environment.console
        isShown = environment.terminal.isError && !environment.terminal.isDumb && !isQuiet
    }

    /// - Parameter words: the work, `waiting for the store`.
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

    /// Shows words, or takes them away.
    func show(_ words: String?) { console.showProgress(words) }

    /// Takes the words away; the ticker has ended when this returns, so that it cannot show them again.
    func end(_ ticker: Task<Void, Never>) async {
        ticker.cancel()
        await ticker.value
        console.showProgress(nil)
    }
}

/// How far a transfer is, on a terminal and once it has taken a second:
///
/// ```
/// [######--------------]  31 %  22.4 MiB of 72.0 MiB  11.2 MiB/s  5 s left
/// ```
final class TransferProgress: Sendable {
    private let progress: Progress
    private let length: Int64
    private let start = ContinuousClock.now
    /// When it was shown last, and what was there at the first sight: an earlier run's bytes say nothing about the speed.
    private let state = Locked<(shown: ContinuousClock.Instant?, first: Int64?)>((nil, nil))

    private static let interval = Duration.milliseconds(120)
    /// So that the whole line fits 80 columns; a longer one would wrap, and its first half could not be taken away.
    private static let width = 20

    init(_ progress: Progress, length: Int64) {
        self.progress = progress
        self.length = length
    }

    /// - Parameter count: bytes that are there.
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

    /// Takes the line away when the body has ended, however it has.
    func during<Value>(_ body: () async throws(CLIError) -> Value) async throws(CLIError) -> Value {
        do {
            let value = try await body()
            end()
            return value
        } catch {
            end()
            throw error
        }
    }

    private func end() {
        if progress.isShown { progress.show(nil) }
    }

    /// - Parameters:
    ///   - moved: of `count`, what came in `time`.
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
