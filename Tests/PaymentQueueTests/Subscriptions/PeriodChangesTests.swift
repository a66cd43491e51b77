import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a decision that has changed periods sees them as a query after these changes would find them.
@Suite struct PeriodChangesTests {
    @Test func `laid over what was read before, they show what the table has`() throws {
        var random = SplitMix64.seeded()
        for _ in 0..<300 {
            var table = (0..<Int.random(in: 1...5, using: &random)).map { period($0, &random) }
            let before = table
            var changes = PeriodChanges()
            for _ in 0..<Int.random(in: 1...5, using: &random) { change(&table, &changes, &random) }
            let found = before.filter { $0.end > Self.now }
            #expect(
                changes.over(found).filter { $0.end > Self.now }.sorted { $0.index < $1.index }
                    == table.filter { $0.end > Self.now })
            for row in table {
                let found = before.filter { $0.id == row.id }
                #expect(changes.over(found).first { $0.id == row.id } == row)
            }
        }
    }

    @Test func `other subscriptions keep their periods`() throws {
        var random = SplitMix64.seeded()
        let row = period(0, &random)
        var changes = PeriodChanges()
        changes.cut("t_other", at: Self.now)
        #expect(changes.over([row]) == [row])
    }

    private typealias Stored = SubscriptionPeriodRepository.Stored

    /// The decision's instant.
    private static let now = Timestamp(milliseconds: 500)

    private func period(_ index: Int, _ random: inout SplitMix64) -> Stored {
        let start = Int64.random(in: 0...1_000, using: &random)
        let end = start + Int64.random(in: 0...300, using: &random)
        return Stored(
            SubscriptionPaid(
                id: "t_\(index)", identifier: "\(index)", product: "a", amount: .usd("9.99"),
                start: Timestamp(milliseconds: start), end: Timestamp(milliseconds: end)),
            index: index, of: "t_0")
    }

    /// Makes one of the changes that decisions make, in both.
    private func change(_ table: inout [Stored], _ changes: inout PeriodChanges, _ random: inout SplitMix64) {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            let row = period(table.count, &random)
            table.append(row)
            changes.put(row)
        case 1:
            let last = table.count - 1
            table[last].end = table[last].end + .milliseconds(Int64.random(in: 1...900, using: &random))
            changes.put(table[last])
        default:
            let end = Self.now + .milliseconds(Int64.random(in: 0...300, using: &random))
            changes.cut("t_0", at: end)
            for index in table.indices where table[index].end > end { table[index].end = max(table[index].start, end) }
        }
    }
}
