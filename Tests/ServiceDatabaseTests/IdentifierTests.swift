import ServiceDatabase
import StoreModels
import StorebusTesting
import Testing

@Suite struct CrockfordBase32Tests {
    @Test func `numbers of one length sort as text, and are read back`() {
        let numbers: [Int64] = [0, 1, 31, 32, 1_023, 1 << 32, 1 << 60, .max]
        let texts = numbers.map { CrockfordBase32.digits(UInt64($0), count: 13) }
        #expect(texts == texts.sorted())
        #expect(texts.map { CrockfordBase32.number($0.utf8) } == numbers)
        #expect(CrockfordBase32.digits(32, count: 3) == "010")
        #expect(CrockfordBase32.digits(.max, count: 13) == "fzzzzzzzzzzzz")
    }

    @Test(arguments: ["A", "i", "l", "o", "u", "-", " ", "é", "8000000000000", "00000000000000z000000000000"])
    func `what is no digit, or too large a number, is none`(_ text: String) {
        #expect(CrockfordBase32.number(text.utf8) == nil)
    }
}

@Suite struct SortableIdentifierTests {
    @Test func `identifiers sort by age and do not repeat`() {
        var random = SplitMix64(seed: 1)
        let made = (0..<200).map {
            SortableIdentifier.make(
                "t_", wall: Timestamp(milliseconds: 1_795_000_000_000 + $0), random: &random)
        }
        #expect(made == made.sorted())
        #expect(Set(made).count == 200)
        #expect(made.allSatisfy { $0.utf8.count == 28 && $0.hasPrefix("t_") })
    }

    @Test func `two of one moment differ`() {
        var random = SplitMix64(seed: 1)
        let (first, second) = (
            SortableIdentifier.make("i_", wall: Timestamp(milliseconds: 1), random: &random),
            SortableIdentifier.make("i_", wall: Timestamp(milliseconds: 1), random: &random)
        )
        #expect(first != second)
        #expect(first.prefix(12) == "i_0000000001")
        #expect(first.prefix(12) == second.prefix(12))
    }
}

@Suite struct EventPositionTests {
    @Test func `positions are written and read back, and sort as they came`() {
        var random = SplitMix64.seeded()
        var positions = [0, 1, Int64.max].flatMap { transaction in
            [0, 1, 31, 32, 1_023, 1 << 32, .max].map { EventPosition(transaction: transaction, row: $0) }
        }
        for _ in 0..<500 {
            positions.append(
                EventPosition(
                    transaction: Int64.random(in: 0...(1 << 60), using: &random),
                    row: Int64.random(in: 0...(1 << 60), using: &random)))
        }
        for prefix in ["e_", "ie_"] {
            #expect(positions.map { EventPosition($0.identifier(prefix), prefix: prefix) } == positions)
            let identifiers = positions.map { $0.identifier(prefix) }
            #expect(positions.sorted().map { $0.identifier(prefix) } == identifiers.sorted())
            #expect(Set(identifiers).count == Set(positions).count)
        }
    }

    @Test(arguments: [
        "", "e_", "e_0000000000000", "e_0000000000000000000000000", "e_000000000000000000000000000",
        "p_00000000000000000000000000", "e_g0000000000000000000000000", "e_0000000000000g000000000000",
        "e_000000000000000000000000é", "ie_00000000000000000000000000",
    ])
    func `what is no event's identifier has no place`(_ text: String) {
        #expect(EventPosition(text, prefix: "e_") == nil)
    }
}
