/// Decides when services are started, restarted and stopped.
///
/// Pure: it turns events with their time into actions, which ``Stack`` performs.
///
/// - Start: stage by stage. A stage begins when all services of the earlier stages are ready. The bus is the first
///   stage, so that the others' first attempt to connect succeeds.
/// - Life: a service that ends is restarted after ``RestartBackoff``, while the others continue.
/// - Stop: SIGTERM stage by stage, the gateway first so that no new requests arrive. SIGKILL follows for those still
///   running 10 s later.
struct Supervisor: Sendable {
    /// A service as the supervisor sees it.
    struct Plan: Hashable, Sendable {
        var service: String
        /// Stages start in rising order.
        var startStage: Int
        /// Stages stop in rising order.
        var stopStage: Int
    }

    typealias Instant = ContinuousClock.Instant

    /// Time from SIGTERM to SIGKILL.
    static let graceMax = Duration.seconds(10)
    /// Interval of reports about a slow start.
    static let impatience = Duration.seconds(5)
    /// Timeout of the first start.
    static let startMax = Duration.seconds(60)

    private enum State: Hashable {
        case idle
        case starting(pid: Int32?, since: Instant)
        case ready(pid: Int32, since: Instant)
        case backingOff(until: Instant)
        case leaving(pid: Int32, killAt: Instant)
        case gone
    }

    private struct Member {
        var plan: Plan
        var state = State.idle
        var backoff = RestartBackoff()
        var wasReady = false
        var lastEnd: Termination?

        /// Uptime of the current process.
        func life(_ now: Instant) -> Duration {
            switch state {
            case .starting(_, let since), .ready(_, let since): now - since
            case .idle, .backingOff, .leaving, .gone: .zero
            }
        }
    }

    private enum Phase: Hashable {
        case idle
        case starting(stage: Int, since: Instant, nextReport: Instant)
        case running
        case stopping(stage: Int, isHurried: Bool)
        case finished
    }

    private var members: [Member]
    private var phase = Phase.idle
    private var outcome = Outcome.stopped

    /// - Parameter plans: In the order of starting within a stage. Names are unique.
    init(_ plans: [Plan]) {
        members = plans.map { Member(plan: $0) }
    }

    /// Handles one event.
    /// - Returns: The actions, in order.
    mutating func handle(_ event: Event, now: Instant) -> [Action] {
        if phase == .finished { return [] }
        switch event {
        case .start: return start(now)
        case .spawned(let service, let pid): return spawned(service, pid, now)
        case .spawnFailed(let service, let reason): return spawnFailed(service, reason, now)
        case .ready(let service, let pid): return ready(service, pid, now)
        case .exited(let service, let pid, let end): return exited(service, pid, end, now)
        case .stop: return stop(now)
        case .tick: return tick(now)
        }
    }

    /// The time of the next `.tick`, or nil if only another event can change the state.
    var nextTick: Instant? {
        var due = members.compactMap { member -> Instant? in
            switch member.state {
            case .backingOff(let until): until
            case .leaving(_, let killAt): killAt
            default: nil
            }
        }
        if case .starting(_, let since, let nextReport) = phase { due += [nextReport, since + Self.startMax] }
        return due.min()
    }

    // MARK: Start

    private mutating func start(_ now: Instant) -> [Action] {
        guard phase == .idle else { return [] }
        let first = members.map(\.plan.startStage).min() ?? 0
        phase = .starting(stage: first, since: now, nextReport: now + Self.impatience)
        return begin(stage: first, now)
    }

    private mutating func begin(stage: Int, _ now: Instant) -> [Action] {
        members.indices.filter { members[$0].plan.startStage == stage }.map { launch($0, now) }
    }

    private mutating func launch(_ index: Int, _ now: Instant) -> Action {
        members[index].state = .starting(pid: nil, since: now)
        return .spawn(members[index].plan.service)
    }

    private mutating func spawned(_ service: String, _ pid: Int32, _ now: Instant) -> [Action] {
        guard let index = index(of: service), case .starting(nil, let since) = members[index].state else { return [] }
        members[index].state = .starting(pid: pid, since: since)
        guard case .stopping(_, let isHurried) = phase else { return [] }
        // Stopped during the start.
        return dismiss(index, pid, isHurried: isHurried, now)
    }

    private mutating func spawnFailed(_ service: String, _ reason: String, _ now: Instant) -> [Action] {
        guard let index = index(of: service), case .starting(nil, _) = members[index].state else { return [] }
        if case .stopping = phase {
            members[index].state = .gone
            return advanceStop(now)
        }
        if case .starting = phase { return fail(.cannotStart(service, reason), now, gone: index) }
        rest(index, lived: .zero, now)
        return [.report(.cannotStart(service, reason))]
    }

    private mutating func ready(_ service: String, _ pid: Int32, _ now: Instant) -> [Action] {
        guard let index = index(of: service), case .starting(pid, let since) = members[index].state else { return [] }
        members[index].state = .ready(pid: pid, since: since)
        let isBack = members[index].lastEnd != nil
        members[index].wasReady = true
        members[index].lastEnd = nil
        return (isBack ? [.report(.recovered(service, pid: pid))] : []) + advanceStart(now)
    }

    private mutating func advanceStart(_ now: Instant) -> [Action] {
        guard case .starting(let stage, let since, let nextReport) = phase else { return [] }
        guard members.allSatisfy({ $0.plan.startStage > stage || $0.wasReady }) else { return [] }
        guard let next = members.map(\.plan.startStage).filter({ $0 > stage }).min() else {
            phase = .running
            return [.report(.allReady)]
        }
        phase = .starting(stage: next, since: since, nextReport: nextReport)
        return begin(stage: next, now)
    }

    // MARK: Life

    private mutating func exited(_ service: String, _ pid: Int32, _ end: Termination, _ now: Instant) -> [Action] {
        guard let index = index(of: service), self.pid(of: index) == pid else { return [] }
        if case .stopping = phase {
            members[index].state = .gone
            return advanceStop(now)
        }
        if !members[index].wasReady, end.isFinal { return fail(.gaveUp(service, end), now, gone: index) }
        members[index].lastEnd = end
        let delay = rest(index, lived: members[index].life(now), now)
        return [.report(.died(service, pid: pid, end, restartIn: delay))]
    }

    @discardableResult
    private mutating func rest(_ index: Int, lived: Duration, _ now: Instant) -> Duration {
        let delay = members[index].backoff.next(lived: lived)
        members[index].state = .backingOff(until: now + delay)
        return delay
    }

    private mutating func tick(_ now: Instant) -> [Action] {
        var actions: [Action] = []
        for index in members.indices {
            switch members[index].state {
            case .backingOff(let until) where until <= now: actions.append(launch(index, now))
            case .leaving(let pid, let killAt) where killAt <= now:
                members[index].state = .leaving(pid: pid, killAt: now + Self.graceMax)
                actions += [.report(.killed(members[index].plan.service, pid: pid)), .kill(pid)]
            default: break
            }
        }
        guard case .starting(let stage, let since, let nextReport) = phase else { return actions }
        let missing = members.filter { !$0.wasReady }.map(\.plan.service)
        if now >= since + Self.startMax { return actions + fail(.tooSlow(missing), now) }
        if now >= nextReport {
            phase = .starting(stage: stage, since: since, nextReport: now + Self.impatience)
            actions.append(.report(.notReady(missing, waited: now - since)))
        }
        return actions
    }

    // MARK: Stop

    private mutating func fail(_ failure: Failure, _ now: Instant, gone index: Int? = nil) -> [Action] {
        outcome = .failed(failure)
        if let index { members[index].state = .gone }
        return stop(now)
    }

    private mutating func stop(_ now: Instant) -> [Action] {
        if case .stopping(let stage, false) = phase {
            // The second signal kills.
            phase = .stopping(stage: stage, isHurried: true)
            return members.indices.flatMap { index in
                pid(of: index).map { dismiss(index, $0, isHurried: true, now) } ?? []
            }
        }
        if case .stopping = phase { return [] }
        phase = .stopping(stage: Int.min, isHurried: false)
        for index in members.indices {
            switch members[index].state {
            case .idle, .backingOff: members[index].state = .gone
            case .starting, .ready, .leaving, .gone: break
            }
        }
        return advanceStop(now)
    }

    /// Stops the next stage with running services, once the current one has ended.
    private mutating func advanceStop(_ now: Instant) -> [Action] {
        guard case .stopping(let stage, let isHurried) = phase else { return [] }
        let remaining = members.filter { $0.state != .gone }.map(\.plan.stopStage)
        guard let next = remaining.min() else {
            phase = .finished
            return [.finished(outcome)]
        }
        guard next > stage else { return [] }
        phase = .stopping(stage: next, isHurried: isHurried)
        return members.indices.filter { members[$0].plan.stopStage == next }.flatMap { index in
            pid(of: index).map { dismiss(index, $0, isHurried: isHurried, now) } ?? []
        }
    }

    private mutating func dismiss(_ index: Int, _ pid: Int32, isHurried: Bool, _ now: Instant) -> [Action] {
        members[index].state = .leaving(pid: pid, killAt: now + Self.graceMax)
        return [isHurried ? .kill(pid) : .terminate(pid)]
    }

    // MARK: Members

    private func index(of service: String) -> Int? { members.firstIndex { $0.plan.service == service } }

    private func pid(of index: Int) -> Int32? {
        switch members[index].state {
        case .starting(let pid, _): pid
        case .ready(let pid, _), .leaving(let pid, _): pid
        case .idle, .backingOff, .gone: nil
        }
    }
}

extension Supervisor {
    /// An event of a process or of the user.
    enum Event: Hashable, Sendable {
        case start
        case spawned(String, pid: Int32)
        /// The process could not be started. `reason` is the system's message.
        case spawnFailed(String, reason: String)
        /// The service wrote its ready file.
        case ready(String, pid: Int32)
        case exited(String, pid: Int32, Termination)
        /// Ctrl-C or SIGTERM. The second one kills.
        case stop
        /// The time of ``Supervisor/nextTick``.
        case tick
    }

    /// An action for ``Stack``.
    enum Action: Hashable, Sendable {
        /// Start the service's process and answer with `spawned` or `spawnFailed`.
        case spawn(String)
        case terminate(Int32)
        case kill(Int32)
        case report(Report)
        /// Every process has ended. No more actions follow.
        case finished(Outcome)
    }

    /// A report for the user.
    enum Report: Hashable, Sendable {
        /// Every service was ready once.
        case allReady
        case notReady([String], waited: Duration)
        case died(String, pid: Int32, Termination, restartIn: Duration)
        case recovered(String, pid: Int32)
        /// The service did not stop in time and was killed.
        case killed(String, pid: Int32)
        case cannotStart(String, String)
    }

    /// The end of the store.
    enum Outcome: Hashable, Sendable {
        case stopped
        case failed(Failure)
    }

    /// The reason of a failed start.
    enum Failure: Hashable, Sendable {
        case cannotStart(String, String)
        /// It ended with an error that a restart cannot change.
        case gaveUp(String, Termination)
        case tooSlow([String])
    }
}
