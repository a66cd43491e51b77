/// Fetches the receipt anew, into the file at ``SKPaymentQueue/appStoreReceiptURL``.
///
/// ```swift
/// refresh = SKReceiptRefreshRequest(receiptProperties: nil)
/// refresh.delegate = self
/// refresh.start()                        // then requestDidFinish(_:), and the file is there
/// ```
/// A customer who has bought nothing has a receipt too, without purchases. Only a refresh writes the file; StoreKit
/// also renews it after a purchase.
open class SKReceiptRefreshRequest: SKRequest, @unchecked Sendable {
    // Unchecked as its superclass is; it adds a constant.
    private let properties: [String: Bool]

    public override init() {
        properties = [:]
        super.init()
    }

    /// - Parameter receiptProperties: ``SKReceiptPropertyIsExpired`` and its like, as numbers or booleans. They are
    ///   kept and have no effect: the store makes the actual receipt.
    public init(receiptProperties: [String: Any]?) {
        properties = (receiptProperties ?? [:]).compactMapValues(Self.flag)
        super.init()
    }

    /// Makes a request to the store of `queue`.
    public convenience init(receiptProperties: [String: Any]? = nil, queue: SKPaymentQueue) {
        self.init(receiptProperties: receiptProperties)
        self.queue = queue
    }

    private static func flag(_ value: Any) -> Bool? { (value as? Bool) ?? (value as? NSNumber)?.boolValue }

    /// The properties the request was made with; nil when there were none.
    open var receiptProperties: [String: Any]? { properties.isEmpty ? nil : properties }

    /// The delegate, not retained.
    open var delegate: (any SKRequestDelegate)? {
        get { listener }
        set { listener = newValue }
    }

    override func send() -> any RunningRequest {
        queue.core.refreshReceipt { error in self.tell(error) }
    }

    /// Runs on the callback queue.
    private func tell(_ error: (any Error)?) {
        guard end() else { return }
        if let error {
            listener?.request(self, didFailWithError: error)
        } else {
            listener?.requestDidFinish(self)
        }
    }
}

// StoreKit's keys of ``SKReceiptRefreshRequest/receiptProperties``, each for a number or a boolean.

/// Requests the receipt of an app that has expired.
public let SKReceiptPropertyIsExpired = "expired"
/// Requests the receipt of an app that was revoked.
public let SKReceiptPropertyIsRevoked = "revoked"
/// Requests the receipt of an app that was bought by volume.
public let SKReceiptPropertyIsVolumePurchase = "vpp"

/// Ends the process of an app whose receipt is invalid, with status 173 as on macOS.
public func SKTerminateForInvalidReceipt() -> Never {
    FileHandle.standardError.write(Data("StoreKitClient: the receipt is invalid\n".utf8))
    exit(173)
}
