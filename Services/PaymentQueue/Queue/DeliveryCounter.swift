import Persistence
import StoreModels
import Synchronization

/// Counts launches and resumes in the transactions they bring (M51), one page at a time.
///
/// Counting writes up to 100 rows. A client that opens streams again and again waits for its own pages here; other
/// customers' purchases share a commit with one page at most.
final class DeliveryCounter: Sendable {
    private struct State {
        var isBusy = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let database: any SQLDatabase
    private let state = Mutex(State())

    init(database: any SQLDatabase) { self.database = database }

    /// Adds one to the deliveries of a customer's transactions; those deleted meanwhile are passed over.
    func count(_ identifiers: [String], of customer: CustomerReference) async throws {
        await enter()
        defer { leave() }
        try await database.write { transaction in
            guard try await CustomerRepository.lock(customer, in: transaction) != nil else { return }
            try await TransactionRepository.countDelivery(of: identifiers, customer, in: transaction)
        }
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isBusy else {
                    state.isBusy = true
                    return true
                }
                state.waiters.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.isBusy = false
            return nil
        }
        next?.resume()
    }
}
