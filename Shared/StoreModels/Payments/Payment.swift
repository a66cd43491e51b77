/// The app's purchase request in the queue, as `SKPayment`. All of it survives restart and redelivery.
///
/// ```json
/// {"requestIdentifier":"6f1c…","productIdentifier":"com.example.hiddenBeaches","quantity":1,
///  "simulatesAskToBuyInSandbox":false}
/// ```
public struct Payment: Hashable, Sendable, Codable {
    /// The request's Idempotency-Key.
    public var requestIdentifier: String
    public var productIdentifier: String
    /// 1…10.
    public var quantity: Int
    public var applicationUsername: String?
    public var appAccountToken: String?
    public var simulatesAskToBuyInSandbox: Bool
    public var paymentDiscount: PaymentDiscount?
    /// The promoted purchase this payment continues, if any.
    public var intentIdentifier: String?

    public init(
        requestIdentifier: String, productIdentifier: String, quantity: Int = 1, applicationUsername: String? = nil,
        appAccountToken: String? = nil, simulatesAskToBuyInSandbox: Bool = false,
        paymentDiscount: PaymentDiscount? = nil,
        intentIdentifier: String? = nil
    ) {
        self.requestIdentifier = requestIdentifier
        self.productIdentifier = productIdentifier
        self.quantity = quantity
        self.applicationUsername = applicationUsername
        self.appAccountToken = appAccountToken
        self.simulatesAskToBuyInSandbox = simulatesAskToBuyInSandbox
        self.paymentDiscount = paymentDiscount
        self.intentIdentifier = intentIdentifier
    }
}
