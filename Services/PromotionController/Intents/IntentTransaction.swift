import Persistence
import StoreModels

/// Changes intents inside one transaction. The caller locks the rows.
///
/// Each change writes the row's next revision, and an event if apps or operators need one.
struct IntentTransaction {
    let transaction: SQLTransaction
    /// The instant of the changes, by both clocks.
    let now: StorePurchaseIntent.Life.Now

    /// Applies the time to an intent, and writes it if it changed.
    func settle(_ intent: StoredIntent) async throws -> StoredIntent {
        var next = intent
        let passed = next.life.pass(to: now)
        guard !passed.isEmpty else { return intent }
        return try await write(next, over: intent, passing: passed)
    }

    /// Applies an event to an intent that was settled.
    /// - Parameter change: Further changes of the intent.
    /// - Returns: The intent as it is now, and whether it was changed.
    func apply(
        _ event: StorePurchaseIntent.Life.Event, to intent: StoredIntent,
        changing change: (inout StoredIntent) -> Void = { _ in }
    ) async throws -> (intent: StoredIntent, isChanged: Bool) {
        var next = intent
        guard try next.life.apply(event, at: now) else { return (intent, false) }
        change(&next)
        let state = next.life.state
        let written = try await write(next, over: intent, passing: state == intent.life.state ? [] : [state])
        if event == .delivered { try await append(.intentDelivered, written.record, of: written) }
        return (written, true)
    }

    /// Writes a new intent.
    func begin(_ intent: StoredIntent) async throws {
        try await IntentRepository.insert(intent, at: now.wall, in: transaction)
        try await append(.intentStarted, intent.record, of: intent)
    }

    /// Records that the store opens the app for an intent, new or already waiting.
    func opensApp(for intent: StoredIntent) async throws {
        try await append(.intentOpenApp, intent.record, of: intent)
    }

    /// Writes changes that do not affect the state.
    func rewrite(_ intent: StoredIntent, _ change: (inout StoredIntent) -> Void) async throws -> StoredIntent {
        var next = intent
        change(&next)
        return next == intent ? intent : try await write(next, over: intent, passing: [])
    }

    private func write(
        _ next: StoredIntent, over intent: StoredIntent, passing states: [StorePurchaseIntent.State]
    ) async throws -> StoredIntent {
        var next = next
        next.revision = intent.revision + 1
        guard try await IntentRepository.update(next, from: intent.revision, in: transaction) else {
            throw StoreError(.internal, "an intent was changed while it was locked")
        }
        for state in states {
            guard let kind = IntentEvent.Kind(state) else { continue }
            var shown = next.record
            shown.state = state
            try await append(kind, shown, of: next)
        }
        return next
    }

    private func append(_ kind: IntentEvent.Kind, _ intent: StorePurchaseIntent, of stored: StoredIntent) async throws {
        try await IntentEventRepository.append(kind, intent, of: stored, at: now, in: transaction)
    }
}

extension IntentEvent.Kind {
    /// Returns the event of an intent that has just entered a state.
    /// - Returns: The event, or nil for the first state, which has a separate event.
    init?(_ state: StorePurchaseIntent.State) {
        switch state {
        case .pending: return nil
        case .deferred: self = .intentDeferred
        case .continued: self = .intentContinued
        case .cancelled: self = .intentCancelled
        case .expired: self = .intentExpired
        }
    }
}
