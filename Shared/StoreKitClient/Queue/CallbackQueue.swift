/// Runs callbacks one after the other: on the queue the app has set, else on the main queue while something empties it,
/// else on a background queue.
///
/// An app whose main thread runs a loop, `dispatchMain()` or an async `main` gets its callbacks there, as with StoreKit.
/// A tool whose main thread waits in another way has nothing that empties the main queue, and still gets them (M35).
final class CallbackQueue: Sendable {
    private let queue: DispatchQueue
    /// Nil where the app has set a queue.
    private let main: MainLoop?

    init(target: DispatchQueue?, main: MainLoop = .live) {
        MainQueue.watch()
        queue = DispatchQueue(label: "StoreKitClient.callbacks", target: target)
        self.main = target == nil ? main : nil
    }

    func async(_ callback: @escaping @Sendable () -> Void) {
        queue.async { [main] in
            guard let main, main.isRunning() else { return callback() }
            let turn = Turn(callback)
            main.perform { turn.take() }
            turn.wait(main)
        }
    }

    /// The process's main run loop.
    struct MainLoop: Sendable {
        var isRunning: @Sendable () -> Bool
        var perform: @Sendable (@escaping @Sendable () -> Void) -> Void
        /// How often a callback that waits for the loop looks whether it still runs.
        var interval = Duration.milliseconds(100)
        /// How many checks must find it stopped. An app which runs it in short turns must not be taken for one that has
        /// ended it.
        var looks = 10

        /// Main queue and main run loop belong together: where the loop runs, it empties the queue.
        static let live = MainLoop(
            isRunning: { RunLoop.main.currentMode != nil || MainQueue.isServed },
            perform: { DispatchQueue.main.async(execute: $0) })
    }
}

/// Finds out whether libdispatch empties the main queue without a run loop: after `dispatchMain()`, and under an async
/// `main`. It then does so until the process ends.
private enum MainQueue {
    private static let served = Locked(false)

    private static let probe: Void = DispatchQueue.main.async {
        if RunLoop.main.currentMode == nil { served.withLock { $0 = true } }
    }

    static func watch() { _ = probe }

    static var isServed: Bool { served.withLock { $0 } }
}

/// A callback that runs once, on the queue that comes first.
private final class Turn: Sendable {
    private let callback: @Sendable () -> Void
    private let isTaken = Locked(false)
    private let done = DispatchSemaphore(value: 0)

    init(_ callback: @escaping @Sendable () -> Void) { self.callback = callback }

    func take() {
        let isFirst = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isFirst else { return }
        callback()
        done.signal()
    }

    /// Returns when the callback has run; runs it here if the loop ended before reaching it.
    func wait(_ main: CallbackQueue.MainLoop) {
        var looks = 0
        while done.wait(timeout: .now() + main.interval / .seconds(1)) == .timedOut {
            looks = main.isRunning() || isTaken.withLock { $0 } ? 0 : looks + 1
            if looks >= main.looks { take() }
        }
    }
}
