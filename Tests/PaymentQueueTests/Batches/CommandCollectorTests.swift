import EventLoop
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: commands that arrive while a batch is under way are the next batch, and each has an outcome of its own.
/// Method: commands are numbers, and a batch ends when the test lets it. An actor calls the collector, so that the
/// order in which commands arrive is known.
@Suite struct CommandCollectorTests {
    @Test func `a command that finds no batch under way is a batch of its own`() async {
        let work = HeldWork(isOpen: true)
        let callers = CollectorCallers(work)
        for command in 0..<3 { #expect(await callers.run(command) == .performed(command)) }
        #expect(work.batches == [[0], [1], [2]])
    }

    @Test func `what arrives while a batch is under way is the next one, in the order of arrival`() async throws {
        let work = HeldWork()
        let callers = CollectorCallers(work)
        let first = Task { await callers.run(0) }
        try await eventually("the first batch is under way") { work.batches == [[0]] }
        let others = (1...20).map { command in Task { await callers.run(command) } }
        try await eventually("all have arrived") { await callers.arrived.count == 21 }
        #expect(work.batches == [[0]])
        work.endOne()
        #expect(await first.value == .performed(0))
        try await eventually("the next one is under way") { work.batches.count == 2 }
        let arrived = await callers.arrived
        #expect(work.batches == [[0], Array(arrived.dropFirst())])
        work.endAll()
        for (command, other) in zip(1..., others) { #expect(await other.value == .performed(command)) }
        #expect(await callers.run(21) == .performed(21))
        #expect(work.batches.last == [21])
    }

    @Test func `a batch has 256 commands at most, and the rest keep their order`() async throws {
        let most = CommandCollector<Int, Int>.batchMax
        let work = HeldWork()
        let callers = CollectorCallers(work)
        let first = Task { await callers.run(0) }
        try await eventually("the first batch is under way") { !work.batches.isEmpty }
        let others = (1...(2 * most + 7)).map { command in Task { await callers.run(command) } }
        try await eventually("all have arrived") { await callers.arrived.count == others.count + 1 }
        work.endAll()
        #expect(await first.value == .performed(0))
        for (command, other) in zip(1..., others) { #expect(await other.value == .performed(command)) }
        #expect(most == 256)
        #expect(work.batches.map(\.count) == [1, most, most, 7])
        let arrived = await callers.arrived
        #expect(work.batches.flatMap(\.self) == arrived)
    }

    @Test func `a command that fails gets its own error, and its neighbours their outcomes`() async throws {
        let work = HeldWork(refusing: [2, 3])
        let callers = CollectorCallers(work)
        let first = Task { await callers.run(0) }
        try await eventually("the first batch is under way") { !work.batches.isEmpty }
        let others = (1...4).map { command in Task { await callers.run(command) } }
        try await eventually("all have arrived") { await callers.arrived.count == 5 }
        work.endAll()
        var outcomes = [await first.value]
        for other in others { outcomes.append(await other.value) }
        #expect(outcomes == [.performed(0), .performed(1), .refused(2), .refused(3), .performed(4)])
        #expect(work.batches.count == 2)
    }

    @Test func `a batch does not end early when callers are cancelled, and they get their outcomes too`() async throws {
        let work = HeldWork()
        let callers = CollectorCallers(work)
        let first = Task { await callers.run(0) }
        try await eventually("the first batch is under way") { !work.batches.isEmpty }
        let others = (1...3).map { command in Task { await callers.run(command) } }
        try await eventually("all have arrived") { await callers.arrived.count == 4 }
        first.cancel()
        others[1].cancel()
        #expect(work.batches == [[0]])
        work.endOne()
        try await eventually("the next one is under way") { work.batches.count == 2 }
        others[0].cancel()
        #expect(work.batches.map(\.count) == [1, 3])
        work.endAll()
        #expect(await first.value == .performed(0))
        for (command, other) in zip(1..., others) { #expect(await other.value == .performed(command)) }
    }

    @Test func `each of many commands is performed once, and one batch at a time`() async {
        let work = HeldWork(isOpen: true)
        let callers = CollectorCallers(work)
        let outcomes = await withTaskGroup(of: CommandOutcome.self) { group in
            for command in 0..<2_000 { group.addTask { await callers.run(command) } }
            return await group.reduce(into: [Int]()) { outcomes, outcome in
                if case .performed(let command) = outcome { outcomes.append(command) }
            }
        }
        #expect(outcomes.sorted() == Array(0..<2_000))
        let arrived = await callers.arrived
        #expect(work.batches.flatMap(\.self) == arrived)
        #expect(work.mostAtOnce == 1)
    }

    @Test func `the commands of one turn of a loop are one batch`() async throws {
        let loop = try TestDatabase.loop
        let work = HeldWork(isOpen: true)
        let collector = CommandCollector<Int, Int>(on: loop) { await work.perform($0) }
        let callers = Task(executorPreference: loop) {
            (0..<10).map { command in Task(executorPreference: loop) { try await collector.run(command) } }
        }
        let calls = await callers.value
        for (command, call) in zip(0..., calls) { #expect(try await call.value == command) }
        #expect(work.batches == [Array(0..<10)])
    }
}

/// The outcome of a command, as its caller sees it.
private enum CommandOutcome: Hashable, Sendable {
    case performed(Int)
    case refused(Int)
    /// Another error than the command's.
    case failed
}

/// Calls a collector.
private actor CollectorCallers {
    private let collector: CommandCollector<Int, Int>
    /// The commands in the order in which the collector has them.
    private(set) var arrived: [Int] = []

    init(_ work: HeldWork) {
        collector = CommandCollector(on: nil) { await work.perform($0) }
    }

    /// Runs a command. Nothing comes between its note and its arrival, because the collector is entered as this actor.
    func run(_ command: Int) async -> CommandOutcome {
        arrived.append(command)
        do {
            return .performed(try await collector.run(command))
        } catch {
            return (error as? HeldWork.Refused).map { .refused($0.command) } ?? .failed
        }
    }
}

/// Performs batches. The test ends each of them.
private final class HeldWork: Sendable {
    struct Refused: Error {
        let command: Int
    }

    private struct Contents {
        var isOpen: Bool
        var batches: [[Int]] = []
        var holder: CheckedContinuation<Void, Never>?
        var underWay = 0
        var mostAtOnce = 0
    }

    private let refused: Set<Int>
    private let contents: Locked<Contents>

    /// - Parameter isOpen: Whether no batch is held.
    init(isOpen: Bool = false, refusing refused: Set<Int> = []) {
        self.refused = refused
        contents = Locked(Contents(isOpen: isOpen))
    }

    /// The batches that have begun.
    var batches: [[Int]] { contents.withLock { $0.batches } }
    /// The largest number of batches under way together.
    var mostAtOnce: Int { contents.withLock { $0.mostAtOnce } }

    /// Lets the batch end that is under way.
    func endOne() { end(isOpen: false) }

    /// Lets the batch end that is under way, and holds none after it.
    func endAll() { end(isOpen: true) }

    private func end(isOpen: Bool) {
        let holder = contents.withLock { contents in
            contents.isOpen = isOpen
            defer { contents.holder = nil }
            return contents.holder
        }
        holder?.resume()
    }

    func perform(_ commands: [Int]) async -> [Result<Int, any Error>] {
        await withCheckedContinuation { continuation in
            let isHeld = contents.withLock { contents in
                contents.batches.append(commands)
                contents.underWay += 1
                contents.mostAtOnce = max(contents.mostAtOnce, contents.underWay)
                if !contents.isOpen { contents.holder = continuation }
                return !contents.isOpen
            }
            if !isHeld { continuation.resume() }
        }
        await Task.yield()
        contents.withLock { $0.underWay -= 1 }
        return commands.map { refused.contains($0) ? .failure(Refused(command: $0)) : .success($0) }
    }
}
