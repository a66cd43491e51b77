/// Puts questions that come while others are under way into one flight. Pure: what to send is handed out.
///
/// A question that finds little under way leaves at once and alone; under load everybody who came meanwhile leaves
/// together when an answer is there. Nobody gets an answer to a question that left before they asked.
struct Gathering<Question: Sendable>: Sendable {
    /// Questions that leave together.
    struct Flight: Sendable {
        let number: Int
        let questions: [Question]
    }

    enum Arrival: Sendable {
        /// There is too much waiting already.
        case refused
        /// `watching`: nobody watches yet whether what is under way comes back.
        case waits(watching: Bool)
        /// This question and whoever waited leave now.
        case leaves(Flight)
    }

    /// Flights under way at once: with two the asked work on one while the other travels.
    static var flightsMax: Int { 2 }
    /// Questions that wait, at most.
    static var waitingMax: Int { 4096 }
    /// A flight that takes this long keeps nobody back: its answer may be lost.
    static var lateAfter: Duration { .milliseconds(25) }

    /// Questions in one flight, at most.
    private let flightMax: Int
    private var waiting: [Question] = []
    private var underWay: [Int: ContinuousClock.Instant] = [:]
    private var number = 0
    private var isWatched = false

    init(flightMax: Int) {
        self.flightMax = flightMax
    }

    var isIdle: Bool { underWay.isEmpty && waiting.isEmpty }

    /// Whether a question that comes now leaves alone; its flight is then under way.
    mutating func leaveAlone(at now: ContinuousClock.Instant) -> Int? {
        guard waiting.isEmpty, mayLeave(at: now) else { return nil }
        return begin(at: now)
    }

    mutating func arrive(_ question: Question, at now: ContinuousClock.Instant) -> Arrival {
        guard waiting.count < Self.waitingMax else { return .refused }
        waiting.append(question)
        if mayLeave(at: now) { return .leaves(depart(at: now)) }
        defer { isWatched = true }
        return .waits(watching: !isWatched)
    }

    /// For whoever watches, every ``lateAfter``: those who wait leave when what is under way takes too long.
    mutating func look(at now: ContinuousClock.Instant) -> (flight: Flight?, goesOn: Bool) {
        let flight = next(at: now)
        isWatched = !waiting.isEmpty
        return (flight, isWatched)
    }

    /// A flight is over, however it ended.
    /// - Returns: the next one, when somebody waits.
    mutating func end(_ number: Int, at now: ContinuousClock.Instant) -> Flight? {
        underWay[number] = nil
        return next(at: now)
    }

    private mutating func next(at now: ContinuousClock.Instant) -> Flight? {
        waiting.isEmpty || !mayLeave(at: now) ? nil : depart(at: now)
    }

    private func mayLeave(at now: ContinuousClock.Instant) -> Bool {
        underWay.values.count { now - $0 < Self.lateAfter } < Self.flightsMax
    }

    private mutating func depart(at now: ContinuousClock.Instant) -> Flight {
        let questions = Array(waiting.prefix(flightMax))
        waiting.removeFirst(questions.count)
        return Flight(number: begin(at: now), questions: questions)
    }

    private mutating func begin(at now: ContinuousClock.Instant) -> Int {
        number += 1
        underWay[number] = now
        return number
    }
}
