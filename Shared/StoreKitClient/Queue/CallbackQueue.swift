/// Runs callbacks one after the other, on the queue that the app has set. Without one they run on the main queue while
/// the program serves it, else on a background queue.
///
/// A main run loop, `dispatchMain()` and an async `main` serve the main queue, so their callbacks come there, as with
/// StoreKit. In a tool whose main thread waits in another way, callbacks come on the background queue (M35).
final class CallbackQueue: Sendable {
    private let queue: DispatchQueue
    /// The main run loop, or nil if the app has set a queue.
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
        /// The interval at which a callback waiting for the loop checks that it still runs.
        var interval = Duration.milliseconds(100)
        /// The number of successive checks that must find the loop stopped. An app may run its loop in short turns.
        var checksMax = 10

        /// The main run loop of the process, which serves the main queue while it runs.
        static let live = MainLoop(
            isRunning: { RunLoop.main.currentMode != nil || MainQueue.isServed },
            perform: { DispatchQueue.main.async(execute: $0) })
    }
}

/// Detects whether libdispatch serves the main queue without a run loop. It does after `dispatchMain()` and under an
/// async `main`, until the process ends.
private enum MainQueue {
    private static let served = LockedValue(false)

    private static let probe: Void = DispatchQueue.main.async {
        if RunLoop.main.currentMode == nil { served.withLock { $0 = true } }
    }

    static func watch() { _ = probe }

    static var isServed: Bool { served.withLock { $0 } }
}

/// A callback that runs once, on the queue that takes it first.
private final class Turn: Sendable {
    private let callback: @Sendable () -> Void
    private let isTaken = LockedValue(false)
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

    /// Waits until the callback has run. Runs it on this queue if the main loop has ended.
    func wait(_ main: CallbackQueue.MainLoop) {
        var checks = 0
        while done.wait(timeout: .now() + main.interval / .seconds(1)) == .timedOut {
            checks = main.isRunning() || isTaken.withLock { $0 } ? 0 : checks + 1
            if checks >= main.checksMax { take() }
        }
    }
}
