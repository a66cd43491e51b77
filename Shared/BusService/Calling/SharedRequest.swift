import EventLoop
import StoreModels

/// Sends one request for all callers that ask the same thing at the same time.
///
/// A caller's answer belongs to a request that was sent after the caller asked. So the answer includes everything
/// acknowledged before the call, and yet the number of requests does not grow with the number of callers.
///
/// ```swift
/// let quotes = SharedRequest(caller.function(CatalogEndpoints.quoteProduct))
/// let quote = try await quotes.ask(request, until: deadline)
/// ```
///
/// It is public because the compiler specializes other modules' generic code only if that is public and inlinable.
public final class SharedRequest<Key: Hashable & Sendable, Reply: Sendable>: Sendable {
    public typealias Send = @Sendable (Key, ContinuousClock.Instant) async throws(StoreError) -> Reply

    @usableFromInline typealias Outcome = Result<Reply, StoreError>

    @usableFromInline enum Turn: Sendable {
        /// This caller sends, also for `others`.
        case sends(number: Int, others: [CheckedContinuation<Turn, Never>])
        case gets(Outcome)
        /// The request it waited for ended with its sender.
        case asksAgain
    }

    @usableFromInline struct Slot {
        @usableFromInline var underWay: [Int: ContinuousClock.Instant] = [:]
        @usableFromInline var waiting: [CheckedContinuation<Turn, Never>] = []

        @inlinable
        init() {}
    }

    @usableFromInline struct State {
        @usableFromInline var slots: [Key: Slot] = [:]
        @usableFromInline var number = 0

        @inlinable
        init() {}

        @inlinable
        mutating func begin(_ key: Key, at now: ContinuousClock.Instant) -> Int {
            number += 1
            slots[key, default: Slot()].underWay[number] = now
            return number
        }
    }

    @usableFromInline let timeout: Duration
    @usableFromInline let lateAfter: Duration
    @usableFromInline let send: Send
    @usableFromInline let state = Locked(State())

    /// - Parameters:
    ///   - timeout: How long one request may take, so that callers do not wait long for a lost one.
    ///   - lateAfter: A request that takes this long keeps no later caller back.
    public init(timeout: Duration = .seconds(2), lateAfter: Duration = .milliseconds(25), _ send: @escaping Send) {
        self.timeout = timeout
        self.lateAfter = lateAfter
        self.send = send
    }

    /// Gets the reply to a request sent after this call, by any caller.
    ///
    /// - Throws: The request's error, or `deadlineExceeded` when it takes longer than `timeout` or `deadline` has
    ///   passed.
    @inlinable
    public func ask(_ key: Key, until deadline: ContinuousClock.Instant) async throws(StoreError) -> Reply {
        while true {
            switch await turn(key) {
            case .sends(let number, let others): return try await sendOne(key, number, for: others, until: deadline)
            case .gets(let outcome): return try outcome.get()
            case .asksAgain:
                guard deadline > .now else {
                    throw StoreError(.deadlineExceeded, "the time was over before the answer")
                }
            }
        }
    }

    @inlinable
    func turn(_ key: Key) async -> Turn {
        let number = state.withLock { state -> Int? in
            let now = ContinuousClock.now
            let isFree = state.slots[key]?.underWay.values.allSatisfy { now - $0 >= lateAfter } ?? true
            return isFree ? state.begin(key, at: now) : nil
        }
        if let number { return .sends(number: number, others: []) }
        return await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                guard state.slots[key] != nil else { return false }
                state.slots[key]?.waiting.append(continuation)
                return true
            }
            // The request has ended in between.
            if !isWaiting { continuation.resume(returning: .asksAgain) }
        }
    }

    @inlinable
    func sendOne(
        _ key: Key, _ number: Int, for others: [CheckedContinuation<Turn, Never>],
        until deadline: ContinuousClock.Instant
    ) async throws(StoreError) -> Reply {
        let longest = ContinuousClock.now + timeout
        let outcome: Outcome
        do throws(StoreError) {
            outcome = .success(try await send(key, min(deadline, longest)))
        } catch {
            outcome = .failure(error)
        }
        passOn(key, after: number)
        // A failure that is the sender's alone, which had less time or was cancelled, is not an answer to the others.
        let isSendersOwn = (try? outcome.get()) == nil && (deadline < longest || Task.isCancelled)
        for other in others { other.resume(returning: isSendersOwn ? .asksAgain : .gets(outcome)) }
        return try outcome.get()
    }

    /// Lets the first waiting caller send the next request for all that wait.
    @inlinable
    func passOn(_ key: Key, after number: Int) {
        let next = state.withLock { state -> (number: Int, waiting: [CheckedContinuation<Turn, Never>])? in
            state.slots[key]?.underWay[number] = nil
            guard let slot = state.slots[key] else { return nil }
            guard !slot.waiting.isEmpty else {
                if slot.underWay.isEmpty { state.slots[key] = nil }
                return nil
            }
            state.slots[key]?.waiting = []
            return (state.begin(key, at: .now), slot.waiting)
        }
        guard let next else { return }
        next.waiting[0].resume(returning: .sends(number: next.number, others: Array(next.waiting.dropFirst())))
    }
}

extension SharedRequest {
    /// The number of callers that wait for a request of their own, for tests.
    func waitingCount(_ key: Key) -> Int { state.withLock { $0.slots[key]?.waiting.count ?? 0 } }
}
