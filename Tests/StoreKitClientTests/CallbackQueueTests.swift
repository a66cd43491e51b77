import Foundation
import StorebusTesting
import Testing

@testable import StoreKitClient

/// M35: callbacks come to the main queue where the main run loop runs, and come all the same where it does not.
@Suite struct CallbackQueueTests {
    /// Takes the place of the main run loop: what is performed waits until it turns.
    private final class Loop: Sendable {
        private let waiting = LockedValue<[@Sendable () -> Void]>([])
        private let running: LockedValue<Bool>

        init(isRunning: Bool) { running = LockedValue(isRunning) }

        var main: CallbackQueue.MainLoop {
            CallbackQueue.MainLoop(
                isRunning: { [running] in running.withLock { $0 } },
                perform: { [waiting] work in waiting.withLock { $0.append(work) } }, interval: .milliseconds(1),
                checksMax: 3)
        }

        func set(isRunning: Bool) { running.withLock { $0 = isRunning } }
        var waitingCount: Int { waiting.withLock { $0.count } }

        func turn() {
            let works = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for work in works { work() }
        }
    }

    @Test func `M35: without a main run loop callbacks run at once, in order`() async throws {
        let loop = Loop(isRunning: false)
        let callbacks = CallbackQueue(target: nil, main: loop.main)
        let told = LockedValue<[Int]>([])
        for number in 0..<100 { callbacks.async { told.withLock { $0.append(number) } } }
        try await eventually("all are told") { told.withLock { $0 } == Array(0..<100) }
        #expect(loop.waitingCount == 0)
    }

    @Test func `where the main run loop runs, callbacks wait for it, one after the other`() async throws {
        let loop = Loop(isRunning: true)
        let callbacks = CallbackQueue(target: nil, main: loop.main)
        let told = LockedValue<[Int]>([])
        for number in 0..<3 { callbacks.async { told.withLock { $0.append(number) } } }
        for number in 0..<3 {
            try await eventually("callback \(number) waits for the loop") { loop.waitingCount == 1 }
            #expect(told.withLock { $0.count } == number)
            loop.turn()
            #expect(told.withLock { $0.count } == number + 1)
        }
        #expect(told.withLock { $0 } == [0, 1, 2])
    }

    @Test func `a callback whose loop ends before it came runs once, in the background`() async throws {
        let loop = Loop(isRunning: true)
        let callbacks = CallbackQueue(target: nil, main: loop.main)
        let told = LockedValue<[Int]>([])
        callbacks.async { told.withLock { $0.append(1) } }
        callbacks.async { told.withLock { $0.append(2) } }
        try await eventually("the first waits for the loop") { loop.waitingCount == 1 }
        loop.set(isRunning: false)
        try await eventually("both are told") { told.withLock { $0 } == [1, 2] }
        loop.turn()
        #expect(told.withLock { $0 } == [1, 2])
    }

    /// Covers `dispatchMain()` and programs with an async `main`, such as this test's process.
    @Test func `M35: where libdispatch empties the main queue, callbacks come there without a run loop`() async throws {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        let callbacks = CallbackQueue(target: nil)
        // The main queue has been emptied once since.
        await MainActor.run {}
        let place = LockedValue<String?>(nil)
        callbacks.async { place.withLock { $0 = DispatchQueue.getSpecific(key: key) ?? "elsewhere" } }
        try await eventually("it is called") { place.withLock { $0 } != nil }
        #expect(place.withLock { $0 } == "main")
    }

    @Test func `the app's own queue comes before the main run loop`() async throws {
        let loop = Loop(isRunning: true)
        let key = DispatchSpecificKey<String>()
        let target = DispatchQueue(label: "app")
        target.setSpecific(key: key, value: "app")
        let callbacks = CallbackQueue(target: target, main: loop.main)
        let place = LockedValue<String?>(nil)
        callbacks.async { place.withLock { $0 = DispatchQueue.getSpecific(key: key) } }
        try await eventually("it is told there") { place.withLock { $0 } == "app" }
    }
}
