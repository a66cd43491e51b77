import BusProtocol
import Chaos
import StoreHTTP
import StorebusTesting
import Testing

@testable import Storebus

/// Faults whose means are missing, and the parts of those that a run makes itself.
@Suite struct ChaosMeansTests {
    private static let everything = ChaosMeans.Probe(
        hasNamespaces: { true }, clockLibrary: { "/lib/faketime" }, isDynamic: { true })
    private static let nothing = ChaosMeans.Probe(
        hasNamespaces: { false }, clockLibrary: { nil }, isDynamic: { false })
    private static let own = ChaosMeans.Store(isOwn: true)

    @Test func `a store of the run's own takes every fault`() {
        for fault in FaultName.allCases {
            #expect(ChaosMeans.missing(fault, Self.own, probe: Self.everything) == nil, "\(fault)")
        }
    }

    @Test(arguments: [FaultName.diskFull, .clockJump, .cutTo, .cutFrom, .tornFrames])
    func `a running store takes no disk, clock or relay`(fault: FaultName) {
        let missing = ChaosMeans.missing(fault, ChaosMeans.Store(isOwn: false), probe: Self.everything)
        #expect(missing?.remedy == "leave --data out")
    }

    @Test func `what the machine lacks comes with its remedy`() {
        let disk = ChaosMeans.missing(.diskFull, Self.own, probe: Self.nothing)
        #expect(disk?.remedy.text.contains("unprivileged_userns_clone") == true)
        let clock = ChaosMeans.missing(.clockJump, Self.own, probe: Self.nothing)
        #expect(clock?.remedy == "install it: apt-get install libfaketime")
        var probe = Self.everything
        probe.isDynamic = { false }
        #expect(ChaosMeans.missing(.clockJump, Self.own, probe: probe)?.reason.contains("static") == true)
        #expect(ChaosMeans.missing(.descriptors, Self.own, probe: Self.nothing) == nil)
    }

    @Test func `a disk is of a SQLite file, and ends with the store`() {
        let database = ChaosMeans.Store(isOwn: true, hasDatabase: true)
        let kept = ChaosMeans.Store(isOwn: true, keepsData: true)
        let remedies = [database, kept].map { ChaosMeans.missing(.diskFull, $0, probe: Self.everything)?.remedy }
        #expect(remedies == ["leave --database-url out", "leave --keep-data out"])
    }

    private func plan(_ faults: [FaultName]) -> ChaosPlan {
        ChaosPlan(
            seed: 1, duration: .seconds(10), targets: ["catalog"], faults: faults, workload: .mix, directory: "/tmp",
            name: "x")
    }

    @Test func `usual faults without means are left out by name, chosen ones are refused`() throws {
        var usual = plan(FaultName.usual)
        try usual.dropMissing(Self.own, isChosen: false, probe: Self.nothing)
        #expect(Set(usual.faults) == Set(FaultName.usual).subtracting([.diskFull, .clockJump]))
        #expect(usual.leftOut.map(\.name) == ["disk-full", "clock-jump"])
        var chosen = plan([.kill, .clockJump])
        #expect {
            try chosen.dropMissing(Self.own, isChosen: true, probe: Self.nothing)
        } throws: { error in
            (error as? CLIError)?.message.contains("'clock-jump' needs libfaketime") == true
        }
    }

    @Test func `the tests' own executable is dynamic, a text file is no executable`() throws {
        #expect(ELFHeader.read("/proc/self/exe")?.isDynamic == true)
        #expect(ELFHeader.read("/proc/self/status") == nil)
        // One program header, of a segment and not of an interpreter.
        var header: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1] + [UInt8](repeating: 0, count: 58)
        (header[32], header[54], header[56]) = (64, 56, 1)
        #expect(ELFHeader(header + [1, 0, 0, 0])?.isDynamic == false)
        #expect(ELFHeader(header + [3, 0, 0, 0])?.isDynamic == true)
    }

    @Test func `the lowest free descriptor is the first gap`() {
        #expect(OpenDescriptors.lowestFree([0, 1, 2, 4, 9]) == 3)
        #expect(OpenDescriptors.lowestFree([0, 1, 2]) == 3)
        #expect(OpenDescriptors.lowestFree([]) == 0)
    }

    // MARK: Frames

    private static func frame(_ header: String, _ body: [UInt8] = []) -> [UInt8] {
        [0, 0, 0, UInt8(header.utf8.count), 0, 0, 0, UInt8(body.count)] + Array(header.utf8) + body
    }

    private static let frames = [frame(#"{"op":"ping"}"#), frame(#"{"op":"pub"}"#, [1, 2, 3]), frame("{}")]

    @Test(arguments: 1...7)
    func `frames pass whole, however they arrive`(size: Int) throws {
        let bytes = Self.frames.flatMap { $0 }
        var flow = FrameFlow()
        var left: Int?
        for at in stride(from: 0, to: bytes.count, by: size) {
            try flow.take(bytes[at..<min(at + size, bytes.count)], tearAfter: &left)
        }
        #expect(flow.output == bytes)
        #expect(!flow.isTorn)
    }

    @Test func `a torn connection has whole frames, half of one, and nothing behind it`() throws {
        let bytes = Self.frames.flatMap { $0 }
        var flow = FrameFlow()
        var left: Int? = 1
        try flow.take(bytes[...], tearAfter: &left)
        try flow.take(bytes[...], tearAfter: &left)
        #expect(flow.isTorn)
        #expect(flow.output == Self.frames[0] + Self.frames[1].prefix(Self.frames[1].count / 2))
        flow.sent(Self.frames[0].count)
        #expect(flow.output.count == Self.frames[1].count / 2)
    }

    @Test func `bytes that are no frames end the connection`() {
        var flow = FrameFlow()
        var left: Int?
        #expect(throws: BusViolation.self) { try flow.take([9, 9, 9, 9], tearAfter: &left) }
    }
}
