/// Collects questions that arrive during other requests into one batch. Pure: time is passed in.
///
/// A question that finds at most one other in flight is sent alone immediately. Under load all waiting questions are
/// sent together, one batch at a time. A question is never answered from a request sent before it arrived.
struct RequestBatcher<Question: Sendable>: Sendable {
    /// The questions of one request.
    struct Batch: Sendable {
        let number: Int
        let questions: [Question]
    }

    /// The caller's next step for an enqueued question.
    enum EnqueueResult: Sendable {
        /// Too many questions are waiting.
        case refused
        /// The question waits. With `watching` the caller must start to call ``flushIfLate(at:)``.
        case waits(watching: Bool)
        /// The caller sends this batch, which includes the question.
        case sends(Batch)
    }

    /// A request without a reply.
    private struct InFlight {
        let start: ContinuousClock.Instant
        var isAlone: Bool
    }

    /// Maximum number of questions in flight that were sent alone. They spare two callers the wait for each other.
    static var aloneMax: Int { 2 }
    /// Maximum number of waiting questions.
    static var waitingMax: Int { 4096 }
    /// The time after which a batch no longer delays others: its reply may be lost.
    static var lateAfter: Duration { .milliseconds(25) }

    /// Maximum number of questions in one batch.
    private let batchMax: Int
    private var waiting: [Question] = []
    private var inFlight: [Int: InFlight] = [:]
    private var number = 0
    private var isWatched = false

    init(batchMax: Int) {
        self.batchMax = batchMax
    }

    var isIdle: Bool { inFlight.isEmpty && waiting.isEmpty }

    /// Starts a batch for a question that is sent alone.
    /// - Returns: The batch's number for ``end(_:at:)``, or nil when the question must be enqueued.
    mutating func beginAlone(at now: ContinuousClock.Instant) -> Int? {
        guard waiting.isEmpty, maySend(at: now) else { return nil }
        return begin(at: now, isAlone: true)
    }

    /// Adds a question to the waiting ones.
    mutating func enqueue(_ question: Question, at now: ContinuousClock.Instant) -> EnqueueResult {
        guard waiting.count < Self.waitingMax else { return .refused }
        waiting.append(question)
        if maySend(at: now) { return .sends(flush(at: now)) }
        defer { isWatched = true }
        return .waits(watching: !isWatched)
    }

    /// Returns the batch to send when a reply is late. The watching task calls it every ``lateAfter``, until
    /// `keepsWatching` is false.
    mutating func flushIfLate(at now: ContinuousClock.Instant) -> (batch: Batch?, keepsWatching: Bool) {
        let batch = next(at: now)
        isWatched = !waiting.isEmpty
        return (batch, isWatched)
    }

    /// Ends a batch, successful or not.
    /// - Returns: The next batch, if questions are waiting.
    mutating func end(_ number: Int, at now: ContinuousClock.Instant) -> Batch? {
        inFlight[number] = nil
        return next(at: now)
    }

    private mutating func next(at now: ContinuousClock.Instant) -> Batch? {
        waiting.isEmpty || !maySend(at: now) ? nil : flush(at: now)
    }

    /// Adds waiting questions to a batch that is about to leave, up to its bound.
    mutating func fill(_ batch: Batch) -> Batch {
        let more = waiting.prefix(batchMax - batch.questions.count)
        guard !more.isEmpty else { return batch }
        waiting.removeFirst(more.count)
        inFlight[batch.number]?.isAlone = false
        return Batch(number: batch.number, questions: batch.questions + more)
    }

    /// Whether no batch is in flight. A second one would wake every process on its way for half of the questions.
    private func maySend(at now: ContinuousClock.Instant) -> Bool {
        let recent = inFlight.values.filter { now - $0.start < Self.lateAfter }
        return recent.count < Self.aloneMax && recent.allSatisfy(\.isAlone)
    }

    private mutating func flush(at now: ContinuousClock.Instant) -> Batch {
        let questions = Array(waiting.prefix(batchMax))
        waiting.removeFirst(questions.count)
        return Batch(number: begin(at: now, isAlone: questions.count == 1), questions: questions)
    }

    private mutating func begin(at now: ContinuousClock.Instant, isAlone: Bool) -> Int {
        number += 1
        inFlight[number] = InFlight(start: now, isAlone: isAlone)
        return number
    }
}
