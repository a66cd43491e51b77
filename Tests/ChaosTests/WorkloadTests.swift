import StoreModels
import Testing

@testable import Chaos

/// What workers do is drawn from the seed, by the weights of the workload.
@Suite struct WorkloadTests {
    private func steps(_ workload: Workload, seed: UInt64, count: Int = 4_000) -> [Step] {
        var random = SeededGenerator(seed: seed, stream: 101)
        return (0..<count).map { _ in Step.next(workload, accounts: 8, devices: 2, using: &random) }
    }

    @Test(arguments: Workload.allCases)
    func `each choice of a workload is made, in about its share`(workload: Workload) {
        #expect(workload.weights.reduce(0) { $0 + $1.1 } == 1_000)
        let steps = steps(workload, seed: 7)
        for (choice, weight) in workload.weights {
            let count = steps.count { $0.choice == choice }
            #expect(count > 0, "\(choice)")
            #expect(abs(count - 4 * weight) < 40 + weight, "\(choice): \(count) of \(4 * weight)")
        }
    }

    @Test func `steps stay within the run's lists, and each place is used`() {
        let steps = steps(.mix, seed: 1)
        #expect(Set(steps.map(\.account)) == Set(0..<8))
        #expect(Set(steps.map(\.device)) == Set(0..<2))
        #expect(Set(steps.map(\.product)) == Set(ChaosCatalog.items.indices))
    }

    @Test func `the same seed gives the same steps, another stream others`() {
        #expect(steps(.mix, seed: 5, count: 50) == steps(.mix, seed: 5, count: 50))
        var (one, other) = (SeededGenerator(seed: 5, stream: 1), SeededGenerator(seed: 5, stream: 2))
        #expect(one.next() != other.next())
    }

    @Test func `the catalogue is JSON with the products of the list`() throws {
        let file = try StrictJSON.parse(Array(ChaosCatalog.storekit.utf8))
        let single = file["products"]?.arrayValue ?? []
        let group = try #require(file["subscriptionGroups"]?.arrayValue?.first)
        #expect(group["id"]?.stringValue == ChaosCatalog.group)
        let all = single + (group["subscriptions"]?.arrayValue ?? [])
        #expect(all.compactMap { $0["productID"]?.stringValue } == ChaosCatalog.items.map(\.identifier))
        for workload in Workload.allCases { #expect(workload.productWeights.count == ChaosCatalog.items.count) }
    }
}
