import Dispatch
import EventLoop
import Testing

@testable import BusClient

@Suite(.timeLimit(.minutes(1))) struct StateBroadcastTests {
    @Test func `readers see the states in their order, and the last one ends them`() async {
        let broadcast = StateBroadcast()
        let states = broadcast.stream()
        broadcast.set(.connected)
        broadcast.set(.connected)
        broadcast.set(.connecting)
        broadcast.end(BusError(.closed, "the client was closed"))
        broadcast.set(.connected)
        #expect(await states.reduce(into: []) { $0.append($1) } == [.connecting, .connected, .connecting, .closed])
        #expect(await broadcast.stream().reduce(into: []) { $0.append($1) } == [.closed])
    }

    /// The end of a task group cancels a reader on one thread while another wakes it. Each of them holds a lock that the
    /// other wants, if the state's lock is held for waking.
    @Test func `cancelling readers while the state changes causes no deadlock`() async {
        let broadcast = StateBroadcast()
        let isOver = Locked(false)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withCheckedContinuation { continuation in
                    DispatchQueue(label: "loop").async {
                        while !isOver.withLock({ $0 }) { for state in Self.changes { broadcast.set(state) } }
                        continuation.resume()
                    }
                }
            }
            for _ in 0..<20_000 {
                await withTaskGroup(of: Void.self) { readers in
                    readers.addTask { for await _ in broadcast.stream() {} }
                    readers.addTask { await Task.yield() }
                    await readers.next()
                    readers.cancelAll()
                }
            }
            isOver.withLock { $0 = true }
        }
    }

    private static let changes: [BusConnectionState] = [.connected, .connecting]
}
