import Foundation
internal import StoreModels

extension QueueCore {
    /// Reads or sets the device's promotions.
    /// - Parameter completion: Called on the callback queue, once.
    func override<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Result<Value, any Error>,
        then completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let isTaken = overrides.add { [callbacks] in
            let result = await work()
            callbacks.async { completion(result) }
        }
        guard !isTaken else { return }
        let sentence = "\(ClientLimits.overridesMax) calls about promotions are waiting already."
        let error = SKError(.unknown, userInfo: [NSLocalizedDescriptionKey: sentence])
        callbacks.async { completion(.failure(error)) }
    }
}
