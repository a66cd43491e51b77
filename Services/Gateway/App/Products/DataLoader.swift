import BusClient
import BusService
import EventLoop
import StoreModels

/// Sends simultaneous questions as one batch under load, each after its client's request arrived. No answer is kept.
///
/// ```swift
/// let standing = try await questions.ask(customer, at: key, call.context())
/// ```
final class DataLoader<Key: Hashable & Sendable, Item: Sendable, Value: Sendable>: Sendable {
    /// Asks one question of a key.
    typealias Alone = @Sendable (Key, Item, CallContext) async throws(StoreError) -> Value
    /// Asks several questions of one key.
    /// - Returns: The answers of the first questions, in their order. The others, and those with nil, are asked alone.
    typealias Many = @Sendable (Key, [Item], CallContext) async throws(StoreError) -> [Value?]

    /// The minimum time left of a question in a batch. Others are sent alone. The earliest deadline of its questions is
    /// the batch's.
    static var batchTimeMin: Duration { .milliseconds(500) }

    private typealias Outcome = Result<Value, StoreError>

    private struct Question: Sendable {
        let item: Item
        let context: CallContext
        let reply: CheckedContinuation<Outcome, Never>
    }

    private typealias Batch = RequestBatcher<Question>.Batch

    private let bus: any BusClient
    private let service: ServiceName
    private let batchMax: Int
    private let alone: Alone
    private let many: Many
    private let batchers = Locked<[Key: RequestBatcher<Question>]>([:])

    /// - Parameters:
    ///   - service: The service that is asked, for messages of errors.
    ///   - batchMax: Maximum number of questions in one batch.
    init(bus: any BusClient, service: ServiceName, batchMax: Int, alone: @escaping Alone, many: @escaping Many) {
        self.bus = bus
        self.service = service
        self.batchMax = batchMax
        self.alone = alone
        self.many = many
    }

    /// Creates a loader that asks a question alone as a batch of one.
    convenience init(bus: any BusClient, service: ServiceName, batchMax: Int, many: @escaping Many) {
        let alone: Alone = { (key, item, context) async throws(StoreError) in
            let values = try await many(key, [item], context)
            guard let first = values.first, let value = first else {
                throw StoreError(.internal, "\(service.rawValue) did not answer a batch of one question")
            }
            return value
        }
        self.init(bus: bus, service: service, batchMax: batchMax, alone: alone, many: many)
    }

    /// Asks one question, together with others of its key when there are many.
    /// - Throws: The service's error, or `serviceUnavailable` or `deadlineExceeded` when it is away.
    func ask(_ item: Item, at key: Key, _ context: CallContext) async throws(StoreError) -> Value {
        guard context.remaining > Self.batchTimeMin else { return try await alone(key, item, context) }
        if let batch = beginAlone(key) {
            defer { end(batch, at: key) }
            return try await alone(key, item, context)
        }
        return try await withCheckedContinuation { reply in
            enqueue(Question(item: item, context: context, reply: reply), at: key)
        }.get()
    }

    private func beginAlone(_ key: Key) -> Int? {
        batchers.withLock { batchers in
            batchers[key, default: RequestBatcher(batchMax: batchMax)].beginAlone(at: .now)
        }
    }

    private func enqueue(_ question: Question, at key: Key) {
        let result = batchers.withLock { batchers in
            batchers[key, default: RequestBatcher(batchMax: batchMax)].enqueue(question, at: .now)
        }
        switch result {
        case .waits(let watching): if watching { watch(key) }
        case .sends(let batch): send(batch, at: key)
        case .refused:
            question.reply.resume(
                returning: .failure(
                    StoreError(
                        .serviceUnavailable, "too many wait for \(service.rawValue) already", retryAfterMs: 100)))
        }
    }

    /// Sends waiting questions when a reply is late. A lost reply would otherwise block them until the next question.
    private func watch(_ key: Key) {
        Task(executorPreference: bus.loop) { [self] in
            var keepsWatching = true
            while keepsWatching {
                // This task is never cancelled.
                let wait = RequestBatcher<Question>.lateAfter
                if let loop = bus.loop { try? await loop.sleep(for: wait) } else { try? await Task.sleep(for: wait) }
                let late = batchers.withLock { $0[key]?.flushIfLate(at: .now) }
                if let batch = late?.batch { send(batch, at: key) }
                keepsWatching = late?.keepsWatching ?? false
            }
        }
    }

    private func end(_ number: Int, at key: Key) {
        let next = batchers.withLock { batchers in
            let next = batchers[key]?.end(number, at: .now)
            if batchers[key]?.isIdle == true { batchers[key] = nil }
            return next
        }
        if let next { send(next, at: key) }
    }

    /// Sends a batch in its own task. The first caller may give up while the others wait.
    private func send(_ batch: Batch, at key: Key) {
        Task(executorPreference: bus.loop) { [self] in
            // Questions of the same turn of the loop arrive between the batch and this task: they leave with it.
            let batch = batchers.withLock { $0[key]?.fill(batch) } ?? batch
            await reply(batch, at: key)
            end(batch.number, at: key)
        }
    }

    private func reply(_ batch: Batch, at key: Key) async {
        let now = ContinuousClock.now
        let questions = batch.questions.filter { $0.context.deadline > now }
        for late in batch.questions where late.context.deadline <= now {
            late.reply.resume(
                returning: .failure(
                    StoreError(.deadlineExceeded, "no time was left to call \(service.rawValue)")))
        }
        guard let first = questions.first else { return }
        let deadline = questions.map(\.context.deadline).min() ?? first.context.deadline
        let context = CallContext(deadline: deadline, traceparent: first.context.traceparent)
        do throws(StoreError) {
            let replies = try await many(key, questions.map(\.item), context)
            for (question, reply) in zip(questions, replies) {
                if let reply {
                    question.reply.resume(returning: .success(reply))
                } else {
                    askAlone(question, at: key)
                }
            }
            for question in questions.dropFirst(replies.count) { askAlone(question, at: key) }
        } catch {
            for question in questions { question.reply.resume(returning: .failure(error)) }
        }
    }

    /// Asks a question that had no place in the reply to its batch.
    private func askAlone(_ question: Question, at key: Key) {
        Task(executorPreference: bus.loop) { [self] in
            do throws(StoreError) {
                let reply = try await alone(key, question.item, question.context)
                question.reply.resume(returning: .success(reply))
            } catch {
                question.reply.resume(returning: .failure(error))
            }
        }
    }
}

/// The key of questions to a service that answers for all apps.
enum AllApps: Hashable { case allApps }

extension DataLoader where Key == AllApps {
    /// Asks one question, as ``ask(_:at:_:)`` does.
    func ask(_ item: Item, _ context: CallContext) async throws(StoreError) -> Value {
        try await ask(item, at: .allApps, context)
    }
}

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
