import BusProtocol
import Testing

@testable import Broker

/// Goal: covering and overlapping mean what they mean for sets of subjects (C20).
@Suite struct PatternRelationTests {
    /// All sequences of one to `depth` of these tokens.
    private static func sequences(_ tokens: [String], depth: Int) -> [[String]] {
        var all: [[String]] = []
        var last: [[String]] = [[]]
        for _ in 0..<depth {
            last = last.flatMap { start in tokens.map { start + [$0] } }
            all += last
        }
        return all
    }

    @Test func `C20 covering and overlapping agree with trying every subject`() throws {
        // Subjects have one token more than patterns can name, and reach further than any of them.
        let subjects = try Self.sequences(["a", "b", "c"], depth: 4).map { try Subject($0.joined(separator: ".")) }
        let patterns = try Self.sequences(["a", "b", "*", ">"], depth: 3)
            .filter { !$0.dropLast().contains(">") }.map { try SubjectPattern($0.joined(separator: ".")) }
        let matched = patterns.map { pattern in Set(subjects.indices.filter { pattern.matches(subjects[$0]) }) }
        for (left, leftSubjects) in zip(patterns, matched) {
            for (right, rightSubjects) in zip(patterns, matched) {
                let covers = PatternRelation.covers(left.text.utf8.span, right.text.utf8.span)
                let overlap = PatternRelation.overlap(left.text.utf8.span, right.text.utf8.span)
                #expect(covers == leftSubjects.isSuperset(of: rightSubjects), "\(left) \(right)")
                #expect(overlap == !leftSubjects.isDisjoint(with: rightSubjects), "\(left) \(right)")
            }
        }
    }
}
