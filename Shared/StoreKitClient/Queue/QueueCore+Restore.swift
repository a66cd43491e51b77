import Foundation
internal import StoreHTTP
internal import StoreModels

extension QueueCore {
    /// Requests a restore. The restored transactions and the end come on the stream.
    func restore(applicationUsername: String?) {
        let key = UUID().uuidString.lowercased()
        tasks.run { [weak self, call] in
            do {
                _ = try await call.send(
                    HTTPCall(
                        RestoreRoutes.start, body: NewRestore(applicationUsername: applicationUsername), key: key),
                    patience: call.timing.patience)
            } catch is CancellationError {
                // The queue is gone, and its observers with it.
            } catch {
                self?.tell(.restoreFailed(SKError(cause: error)))
            }
        }
    }
}
