import Foundation

/// Fetches the receipt anew, into the file at ``SKPaymentQueue/appStoreReceiptURL``.
///
/// ```swift
/// refresh = SKReceiptRefreshRequest(receiptProperties: nil)
/// refresh.delegate = self
/// refresh.start()                        // then requestDidFinish(_:), and the file is there
/// ```
/// A customer who has bought nothing has a receipt too, without purchases. The file is written by a refresh and by nothing
/// else: StoreKit also renews it when something is bought.
public final class SKReceiptRefreshRequest: SKRequest, @unchecked Sendable {
    // Unchecked as its superclass is: a constant, and a reference behind a lock.
    private let listener = Locked(Listener())
    private let properties: Locked<[String: Bool]>

    private struct Listener: Sendable {
        weak var delegate: (any SKRequestDelegate)?
    }

    /// - Parameter receiptProperties: ``SKReceiptPropertyIsExpired`` and its like, as numbers or booleans. They are kept
    ///   and have no effect: the store makes the receipt that is true.
    public convenience init(receiptProperties: [String: Any]? = nil) {
        self.init(receiptProperties: receiptProperties, queue: .default())
    }

    /// Asks the store that `queue` speaks with.
    public init(receiptProperties: [String: Any]? = nil, queue: SKPaymentQueue) {
        properties = Locked((receiptProperties ?? [:]).compactMapValues(Self.flag))
        super.init(queue: queue)
    }

    private static func flag(_ value: Any) -> Bool? { (value as? Bool) ?? (value as? NSNumber)?.boolValue }

    /// What the request was made with; nil when it was nothing.
    public var receiptProperties: [String: Any]? {
        let properties = properties.withLock { $0 }
        return properties.isEmpty ? nil : properties
    }

    /// Not retained.
    public var delegate: (any SKRequestDelegate)? {
        get { listener.withLock { $0.delegate } }
        set { listener.withLock { $0.delegate = newValue } }
    }

    override func send() -> any RunningRequest {
        queue.core.refreshReceipt { [weak self] error in self?.tell(error) }
    }

    /// Runs on the callback queue.
    private func tell(_ error: (any Error)?) {
        guard end() else { return }
        if let error {
            delegate?.request(self, didFailWithError: error)
        } else {
            delegate?.requestDidFinish(self)
        }
    }
}
