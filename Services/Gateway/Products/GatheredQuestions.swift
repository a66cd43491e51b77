import BusClient
import BusService
import EventLoop
import StoreModels

/// Sends simultaneous questions as one batch under load, each after its client's request arrived. No answer is kept.
///
/// ```swift
/// let standing = try await questions.ask(customer, at: place, call.context())
/// ```
final class GatheredQuestions<Place: Hashable & Sendable, Item: Sendable, Answer: Sendable>: Sendable {
    /// Asks one question.
    typealias Alone = @Sendable (Place, Item, CallContext) async throws(StoreError) -> Answer
    /// Asks several questions of one place.
    /// - Returns: The answers of the first questions, in their order. The others, and those with nil, are asked alone.
    typealias Many = @Sendable (Place, [Item], CallContext) async throws(StoreError) -> [Answer?]

    /// The minimum time left of a question in a batch. Others are sent alone. The earliest deadline of its questions is
    /// the batch's.
    static var patience: Duration { .milliseconds(500) }

    private typealias Outcome = Result<Answer, StoreError>

    private struct Question: Sendable {
        let item: Item
        let context: CallContext
        let answer: CheckedContinuation<Outcome, Never>
    }

    private typealias Batch = RequestBatcher<Question>.Batch

    private let bus: any BusClient
    private let service: ServiceName
    private let batchMax: Int
    private let alone: Alone
    private let many: Many
    private let batchers = Locked<[Place: RequestBatcher<Question>]>([:])

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
    func ask(_ item: Item, at place: Place, _ context: CallContext) async throws(StoreError) -> Answer {
        guard context.remaining > Self.patience else { return try await alone(place, item, context) }
        if let batch = beginAlone(place) {
            defer { end(batch, at: place) }
            return try await alone(place, item, context)
        }
        return try await withCheckedContinuation { answer in
            enqueue(Question(item: item, context: context, answer: answer), at: place)
        }.get()
    }

    private func beginAlone(_ place: Place) -> Int? {
        batchers.withLock { batchers in
            batchers[place, default: RequestBatcher(batchMax: batchMax)].beginAlone(at: .now)
        }
    }

    private func enqueue(_ question: Question, at place: Place) {
        let result = batchers.withLock { batchers in
            batchers[place, default: RequestBatcher(batchMax: batchMax)].enqueue(question, at: .now)
        }
        switch result {
        case .waits(let watching): if watching { watch(place) }
        case .sends(let batch): send(batch, at: place)
        case .refused:
            question.answer.resume(
                returning: .failure(
                    StoreError(
                        .serviceUnavailable, "too many wait for \(service.rawValue) already", retryAfterMs: 100)))
        }
    }

    /// Sends waiting questions when a reply is late. A lost reply would otherwise block them until the next question.
    private func watch(_ place: Place) {
        Task(executorPreference: bus.loop) { [self] in
            var goesOn = true
            while goesOn {
                // This task is never cancelled.
                let wait = RequestBatcher<Question>.lateAfter
                if let loop = bus.loop { try? await loop.sleep(for: wait) } else { try? await Task.sleep(for: wait) }
                let late = batchers.withLock { $0[place]?.flushIfLate(at: .now) }
                if let batch = late?.batch { send(batch, at: place) }
                goesOn = late?.goesOn ?? false
            }
        }
    }

    private func end(_ number: Int, at place: Place) {
        let next = batchers.withLock { batchers in
            let next = batchers[place]?.end(number, at: .now)
            if batchers[place]?.isIdle == true { batchers[place] = nil }
            return next
        }
        if let next { send(next, at: place) }
    }

    /// Sends a batch in its own task. The first caller may give up while the others wait.
    private func send(_ batch: Batch, at place: Place) {
        Task(executorPreference: bus.loop) { [self] in
            // Questions of the same turn of the loop arrive between the batch and this task: they leave with it.
            let batch = batchers.withLock { $0[place]?.fill(batch) } ?? batch
            await answer(batch, at: place)
            end(batch.number, at: place)
        }
    }

    private func answer(_ batch: Batch, at place: Place) async {
        let now = ContinuousClock.now
        let questions = batch.questions.filter { $0.context.deadline > now }
        for late in batch.questions where late.context.deadline <= now {
            late.answer.resume(
                returning: .failure(
                    StoreError(.deadlineExceeded, "the time was over before \(service.rawValue) was asked")))
        }
        guard let first = questions.first else { return }
        let deadline = questions.map(\.context.deadline).min() ?? first.context.deadline
        let context = CallContext(deadline: deadline, traceparent: first.context.traceparent)
        do throws(StoreError) {
            let answers = try await many(place, questions.map(\.item), context)
            for (question, answer) in zip(questions, answers) {
                if let answer {
                    question.answer.resume(returning: .success(answer))
                } else {
                    askAlone(question, at: place)
                }
            }
            for question in questions.dropFirst(answers.count) { askAlone(question, at: place) }
        } catch {
            for question in questions { question.answer.resume(returning: .failure(error)) }
        }
    }

    /// Asks a question that had no place in the reply to its batch.
    private func askAlone(_ question: Question, at place: Place) {
        Task(executorPreference: bus.loop) { [self] in
            do throws(StoreError) {
                let answer = try await alone(place, question.item, question.context)
                question.answer.resume(returning: .success(answer))
            } catch {
                question.answer.resume(returning: .failure(error))
            }
        }
    }
}

/// The place of questions to a service that answers for all apps.
enum AllApps: Hashable { case allApps }

extension GatheredQuestions where Place == AllApps {
    /// Asks one question, as ``ask(_:at:_:)`` does.
    func ask(_ item: Item, _ context: CallContext) async throws(StoreError) -> Answer {
        try await ask(item, at: .allApps, context)
    }
}
