import StoreModels
import StorebusTesting
import Testing

@testable import BusService
@testable import ServiceDatabase

/// Goal: no reader uses a version from before a change that was acknowledged to the operator, in any order of events,
/// and every change is acknowledged in time (ADR 0072).
/// Method: readers, replicas of the owner and their database as values, on clocks that differ by 2 %. Messages are
/// delayed and lost, readers are paused and replaced, replicas pause between any two steps and die. Everything is drawn
/// from a printed seed. Two faults that were planted have to be found.
@Suite struct LeaseInterleavingTests {
    private static let runs = 60

    @Test func `no reader is behind an acknowledged change, and no change waits longer than a lease`() {
        var random = SplitMix64.seeded("leases")
        for _ in 0..<Self.runs {
            let seed = random.next()
            let world = LeaseWorld(seed: seed)
            world.run()
            #expect(world.violations.isEmpty, "run \(seed)")
            #expect(world.acknowledged > 0 && world.served > 100, "run \(seed)")
        }
    }

    @Test(arguments: [LeaseWorld.Fault.storesHolderLate, .removesHolderAtOnce])
    func `a planted fault is found`(_ fault: LeaseWorld.Fault) {
        var random = SplitMix64.seeded("leases, \(fault)")
        // One world in about a hundred has all that the fault needs.
        let isFound = (0..<40 * Self.runs).contains { _ in
            let world = LeaseWorld(seed: random.next(), fault: fault)
            world.run()
            return !world.violations.isEmpty
        }
        #expect(isFound)
    }
}

/// Readers and owners of one version, in simulated time.
final class LeaseWorld {
    enum Fault: Sendable {
        case none
        /// The owner stores a holder after it has read the version.
        case storesHolderLate
        /// The owner removes a holder that was silent once.
        case removesHolderAtOnce
    }

    private final class Reader {
        let name: String
        let rate: Double
        var leases = HeldLeases<Int>()
        var pausedUntil = 0
        /// The time until which it waits for the reply to its request.
        var asksUntil = 0

        init(_ number: Int, rate: Double) {
            name = "reader\(number)"
            self.rate = rate
            leases.setHearsRecalls(true)
        }
    }

    private final class Recall {
        var state: LeaseRecall
        init(_ state: LeaseRecall) { self.state = state }
    }

    private static let key: ExactText = "app"
    /// The simulated time of one run, in microseconds.
    private static let length = 20_000_000

    private let fault: Fault
    private var random: SplitMix64
    private let start = ContinuousClock.now
    /// Microseconds of real time.
    private var now = 0
    private var events: [(time: Int, body: () -> Void)] = []
    private var readers: [Reader] = []
    private var readerCount = 0

    /// The database.
    private var version = 1
    private var holders: [String: LeaseHolder] = [:]
    private var recallCount = 0

    /// The newest version that was acknowledged to the operator.
    private(set) var acknowledged = 0
    /// How often a version was used on a lease.
    private(set) var served = 0
    private(set) var violations: [String] = []

    init(seed: UInt64, fault: Fault = .none) {
        self.fault = fault
        random = SplitMix64(seed: seed)
    }

    func run() {
        for _ in 0..<4 { readers.append(makeReader()) }
        for index in readers.indices { use(index) }
        change()
        while let event = events.first, event.time < Self.length {
            events.removeFirst()
            now = event.time
            event.body()
        }
        events = []
    }

    // MARK: Time and chance

    private func after(_ microseconds: Int, _ body: @escaping () -> Void) {
        let time = now + microseconds
        let position = events.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        events.insert((time, body), at: position)
    }

    private func chance(of percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// Up to a millisecond, and now and then as long as a process that was paused.
    private func pause() -> Int {
        chance(of: 10) ? Int.random(in: 0...3_000_000, using: &random) : Int.random(in: 0...1_000, using: &random)
    }

    /// Sends a message, which may be lost.
    private func send(_ body: @escaping () -> Void) {
        guard !chance(of: 10) else { return }
        after(chance(of: 10) ? Int.random(in: 0...1_500_000, using: &random) : 300, body)
    }

    private func clock(_ rate: Double) -> ContinuousClock.Instant { start + .microseconds(Int(Double(now) * rate)) }

    private func rate() -> Double { Double.random(in: 0.98...1.02, using: &random) }

    // MARK: Readers

    private func makeReader() -> Reader {
        readerCount += 1
        return Reader(readerCount, rate: rate())
    }

    /// A client's request, and the next one.
    private func use(_ index: Int) {
        let reader = readers[index]
        if reader.pausedUntil <= now {
            if let held = reader.leases.version(of: Self.key, at: clock(reader.rate)) {
                served += 1
                if held.version < acknowledged {
                    violations.append("\(reader.name) used \(held.version) at \(now), after \(acknowledged)")
                }
                if held.renews { request(reader) }
            } else {
                request(reader)
            }
            switch Int.random(in: 0..<1_000, using: &random) {
            case 0, 1: reader.pausedUntil = now + Int.random(in: 0...3_000_000, using: &random)
            case 2: readers[index] = makeReader()
            default: break
            }
        }
        after(Int.random(in: 1_000...40_000, using: &random)) { self.use(index) }
    }

    private func request(_ reader: Reader) {
        guard reader.asksUntil <= now, let ticket = reader.leases.ticket(of: Self.key, at: clock(reader.rate)) else {
            return
        }
        reader.asksUntil = now + 500_000
        send { self.grant(to: reader, ticket) }
    }

    /// A message waits for a paused reader, as in its socket.
    private func deliver(to reader: Reader, _ body: @escaping () -> Void) {
        guard reader.pausedUntil <= now else {
            return after(reader.pausedUntil - now) { self.deliver(to: reader, body) }
        }
        body()
    }

    // MARK: Owners

    private func grant(to reader: Reader, _ ticket: HeldLeases<Int>.Ticket) {
        let store = { self.holders[reader.name] = LeaseHolder(name: reader.name, mark: nil) }
        if fault != .storesHolderLate { store() }
        after(pause()) {
            let version = self.version
            self.after(self.pause()) {
                if self.fault == .storesHolderLate { store() }
                self.send {
                    self.deliver(to: reader) {
                        reader.asksUntil = 0
                        reader.leases.take(version, for: Self.key, ticket)
                    }
                }
            }
        }
    }

    /// A change by the operator at any replica, and the next one.
    private func change() {
        version += 1
        let committed = version
        // One in ten replicas dies after its commit.
        if !chance(of: 10) {
            let rate = rate()
            after(pause()) { self.recall(committed, rate) }
        }
        after(Int.random(in: 1_000...2_000_000, using: &random)) { self.change() }
    }

    private func recall(_ committed: Int, _ rate: Double) {
        let stored = holders.values.sorted { $0.name < $1.name }
        let recall = Recall(LeaseRecall(of: stored, changedBefore: clock(rate)))
        for reader in readers where stored.contains(where: { $0.name == reader.name }) {
            send {
                self.deliver(to: reader) {
                    reader.leases.recall(Self.key)
                    self.send { recall.state.acknowledge(reader.name) }
                }
            }
        }
        answer(committed, recall, rate, since: now)
    }

    private func answer(_ committed: Int, _ recall: Recall, _ rate: Double, since begun: Int) {
        guard recall.state.isOver(at: clock(rate)) else {
            if now - begun > 1_100_000 { violations.append("the change to \(committed) waits since \(begun)") }
            return after(2_000) { self.answer(committed, recall, rate, since: begun) }
        }
        recallCount += 1
        let mark = "recall\(recallCount)"
        for holder in recall.state.silent { after(pause()) { self.note(holder, mark) } }
        acknowledged = max(acknowledged, committed)
    }

    /// As `LeaseHolderRepository.note`.
    private func note(_ silent: LeaseHolder, _ recall: String) {
        guard let stored = holders[silent.name] else { return }
        if fault == .removesHolderAtOnce {
            holders[silent.name] = nil
        } else if let mark = silent.mark {
            if stored.mark == mark { holders[silent.name] = nil }
        } else if stored.mark == nil {
            holders[silent.name]?.mark = recall
        }
    }
}
