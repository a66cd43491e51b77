import EventLoop
import StorebusTesting
import Testing

@testable import Operations

/// Goal: lines come whole, in order, all of them, in few writes; what is urgent at once.
@Suite struct LineWriterTests {
    /// Where lines are written, behind a door that a test may hold shut.
    private final class Paper: Sendable {
        let writes = Locked<[String]>([])
        let door = Locked(())

        var text: String { writes.withLock { $0.joined() } }
        var count: Int { writes.withLock { $0.count } }

        func write(_ lines: [UInt8]) {
            door.withLock { _ in writes.withLock { $0.append(String(decoding: lines, as: UTF8.self)) } }
        }
    }

    private func line(_ number: Int) -> [UInt8] { Array("line \(number)\n".utf8) }

    private func text(_ numbers: Range<Int>) -> String { numbers.map { "line \($0)\n" }.joined() }

    @Test func `a line alone is written without a flush`() async throws {
        let paper = Paper()
        let writer = LineWriter(paper.write)
        for number in 0..<3 {
            writer.add(line(number), isUrgent: false)
            try await eventually("the line is written") { paper.text == text(0..<number + 1) }
        }
    }

    @Test func `what is said while a line is being written is one write`() async throws {
        let paper = Paper()
        let writer = LineWriter(paper.write)
        paper.door.withLock { _ in for number in 0..<1000 { writer.add(line(number), isUrgent: false) } }
        try await eventually("all is written") { paper.text == text(0..<1000) }
        #expect(paper.count <= 2)
    }

    @Test func `an urgent line is written when the call returns, after all before it`() {
        let paper = Paper()
        let writer = LineWriter(paper.write)
        for number in 0..<100 { writer.add(line(number), isUrgent: number == 99) }
        #expect(paper.text == text(0..<100))
    }

    @Test func `flushing writes what waits, and nothing twice`() {
        let paper = Paper()
        let writer = LineWriter(paper.write)
        for number in 0..<10 {
            writer.add(line(number), isUrgent: false)
            writer.flush()
            #expect(paper.text == text(0..<number + 1))
        }
        let count = paper.count
        writer.flush()
        #expect(paper.count == count)
    }

    @Test func `a caller beyond the bound writes its line itself, and no line is left out`() {
        let paper = Paper()
        let writer = LineWriter(paper.write)
        let long = Array(repeating: UInt8(ascii: "x"), count: LineWriter.waitingMax) + Array("\n".utf8)
        for _ in 0..<5 { writer.add(long, isUrgent: false) }
        #expect(paper.text.count == long.count * 5)
    }

    @Test func `lines of many threads are whole, and each one's in their order`() async {
        let paper = Paper()
        let writer = LineWriter(paper.write)
        await withTaskGroup { group in
            for teller in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        writer.add(Array("\(teller) \(number)\n".utf8), isUrgent: number.isMultiple(of: 100))
                    }
                }
            }
        }
        writer.flush()
        let lines = paper.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        for teller in 0..<8 {
            #expect(lines.filter { $0[0] == "\(teller)" }.map { $0[1] } == (0..<500).map(String.init))
        }
    }
}
