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
    /// Asks one question.
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

    /// Asks one question, together with others of its place when there are many.
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
