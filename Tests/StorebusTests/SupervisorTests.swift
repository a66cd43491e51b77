import StorebusTesting
import Testing

@testable import Storebus

/// The supervisor is a table: an event and the time go in, actions come out.
@Suite struct SupervisorTests {
    private typealias Plan = Supervisor.Plan

    /// Of a whole store, with replicas.
    fileprivate static var plans: [Supervisor.Plan] {
        get throws {
            try ServiceList(
                settings: .init(
                    directory: DataDirectory("/data"), host: "127.0.0.1", port: .auto, busPort: .auto,
                    wantsSample: false, replicas: Replicas(["payment-queue=3", "gateway=2"])),
                executableDirectory: "/bin", environment: [:]
            ).plans
        }
    }

    /// A bus, two services, a gateway, with process ids made up by the test.
    private struct Driver {
        var supervisor = Supervisor([
            Plan(service: "broker", startStage: 0, stopStage: 2),
            Plan(service: "catalog", startStage: 1, stopStage: 1),
            Plan(service: "queue", startStage: 1, stopStage: 1),
            Plan(service: "gateway", startStage: 1, stopStage: 0),
        ])
        let start = ContinuousClock.now
        var now = Duration.zero

        mutating func send(_ event: Supervisor.Event, at seconds: Double? = nil) -> [Supervisor.Action] {
            if let seconds { now = .milliseconds(Int(seconds * 1000)) }
            return supervisor.handle(event, now: start + now)
        }

        /// How long until the next tick.
        var untilTick: Duration? { supervisor.nextTick.map { $0 - (start + now) } }

        /// Spawned and ready, with the pid given.
        mutating func bring(_ service: String, _ pid: Int32) -> [Supervisor.Action] {
            send(.spawned(service, pid: pid)) + send(.ready(service, pid: pid))
        }

        /// Everything runs: broker 1, catalog 2, queue 3, gateway 4.
        static func running() -> Driver {
            var driver = Driver()
            _ = driver.send(.start)
            for (index, service) in ["broker", "catalog", "queue", "gateway"].enumerated() {
                _ = driver.bring(service, Int32(index + 1))
            }
            return driver
        }
    }

    @Test func `the bus starts alone, the others when it is ready, and all ready is said once`() {
        var driver = Driver()
        #expect(driver.send(.start) == [.spawn("broker")])
        #expect(driver.send(.spawned("broker", pid: 1)) == [])
        #expect(driver.send(.ready("broker", pid: 1)) == [.spawn("catalog"), .spawn("queue"), .spawn("gateway")])
        #expect(driver.bring("queue", 3) == [])
        #expect(driver.bring("catalog", 2) == [])
        #expect(driver.bring("gateway", 4) == [.report(.allReady)])
        #expect(driver.untilTick == nil)
    }

    @Test func `a ready file of an earlier process counts for nothing`() {
        var driver = Driver()
        _ = driver.send(.start)
        _ = driver.send(.spawned("broker", pid: 7))
        #expect(driver.send(.ready("broker", pid: 6)) == [])
        #expect(driver.send(.ready("broker", pid: 7)).count == 3)
    }

    @Test func `a service that dies is started again after 100 ms, and only it`() {
        var driver = Driver.running()
        #expect(
            driver.send(.exited("queue", pid: 3, .signalled(9)), at: 20)
                == [.report(.died("queue", pid: 3, .signalled(9), restartIn: .milliseconds(100)))])
        #expect(driver.untilTick == .milliseconds(100))
        #expect(driver.send(.tick, at: 20.05) == [])
        #expect(driver.send(.tick, at: 20.1) == [.spawn("queue")])
        #expect(driver.bring("queue", 5) == [.report(.recovered("queue", pid: 5))])
    }

    @Test func `one that keeps dying waits twice as long each time up to 5 s, and starts over after 10 s of life`() {
        var driver = Driver.running()
        var pid: Int32 = 3
        var delays: [Duration] = []
        func die(_ end: Termination = .exited(1)) {
            for case .report(.died(_, _, _, let delay)) in driver.send(.exited("queue", pid: pid, end)) {
                delays.append(delay)
                driver.now += delay
            }
            #expect(driver.send(.tick) == [.spawn("queue")])
            pid += 10
            _ = driver.send(.spawned("queue", pid: pid))
        }
        for _ in 0..<8 { die() }
        driver.now += .seconds(10)
        die()
        #expect(delays.map { $0 / .milliseconds(1) } == [100, 200, 400, 800, 1600, 3200, 5000, 5000, 100])
    }

    @Test func `a service that refuses its configuration at the first start ends everything with its own exit code`() {
        var driver = Driver()
        _ = driver.send(.start)
        _ = driver.bring("broker", 1)
        _ = driver.send(.spawned("catalog", pid: 2))
        #expect(driver.send(.exited("catalog", pid: 2, .exited(73))) == [])
        // queue and gateway were asked for and not yet spawned: they are ended as soon as they have a pid.
        #expect(driver.send(.spawned("gateway", pid: 4)) == [.terminate(4)])
        #expect(driver.send(.spawned("queue", pid: 3)) == [.terminate(3)])
        _ = driver.send(.exited("gateway", pid: 4, .exited(0)))
        #expect(driver.send(.exited("queue", pid: 3, .exited(0))) == [.terminate(1)])
        #expect(
            driver.send(.exited("broker", pid: 1, .exited(0)))
                == [.finished(.failed(.gaveUp("catalog", .exited(73))))])
    }

    @Test func `one that has been ready before is restarted with any exit code`() {
        var driver = Driver.running()
        let actions = driver.send(.exited("catalog", pid: 2, .exited(78)))
        #expect(actions == [.report(.died("catalog", pid: 2, .exited(78), restartIn: .milliseconds(100)))])
    }

    @Test func `a slow start is reported every 5 s and fails after a minute`() {
        var driver = Driver()
        _ = driver.send(.start)
        _ = driver.bring("broker", 1)
        _ = driver.bring("catalog", 2)
        #expect(driver.untilTick == .seconds(5))
        #expect(driver.send(.tick, at: 5) == [.report(.notReady(["queue", "gateway"], waited: .seconds(5)))])
        #expect(driver.send(.tick, at: 10) == [.report(.notReady(["queue", "gateway"], waited: .seconds(10)))])
        _ = driver.send(.spawned("queue", pid: 3))
        _ = driver.send(.spawned("gateway", pid: 4))
        #expect(driver.send(.tick, at: 60) == [.terminate(4)])
    }

    @Test func `a stop ends the gateway, then the services, then the bus`() {
        var driver = Driver.running()
        #expect(driver.send(.stop) == [.terminate(4)])
        #expect(driver.send(.exited("gateway", pid: 4, .exited(0))) == [.terminate(2), .terminate(3)])
        #expect(driver.send(.exited("queue", pid: 3, .exited(0))) == [])
        #expect(driver.send(.exited("catalog", pid: 2, .exited(0))) == [.terminate(1)])
        #expect(driver.send(.exited("broker", pid: 1, .exited(0))) == [.finished(.stopped)])
        #expect(driver.send(.start) == [])
    }

    @Test func `what does not stop within 10 s is killed`() {
        var driver = Driver.running()
        _ = driver.send(.stop, at: 100)
        #expect(driver.untilTick == .seconds(10))
        #expect(driver.send(.tick, at: 110) == [.report(.killed("gateway", pid: 4)), .kill(4)])
        #expect(driver.send(.exited("gateway", pid: 4, .signalled(9))) == [.terminate(2), .terminate(3)])
    }

    @Test func `a second stop kills everything at once`() {
        var driver = Driver.running()
        _ = driver.send(.stop)
        #expect(Set(driver.send(.stop)) == [.kill(1), .kill(2), .kill(3), .kill(4)])
        #expect(driver.send(.stop) == [])
        for (service, pid) in [("broker", 1), ("catalog", 2), ("queue", 3)] {
            #expect(driver.send(.exited(service, pid: Int32(pid), .signalled(9))) == [])
        }
        #expect(driver.send(.exited("gateway", pid: 4, .signalled(9))) == [.finished(.stopped)])
    }

    @Test func `a service that dies during a stop is not started again`() {
        var driver = Driver.running()
        _ = driver.send(.stop)
        #expect(driver.send(.exited("catalog", pid: 2, .signalled(9))) == [])
        #expect(driver.send(.exited("gateway", pid: 4, .exited(0))) == [.terminate(3)])
        #expect(driver.send(.exited("queue", pid: 3, .exited(0))) == [.terminate(1)])
        #expect(driver.send(.exited("broker", pid: 1, .exited(0))) == [.finished(.stopped)])
    }

    @Test func `a stop while one waits to be started again does not wait for it`() {
        var driver = Driver.running()
        _ = driver.send(.exited("gateway", pid: 4, .signalled(11)))
        #expect(driver.send(.stop) == [.terminate(2), .terminate(3)])
    }

    @Test func `a program that cannot be run ends the first start, and is tried again later on`() {
        var driver = Driver()
        _ = driver.send(.start)
        #expect(
            driver.send(.spawnFailed("broker", reason: "no such file")).last
                == .finished(.failed(.cannotStart("broker", "no such file"))))

        var running = Driver.running()
        _ = running.send(.exited("queue", pid: 3, .signalled(9)), at: 20)
        _ = running.send(.tick, at: 20.1)
        #expect(
            running.send(.spawnFailed("queue", reason: "out of memory"))
                == [.report(.cannotStart("queue", "out of memory"))])
        #expect(running.untilTick == .milliseconds(200))
    }

    /// After any events in any order: nothing is started twice, and after a stop the end comes once every process
    /// that was started has gone.
    @Test func `random lives always end, and no process is left or started twice`() throws {
        var random = SplitMix64.seeded()
        for _ in 0..<300 {
            var life = try RandomLife(random: random)
            life.run()
            random = life.random
        }
    }
}

/// Plays the operating system for a supervisor, by chance.
private struct RandomLife {
    var random: SplitMix64
    private var supervisor: Supervisor
    private var now = ContinuousClock.now
    private var alive: [String: Int32] = [:]
    private var nextPid: Int32 = 100
    private var finished = 0

    init(random: SplitMix64) throws {
        self.random = random
        supervisor = Supervisor(try SupervisorTests.plans)
    }

    mutating func run() {
        send(.start)
        for _ in 0..<Int.random(in: 0...120, using: &random) where finished == 0 { step() }
        for _ in 0..<1000 where finished == 0 { finish() }
        #expect(finished == 1)
        #expect(alive.isEmpty)
    }

    private mutating func step() {
        let victim = alive.sorted { $0.key < $1.key }.randomElement(using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: if let victim { send(.ready(victim.key, pid: victim.value)) }
        case 5, 6: if let victim { end(victim, .signalled(9)) }
        case 7: if let victim { end(victim, .exited([0, 1, 75, 78].randomElement(using: &random) ?? 0)) }
        default: tick()
        }
    }

    private mutating func finish() {
        send(.stop)
        if let victim = alive.sorted(by: { $0.key < $1.key }).randomElement(using: &random) { end(victim, .exited(0)) }
        tick()
    }

    private mutating func tick() {
        now += .milliseconds(Int.random(in: 1...7000, using: &random))
        if let due = supervisor.nextTick, due <= now { send(.tick) }
    }

    private mutating func end(_ victim: (key: String, value: Int32), _ end: Termination) {
        alive[victim.key] = nil
        send(.exited(victim.key, pid: victim.value, end))
    }

    private mutating func send(_ event: Supervisor.Event) {
        for action in supervisor.handle(event, now: now) {
            switch action {
            case .spawn(let service):
                #expect(alive[service] == nil, "\(service) was started twice")
                nextPid += 1
                alive[service] = nextPid
                send(.spawned(service, pid: nextPid))
            case .finished:
                finished += 1
                #expect(alive.isEmpty, "finished while processes are left")
            case .terminate, .kill, .report: break
            }
        }
    }
}
