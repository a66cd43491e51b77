import Persistence
import StoreModels

/// Changes intents inside one transaction: each change is the next revision of a row, and an event where apps or
/// operators would want to know. The rows are locked by whoever hands them in.
struct IntentCommit {
    let transaction: SQLTransaction
    let now: PurchaseIntent.Life.Now

    /// What time has made of an intent, written down if that is anything new.
    func settle(_ intent: StoredIntent) async throws -> StoredIntent {
        var next = intent
        let passed = next.life.pass(to: now)
        guard !passed.isEmpty else { return intent }
        return try await write(next, over: intent, passing: passed)
    }

    /// One event's effect on an intent that was settled.
    /// - Parameter change: what else changes with it.
    /// - Returns: the intent as it is now, and whether it was changed.
    func apply(
        _ event: PurchaseIntent.Life.Event, to intent: StoredIntent,
        changing change: (inout StoredIntent) -> Void = { _ in }
    ) async throws -> (intent: StoredIntent, isChanged: Bool) {
        var next = intent
        guard try next.life.apply(event, at: now) else { return (intent, false) }
        change(&next)
        let state = next.life.state
        let written = try await write(next, over: intent, passing: state == intent.life.state ? [] : [state])
        if event == .delivered { try await tell(.intentDelivered, written.record, of: written) }
        return (written, true)
    }

    /// A new intent.
    func begin(_ intent: StoredIntent) async throws {
        try await IntentRepository.insert(intent, at: now.wall, in: transaction)
        try await tell(.intentStarted, intent.record, of: intent)
    }

    /// The store opens the app for an intent, also for one that waits already.
    func opensApp(for intent: StoredIntent) async throws {
        try await tell(.intentOpenApp, intent.record, of: intent)
    }

    /// Writes what is no matter of state.
    func rewrite(_ intent: StoredIntent, _ change: (inout StoredIntent) -> Void) async throws -> StoredIntent {
        var next = intent
        change(&next)
        return next == intent ? intent : try await write(next, over: intent, passing: [])
    }

    private func write(
        _ next: StoredIntent, over intent: StoredIntent, passing states: [PurchaseIntent.State]
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
            try await tell(kind, shown, of: next)
        }
        return next
    }

    private func tell(_ kind: IntentEvent.Kind, _ intent: PurchaseIntent, of stored: StoredIntent) async throws {
        try await EventRepository.append(kind, intent, of: stored, at: now.wall, in: transaction)
    }
}

extension IntentEvent.Kind {
    /// The event of an intent that has just taken this state; nil for the first one, which has an event of its own.
    init?(_ state: PurchaseIntent.State) {
        switch state {
        case .pending: return nil
        case .deferred: self = .intentDeferred
        case .continued: self = .intentContinued
        case .cancelled: self = .intentCancelled
        case .expired: self = .intentExpired
        }
    }
}
