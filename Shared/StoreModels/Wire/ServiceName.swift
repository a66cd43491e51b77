/// The services of the store, by name. Executable, compose service and `$SRV` share the name.
public enum ServiceName: String, CaseIterable, Sendable, Codable {
    case catalog
    case paymentQueue = "payment-queue"
    case promotionController = "promotion-controller"
    case eligibility
    case paymentProcessor = "payment-processor"
    case appStoreServer = "app-store-server"
    case gateway

    /// The second token of the service's subjects, `sb.payment.v1.…`.
    public var subjectToken: String {
        switch self {
        case .catalog: "catalog"
        case .paymentQueue: "payment"
        case .promotionController: "promotion"
        case .eligibility: "eligibility"
        case .paymentProcessor: "processor"
        case .appStoreServer: "appstore"
        case .gateway: "gateway"
        }
    }

    /// The service's name in replies that lack its part, `"degraded":["promotions"]`. Nil for services that replies
    /// never name.
    public var degradedName: String? {
        switch self {
        case .catalog: "catalog"
        case .paymentQueue: "payments"
        case .promotionController: "promotions"
        case .eligibility: "eligibility"
        case .appStoreServer: "receipts"
        case .paymentProcessor, .gateway: nil
        }
    }
}
