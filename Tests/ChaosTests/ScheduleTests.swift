import Testing

@testable import Chaos

/// The schedule is a function of its arguments, and keeps what reports rely on.
@Suite struct ScheduleTests {
    private static let services = ["broker", "catalog", "payment-queue", "payment-processor", "gateway"]

    private func schedule(_ seed: UInt64, _ seconds: Int, _ faults: [FaultName] = FaultName.usual) -> Schedule {
        Schedule(seed: seed, duration: .seconds(seconds), targets: Self.services, faults: faults)
    }

    @Test func `the same seed gives the same schedule, another seed another`() {
        #expect(schedule(7, 60) == schedule(7, 60))
        #expect(schedule(7, 60) != schedule(8, 60))
    }

    @Test func `the first faults of a known seed stay what they are`() {
        let faults = schedule(7, 60).faults
        #expect(faults.map(\.number) == Array(1...faults.count))
        #expect(faults.first?.begin == .milliseconds(500))
        #expect(Set(faults.map { "\($0.name) \($0.target)" }).count == faults.count, "none twice before each once")
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `faults end before the quiet end, and at most two overlap`(seed: UInt64) {
        let faults = schedule(seed, 60).faults
        #expect(faults.count > 10)
        for fault in faults {
            #expect(fault.begin >= .zero && fault.end <= .seconds(58), "\(fault)")
            #expect(fault.name.isInstant == (fault.length == .zero))
            let others = faults.filter { $0.number != fault.number && $0.begin <= fault.begin && $0.end > fault.begin }
            #expect(others.count <= 1, "\(fault) with \(others)")
        }
    }

    @Test func `a short run has a fault too`() {
        #expect(schedule(1, 3).faults.count >= 1)
        #expect(schedule(1, 3).faults.allSatisfy { $0.end <= .seconds(3) })
    }

    @Test func `a fault hits only services that it can hit`() {
        let faults = schedule(3, 120).faults
        #expect(faults.filter { $0.name == .slowProcessor }.allSatisfy { $0.target == "payment-processor" })
        #expect(
            Schedule(seed: 1, duration: .seconds(60), targets: ["catalog"], faults: [.slowProcessor]).faults.isEmpty)
    }
}
