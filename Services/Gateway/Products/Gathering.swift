/// Collects questions that arrive during other requests into one batch. Pure: it returns the batch to send.
///
/// A question that finds few requests in flight is sent alone immediately; under load all waiting questions are sent
/// together when a reply arrives. A question is never answered from a request sent before it arrived.
struct Gathering<Question: Sendable>: Sendable {
    /// Questions that are sent together.
    struct Flight: Sendable {
        let number: Int
        let questions: [Question]
    }

    enum Arrival: Sendable {
        /// Too many questions are waiting.
        case refused
        /// `watching`: the caller must start watching for late replies.
        case waits(watching: Bool)
        /// This question and the waiting ones are sent now.
        case leaves(Flight)
    }

    /// Batches in flight at most: with two, the service works on one while the other travels.
    static var flightsMax: Int { 2 }
    /// Maximum number of waiting questions.
    static var waitingMax: Int { 4096 }
    /// A batch that takes this long no longer delays others: its reply may be lost.
    static var lateAfter: Duration { .milliseconds(25) }

    /// Maximum number of questions in one batch.
    private let flightMax: Int
    private var waiting: [Question] = []
    private var underWay: [Int: ContinuousClock.Instant] = [:]
    private var number = 0
    private var isWatched = false

    init(flightMax: Int) {
        self.flightMax = flightMax
    }

    var isIdle: Bool { underWay.isEmpty && waiting.isEmpty }

    /// Starts a batch for a question that is sent alone; nil when it must wait.
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

    /// Called every ``lateAfter`` by the watching task: waiting questions are sent when a reply is late.
    mutating func look(at now: ContinuousClock.Instant) -> (flight: Flight?, goesOn: Bool) {
        let flight = next(at: now)
        isWatched = !waiting.isEmpty
        return (flight, isWatched)
    }

    /// Ends a batch, successful or not.
    /// - Returns: The next batch, if questions are waiting.
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
