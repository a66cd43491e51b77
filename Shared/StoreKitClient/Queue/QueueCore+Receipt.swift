import Foundation

extension QueueCore {
    /// - Parameter completion: Called on the callback queue, once, with the error, if any.
    func refreshReceipt(_ completion: @escaping @Sendable ((any Error)?) -> Void) -> any RunningRequest {
        let query = ReceiptQuery(gateway: gateway, file: receipt)
        // Unstructured, because `start()` returns immediately. It keeps the request, which can cancel it.
        return Task { [callbacks] in
            let error = await query.run()
            callbacks.async { completion(error) }
        }
    }
}
