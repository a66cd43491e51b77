import EventLoop
import StoreModels

/// Bounded cache of other services' replies, by key, with the age of each value.
///
/// A value is fresh for a time, counted from its request, and remains known for when the service that owns it is away.
/// To send one request for simultaneous callers, request through a ``SharedRequest``.
///
/// ```swift
/// let apps = ExpiringCache<ExactText, App>(max: 10_000, freshFor: .seconds(1))
/// let app = try await apps.value(for: key) { () async throws(StoreError) in
///     try await requests.ask(key, until: deadline)
/// }
/// ```
///
/// It is public because the compiler specializes other modules' generic code only if that is public and inlinable.
public final class ExpiringCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The start of a request, taken before it is sent and stored with its reply.
    public struct Ticket: Sendable {
        /// The time from which the value's age counts.
        public var requestedAt: ContinuousClock.Instant
        @usableFromInline let generation: Int

        @inlinable
        init(requestedAt: ContinuousClock.Instant, generation: Int) {
            self.requestedAt = requestedAt
            self.generation = generation
        }
    }

    @usableFromInline struct Entry: Sendable {
        @usableFromInline var value: Value
        @usableFromInline var requestedAt: ContinuousClock.Instant
        @usableFromInline var isExpired: Bool

        @inlinable
        init(value: Value, requestedAt: ContinuousClock.Instant) {
            self.value = value
            self.requestedAt = requestedAt
            isExpired = false
        }
    }

    @usableFromInline struct State: Sendable {
        @usableFromInline var entries: [Key: Entry] = [:]
        /// Sum of the entries' costs.
        @usableFromInline var cost = 0
        /// Grows with each invalidation, so that replies to earlier requests are not stored.
        @usableFromInline var generation = 0

        @inlinable
        mutating func removeAll() {
            entries.removeAll()
            cost = 0
        }
    }

    @usableFromInline let max: Int
    @usableFromInline let costMax: Int
    @usableFromInline let cost: @Sendable (Value) -> Int
    @usableFromInline let freshFor: Duration
    @usableFromInline let now: @Sendable () -> ContinuousClock.Instant
    @usableFromInline let state = Locked(State())

    /// - Parameters:
    ///   - max: The maximum number of values. At the bound all are dropped and requested again.
    ///   - freshFor: How long after its request a value is fresh.
    ///   - costMax: The maximum of all costs together, with the same effect as `max`.
    ///   - cost: The cost of a value.
    ///   - now: The clock for the age of values. Tests pass their own.
    public init(
        max: Int, freshFor: Duration = .unlimited, costMax: Int = .max,
        cost: @escaping @Sendable (Value) -> Int = { _ in 0 },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.max = max
        self.costMax = costMax
        self.cost = cost
        self.freshFor = freshFor
        self.now = now
    }

    /// Returns the fresh value that `isValid` accepts, or requests and stores a new one.
    @inlinable
    public func value(
        for key: Key, where isValid: (Value) -> Bool = { _ in true }, request: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        if let value = fresh(key, where: isValid) { return value }
        let ticket = ticket()
        let value = try await request()
        insert(value, for: key, ticket)
        return value
    }

    /// The fresh value of the key.
    @inlinable
    public func fresh(_ key: Key, where isValid: (Value) -> Bool = { _ in true }) -> Value? {
        let now = now()
        guard let entry = state.withLock({ $0.entries[key] }), isFresh(entry, now), isValid(entry.value) else {
            return nil
        }
        return entry.value
    }

    /// The fresh values of all keys, in their order. Nil when one is missing.
    @inlinable
    public func fresh(_ keys: [Key], where isValid: (Value) -> Bool = { _ in true }) -> [Value]? {
        let now = now()
        return state.withLock { state in
            var values: [Value] = []
            values.reserveCapacity(keys.count)
            for key in keys {
                guard let entry = state.entries[key], isFresh(entry, now), isValid(entry.value) else { return nil }
                values.append(entry.value)
            }
            return values
        }
    }

    @inlinable
    func isFresh(_ entry: Entry, _ now: ContinuousClock.Instant) -> Bool {
        !entry.isExpired && now - entry.requestedAt < freshFor
    }

    /// Returns the key's last known value, fresh or not, if requested at most `age` ago.
    @inlinable
    public func last(
        _ key: Key, within age: Duration = .unlimited, where isValid: (Value) -> Bool = { _ in true }
    ) -> Value? {
        guard let entry = state.withLock({ $0.entries[key] }), isValid(entry.value) else { return nil }
        guard age == .unlimited || now() - entry.requestedAt <= age else { return nil }
        return entry.value
    }

    /// Begins a request whose reply is stored with ``insert(_:for:_:)``.
    @inlinable
    public func ticket() -> Ticket {
        let now = now()
        return Ticket(requestedAt: now, generation: state.withLock { $0.generation })
    }

    /// Stores a value, unless it was invalidated during its request. The reply to a later request, once stored, stays.
    /// - Parameter ticket: The request's ticket. Nil for a value of now.
    /// - Returns: False for a value that was invalidated. True also for one that a later request's reply has overtaken,
    ///   because it may be the newer of the two all the same.
    @discardableResult @inlinable
    public func insert(_ value: Value, for key: Key, _ ticket: Ticket? = nil) -> Bool {
        insert([(key, value)], ticket)
    }

    /// Stores values of one request, as ``insert(_:for:_:)`` does.
    @discardableResult @inlinable
    public func insert(_ values: [(Key, Value)], _ ticket: Ticket? = nil) -> Bool {
        let ticket = ticket ?? self.ticket()
        return state.withLock { state in
            guard state.generation == ticket.generation else { return false }
            let added = values.count { state.entries[$0.0] == nil }
            if added > 0, state.entries.count + added > max { state.removeAll() }
            for (key, value) in values {
                put(Entry(value: value, requestedAt: ticket.requestedAt), for: key, in: &state)
            }
            return true
        }
    }

    @inlinable
    func put(_ entry: Entry, for key: Key, in state: inout State) {
        if let old = state.entries[key] {
            if old.requestedAt > entry.requestedAt { return }
            state.cost -= cost(old.value)
        }
        let added = cost(entry.value)
        if state.cost + added > costMax { state.removeAll() }
        state.cost += added
        state.entries[key] = entry
    }

    /// Ends the freshness of a value. It remains known.
    /// - Parameter discardingReplies: Whether replies to requests already sent, for any key, are not stored.
    public func expire(_ key: Key, discardingReplies: Bool = false) {
        state.withLock { state in
            if discardingReplies { state.generation += 1 }
            state.entries[key]?.isExpired = true
        }
    }

    /// Removes the values of keys, and does not store replies to requests already sent.
    public func invalidate(where isInvalid: (Key) -> Bool = { _ in true }) {
        state.withLock { state in
            state.generation += 1
            state.entries = state.entries.filter { !isInvalid($0.key) }
            state.cost = state.entries.values.reduce(0) { $0 + cost($1.value) }
        }
    }

    public func remove(_ key: Key) {
        state.withLock { state in
            guard let old = state.entries.removeValue(forKey: key) else { return }
            state.cost -= cost(old.value)
        }
    }
}

extension Duration {
    /// Longer than any process runs.
    @usableFromInline package static var unlimited: Duration { .seconds(Int64.max) }
}
