import BusClient
import BusService
import EventLoop
import StoreModels
import Testing

@testable import Gateway

/// Goal: questions that are gathered are answered as if each had been asked alone.
@Suite struct GatheredQuestionsTests {
    private struct Asked {
        var alone: [Int] = []
        var together: [[Int]] = []
    }

    @Test func `a question that the reply to its batch leaves out is asked alone`() async throws {
        let (client, gate, asked) = (InMemoryBus().client(name: "gateway"), Gate(), Locked(Asked()))
        let questions = GatheredQuestions<Int, Int, Int>(bus: client, service: .promotionController, batchMax: 8) {
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
            gate.open()
            for try await (item, answer) in group { #expect(answer == item * 10) }
        }
        let (alone, together) = asked.withLock { ($0.alone, $0.together) }
        #expect(!together.isEmpty && together.allSatisfy { $0.count <= 8 })
        #expect(Set(alone) == Set([0, 1] + together.flatMap { $0.dropFirst() }))
        await client.close()
    }

    @Test func `a question with little time left is asked alone, however many are under way`() async throws {
        let (client, gate) = (InMemoryBus().client(name: "gateway"), Gate())
        let questions = GatheredQuestions<Int, Int, Int>(bus: client, service: .promotionController, batchMax: 8) {
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
