/// The app's purchase request in the queue, as `SKPayment`. All of it survives restart and redelivery.
///
/// ```json
/// {"requestIdentifier":"6f1c…","productIdentifier":"com.example.hiddenBeaches","quantity":1,
///  "simulatesAskToBuyInSandbox":false}
/// ```
public struct Payment: Hashable, Sendable, Codable {
    /// The request's Idempotency-Key.
    public var requestIdentifier: String
    /// As the app sent it. The catalogue need not have it.
    public var productIdentifier: String
    /// 1…10.
    public var quantity: Int = 1
    /// The app's own account name, at most 255 characters. Absent if the app sent none.
    public var applicationUsername: String?
    /// The app's token for its user, usually a UUID, at most 255 characters.
    public var appAccountToken: String?
    /// Whether a test app asks for a deferred purchase. False when left out.
    public var simulatesAskToBuyInSandbox: Bool = false
    /// The app's signed promotional offer. Absent if the app requested no offer.
    public var paymentDiscount: PaymentDiscount?
    /// The promoted purchase this payment continues, if any.
    public var intentIdentifier: String?
    /// Whether the app gets the outcome as StoreKit 2's `purchase()` returns it. A payment that fails, or that buys
    /// what the customer holds, then leaves no transaction in the queue. Absent means no.
    public var returnsOutcome: Bool?
    /// `MONTHLY` for a year in monthly payments. Absent for a payment of the whole period.
    public var billingPlanType: BillingPlan?
}
