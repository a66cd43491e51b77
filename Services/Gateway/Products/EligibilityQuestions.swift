import BusClient
import BusService
import EventLoop
import StoreHTTP
import StoreModels

/// Requests eligibility, without caching. No client may see an offer that an acknowledged purchase used up (O2),
/// through any gateway. Instead, under load, simultaneous questions about the same app and storefront are sent as one
/// batch, always after the clients' requests arrived.
final class EligibilityQuestions: Sendable {
    /// The minimum time left of a question in a batch; others are sent alone. The earliest deadline of its questions is
    /// the batch's.
    static let patience = Duration.milliseconds(500)

    private typealias Outcome = Result<EligibilityReply, StoreError>

    private struct Place: Hashable {
        @ExactText var bundleId: String
        @ExactText var storefront: String
    }

    private struct Question: Sendable {
        let customer: EligibilityBatch.Customer
        let context: CallContext
        let answer: CheckedContinuation<Outcome, Never>
    }

    private typealias Batch = RequestBatcher<Question>.Batch

    private let bus: any BusClient
    private let services: ServiceCaller
    private let batchers = Locked<[Place: RequestBatcher<Question>]>([:])

    init(bus: any BusClient, services: ServiceCaller) {
        self.bus = bus
        self.services = services
    }

    /// Requests the eligibility of one customer.
    /// - Throws: Eligibility's error; `serviceUnavailable` or `deadlineExceeded` when it is away.
    func ask(_ request: EligibilityRequest, _ context: CallContext) async throws(StoreError) -> EligibilityReply {
        guard request.receipt == nil, let identifiers = request.productIdentifiers,
            identifiers.count <= EligibilityBatch.productsMax, context.remaining > Self.patience
        else { return try await alone(request, context) }
        let place = Place(bundleId: request.bundleId, storefront: request.storefront)
        if let batch = beginAlone(place) {
            defer { end(batch, at: place) }
            return try await alone(request, context)
        }
        let customer = EligibilityBatch.Customer(
            customerIdentifier: request.customerIdentifier, productIdentifiers: identifiers)
        return try await withCheckedContinuation { answer in
            enqueue(Question(customer: customer, context: context, answer: answer), at: place)
        }.get()
    }

    private func alone(
        _ request: EligibilityRequest, _ context: CallContext
    ) async throws(StoreError) -> EligibilityReply {
        try await services.call(EligibilityEndpoints.check, request, context: context)
    }

    private func beginAlone(_ place: Place) -> Int? {
        batchers.withLock { batchers in
            batchers[place, default: RequestBatcher(batchMax: EligibilityBatch.customersMax)].beginAlone(at: .now)
        }
    }

    private func enqueue(_ question: Question, at place: Place) {
        let result = batchers.withLock { batchers in
            batchers[place, default: RequestBatcher(batchMax: EligibilityBatch.customersMax)]
                .enqueue(question, at: .now)
        }
        switch result {
        case .waits(let watching): if watching { watch(place) }
        case .sends(let batch): send(batch, at: place)
        case .refused:
            question.answer.resume(
                returning: .failure(
                    StoreError(.serviceUnavailable, "too many wait for Eligibility already", retryAfterMs: 100)))
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
            await answer(batch, at: place)
            end(batch.number, at: place)
        }
    }

    private func answer(_ batch: Batch, at place: Place) async {
        let now = ContinuousClock.now
        let questions = batch.questions.filter { $0.context.deadline > now }
        for late in batch.questions where late.context.deadline <= now {
            late.answer.resume(
                returning: .failure(StoreError(.deadlineExceeded, "the time was over before Eligibility was asked")))
        }
        do throws(StoreError) {
            let replies = try await replies(to: questions, at: place)
            for (question, reply) in zip(questions, replies) { question.answer.resume(returning: .success(reply)) }
        } catch {
            for question in questions { question.answer.resume(returning: .failure(error)) }
        }
    }

    /// - Returns: One reply per question.
    private func replies(to questions: [Question], at place: Place) async throws(StoreError) -> [EligibilityReply] {
        guard let first = questions.first else { return [] }
        let deadline = questions.map(\.context.deadline).min() ?? first.context.deadline
        let batch = EligibilityBatch(
            bundleId: place.bundleId, storefront: place.storefront, customers: questions.map(\.customer))
        let reply = try await services.call(
            EligibilityEndpoints.checkMany, batch,
            context: CallContext(deadline: deadline, traceparent: first.context.traceparent))
        guard reply.replies.count == questions.count else {
            throw StoreError(.internal, "Eligibility answered \(reply.replies.count) of \(questions.count) questions")
        }
        return reply.replies
    }
}

extension ReceiptQuestion {
    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        try Identifier.checkProducts(productIdentifiers ?? [], at: "$.productIdentifiers")
    }
}
