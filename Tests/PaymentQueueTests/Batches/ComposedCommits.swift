import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting

@testable import PaymentQueue

/// Commits decisions that arrive at the same time, and so are one batch.
///
/// All of them are handled on one loop, as in a process of its own.
struct ComposedCommits: Sendable {
    struct Decision: Sendable {
        let customer: CustomerReference
        var lookups: [SQLLookupKey] = []
        var identifierCount = 0
        let decide: @Sendable (inout CustomerState) throws -> String
    }

    let database: any SQLDatabase
    let commits: CustomerCommits

    init(_ store: TestStore, checkpoint: @escaping CheckpointHook = { _ in }) throws {
        database = store.database
        commits = CustomerCommits(
            database, on: try TestDatabase.loop, clock: store.current.service.context.clock, checkpoint: checkpoint)
    }

    /// Begins commits as one batch.
    func begin(_ decisions: [Decision]) async throws -> [Task<String, any Error>] {
        let loop = try TestDatabase.loop
        // The loop has all of them before the first one runs, so the batch is behind the last one.
        return await Task(executorPreference: loop) { [commits] in
            decisions.map { decision in
                Task(executorPreference: loop) {
                    try await commits.commit(
                        decision.customer, asking: decision.lookups, identifierCount: decision.identifierCount,
                        decision.decide
                    ).output
                }
            }
        }.value
    }

    /// Commits as one batch.
    func run(_ decisions: [Decision]) async throws -> [Result<String, any Error>] {
        var results: [Result<String, any Error>] = []
        for task in try await begin(decisions) { results.append(await task.result) }
        return results
    }
}

extension Result<CustomerBatch.Outcome, any Error> {
    var isAgain: Bool { if case .success(.again) = self { true } else { false } }

    var isAlone: Bool { if case .success(.alone) = self { true } else { false } }

    /// The output of a command that was decided.
    var output: String? {
        if case .success(.decided(let decided)) = self { decided.output as? String } else { nil }
    }

    var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}

extension Result<String, any Error> {
    var output: String? { try? get() }
    var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}
