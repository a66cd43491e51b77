import Persistence
import StoreModels

@testable import AppStoreServer
@testable import Catalog
@testable import Gateway
@testable import GatewayEdge
@testable import PaymentProcessor
@testable import PaymentQueue
@testable import PromotionController

extension ServiceName {
    /// The schema of the service's database; nil for a service without one.
    var migrations: [Migration]? {
        switch self {
        case .catalog: CatalogSchema.migrations
        case .paymentQueue: PaymentQueueSchema.migrations
        case .promotionController: PromotionSchema.migrations
        case .paymentProcessor: PaymentProcessorSchema.migrations
        case .appStoreServer: AppStoreServerSchema.migrations
        case .gateway: GatewaySchema.migrations
        case .eligibility: nil
        }
    }
}
