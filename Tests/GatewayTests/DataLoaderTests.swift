import BusClient
import BusService
import EventLoop
import StoreModels
import StorebusTesting
import Testing

@testable import AppAPI

/// Goal: questions that are gathered are answered as if each had been asked alone.
@Suite struct DataLoaderTests {
    private struct Asked {
        var alone: [Int] = []
        var together: [[Int]] = []
    }

    @Test func `a question that the reply to its batch leaves out is asked alone`() async throws {
        // On a busy machine the questions may come so late that each is asked alone.
        try await eventually("some are asked together", within: .seconds(60)) {
            let (alone, together) = try await Self.askTen()
            #expect(together.allSatisfy { $0.count <= 8 })
            #expect(Set(alone + together.compactMap(\.first)) == Set(0..<10))
            #expect(Set(alone).isSuperset(of: together.flatMap { $0.dropFirst() }))
            return together.contains { $0.count > 1 }
        }
    }

    /// Asks ten questions while the first two are held. A reply to a batch has the answer to its first question.
    private static func askTen() async throws -> (alone: [Int], together: [[Int]]) {
        let (client, gate, asked) = (InMemoryBus().client(name: "gateway"), Gate(), Locked(Asked()))
        let questions = DataLoader<Int, Int, Int>(bus: client, service: .promotionController, batchMax: 8) {
            (_, item, _) async throws(StoreError) in
            asked.withLock { $0.alone.append(item) }
            if item < 2 { await gate.wait() }
            return item * 10
        } many: { (_, items, _) async throws(StoreError) in
            asked.withLock { $0.together.append(items) }
            return items.prefix(1).map { $0 * 10 }
        }
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for item in 0..<10 {
                group.addTask {
                    (item, try await questions.ask(item, at: 1, CallContext(deadline: .now + .seconds(30))))
                }
                if item < 2 { while gate.arrived <= item { await Task.yield() } }
            }
            // Questions that wait are sent together when the first ones are late, also while those are held.
            let late = ContinuousClock.now + .seconds(1)
            while asked.withLock({ $0.alone.count + $0.together.joined().count < 10 }), ContinuousClock.now < late {
                await Task.yield()
            }
            gate.open()
            for try await (item, answer) in group { #expect(answer == item * 10) }
        }
        await client.close()
        return asked.withLock { ($0.alone, $0.together) }
    }

    @Test func `a question with little time left is asked alone, however many are under way`() async throws {
        let (client, gate) = (InMemoryBus().client(name: "gateway"), Gate())
        let questions = DataLoader<Int, Int, Int>(bus: client, service: .promotionController, batchMax: 8) {
            (_, item, _) async throws(StoreError) in
            if item < 2 { await gate.wait() }
            return item
        } many: { (_, _, _) async throws(StoreError) in
            throw StoreError(.internal, "asked together")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for item in 0..<2 {
                group.addTask { _ = try await questions.ask(item, at: 1, CallContext(deadline: .now + .seconds(30))) }
                while gate.arrived <= item { await Task.yield() }
            }
            let late = CallContext(deadline: .now + .milliseconds(400))
            #expect(try await questions.ask(2, at: 1, late) == 2)
            gate.open()
            try await group.waitForAll()
        }
        await client.close()
    }
}
