/// Fetches the receipt into the file at ``SKPaymentQueue/appStoreReceiptURL``.
///
/// ```swift
/// refresh = SKReceiptRefreshRequest(receiptProperties: nil)
/// refresh.delegate = self
/// refresh.start()                        // then requestDidFinish(_:), and the file is there
/// ```
/// A customer without purchases has a receipt too. Only a refresh writes the file, while StoreKit also renews it after
/// a purchase.
open class SKReceiptRefreshRequest: SKRequest, @unchecked Sendable {
    // Unchecked like its superclass; it adds a constant.
    private let properties: [String: Bool]

    /// Creates a request to the store of the default queue.
    public override init() {
        properties = [:]
        super.init()
    }

    /// Creates a request to the store of the default queue.
    /// - Parameter receiptProperties: Numbers or booleans by key, such as ``SKReceiptPropertyIsExpired``. They are kept
    ///   and have no effect: the store makes the actual receipt.
    public init(receiptProperties: [String: Any]?) {
        properties = (receiptProperties ?? [:]).compactMapValues(Self.flag)
        super.init()
    }

    /// Creates a request to the store of `queue`.
    public convenience init(receiptProperties: [String: Any]? = nil, queue: SKPaymentQueue) {
        self.init(receiptProperties: receiptProperties)
        self.queue = queue
    }

    private static func flag(_ value: Any) -> Bool? { (value as? Bool) ?? (value as? NSNumber)?.boolValue }

    /// The properties of the initializer, or nil without any.
    open var receiptProperties: [String: Any]? { properties.isEmpty ? nil : properties }

    /// The delegate, not retained.
    open var delegate: (any SKRequestDelegate)? {
        get { listener }
        set { listener = newValue }
    }

    override func send() -> Task<Void, Never>? {
        queue.core.refreshReceipt { result in self.tell(result) }
    }

    /// Runs on the callback queue.
    private func tell(_ result: Result<Void, any Error>) {
        guard end() else { return }
        switch result {
        case .success: listener?.requestDidFinish(self)
        case .failure(let error): listener?.request(self, didFailWithError: error)
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

/// Ends the process with status 173, as on macOS for an invalid receipt.
public func SKTerminateForInvalidReceipt() -> Never {
    FileHandle.standardError.write(Data("StoreKitClient: the receipt is invalid\n".utf8))
    exit(173)
}
