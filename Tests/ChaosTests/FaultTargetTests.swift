import Testing

@testable import Chaos

/// Faults beyond signals and rules of the bus: what they can hit, and what they are.
@Suite struct FaultTargetTests {
    private static let services = ["broker", "catalog", "payment-queue", "eligibility", "gateway"]

    @Test func `a relay stands before every service but the broker`() {
        for fault in [FaultName.cutTo, .cutFrom, .tornFrames] {
            #expect(fault.targets(Self.services) == ["catalog", "payment-queue", "eligibility", "gateway"])
        }
    }

    @Test func `only a service with a database has a disk to fill`() {
        #expect(FaultName.diskFull.targets(Self.services) == ["catalog", "payment-queue", "gateway"])
    }

    @Test func `streams are the gateway's`() {
        #expect(FaultName.slowObservers.targets(Self.services) == ["gateway"])
        #expect(FaultName.slowObservers.targets(["catalog"]).isEmpty)
        #expect(FaultName.hostileClients.targets(Self.services) == ["gateway"])
    }

    @Test func `disks, clocks and relays are of a store that the run starts`() {
        let own = FaultName.allCases.filter(\.means.needsOwnStore)
        #expect(own == [.diskFull, .clockJump, .cutTo, .cutFrom, .tornFrames])
    }

    @Test func `a clock jumps forwards or back, as the schedule has it`() {
        let jumps = (0..<4).map {
            PlannedFault(number: 1, name: .clockJump, target: "catalog", replica: $0).clockJump
        }
        #expect(jumps == [7_200, -3_600, 7_200, -3_600])
    }

    @Test func `the usual faults are all but overload, in the order that a seed replays`() {
        #expect(
            FaultName.usual.map(\.rawValue).joined(separator: " ") == """
                kill pause restart drop duplicate delay reorder corrupt partition slow-processor disk-full clock-jump \
                cut-to cut-from torn-frames descriptors slow-observers hostile-clients hostile-webhooks
                """)
    }
}
