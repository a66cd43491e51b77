/// All routes of the HTTP API.
package enum StoreRoutes {
    /// In no particular order, but two endpoints of one route are side by side.
    package static let operations: [any HTTPOperation] = groups.flatMap { $0 }

    private static let groups: [[any HTTPOperation]] = [
        SessionRoutes.all, ProductRoutes.all, PaymentRoutes.all, TransactionRoutes.all, RestoreRoutes.all,
        DownloadRoutes.all, SubscriptionRoutes.all, StorePageRoutes.all, PromotionRoutes.all, IntentRoutes.all,
        AppRoutes.all, ContentRoutes.all, ImageRoutes.all, ClockRoutes.all, DeviceRoutes.all, KeyRoutes.all,
        AccountRoutes.all, PromptRoutes.all, EventRoutes.all, CustomerRoutes.all, ReceiptRoutes.all,
        MonitoringRoutes.all, BusRoutes.all, AppStoreServerRoutes.all, SigningRoutes.all, NotificationRoutes.all,
        IsolatedStoreRoutes.all, ConsoleRoutes.all,
    ]

    /// Each method and path once.
    package static let all: [HTTPRoute] = {
        var known: Set<HTTPRoute> = []
        return operations.map(\.route).filter { known.insert($0).inserted }
    }()
}

extension [Parameter] {
    /// The query of a list that comes in pages.
    static var page: [Parameter] { [.after, .limit] }
    /// The query of an operator's list that comes in pages.
    static var adminPage: [Parameter] { [.after, .adminLimit] }
}
