/// Runs the app's promotion updates and fetches one after the other, in the order of the calls. Of two updates the
/// second wins, and a fetch sees what was set before it.
final class OverrideLine: Sendable {
    typealias Work = @Sendable () async -> Void

    private let continuation: AsyncStream<Work>.Continuation
    private let worker: Task<Void, Never>

    init() {
        let (works, continuation) = AsyncStream<Work>.makeStream(
            bufferingPolicy: .bufferingOldest(ClientLimits.overridesMax))
        self.continuation = continuation
        // Unstructured, because StoreKit's calls return immediately; it is cancelled with the line.
        worker = Task { for await work in works { await work() } }
    }

    deinit { worker.cancel() }

    /// - Returns: False when too many calls are waiting; then the work is dropped.
    func add(_ work: @escaping Work) -> Bool {
        guard case .enqueued = continuation.yield(work) else { return false }
        return true
    }
}
