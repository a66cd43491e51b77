/// All routes of the HTTP API.
package enum StoreRoutes {
    /// In no particular order; each method and path once.
    package static let all: [HTTPRoute] =
        SessionRoutes.all + ProductRoutes.all + PaymentRoutes.all + TransactionRoutes.all + RestoreRoutes.all
        + DownloadRoutes.all + SubscriptionRoutes.all + StorePageRoutes.all + PromotionRoutes.all + IntentRoutes.all
        + AppRoutes.all + ContentRoutes.all + ImageRoutes.all + ClockRoutes.all + DeviceRoutes.all + KeyRoutes.all
        + AccountRoutes.all + PromptRoutes.all + EventRoutes.all + CustomerRoutes.all + ReceiptRoutes.all
        + MonitoringRoutes.all + BusRoutes.all + AppStoreServerRoutes.all + SigningRoutes.all
        + NotificationRoutes.all + IsolatedStoreRoutes.all + ConsoleRoutes.all
}

extension Set<String> {
    /// The query of a list that comes in pages.
    static var page: Set<String> { ["after", "limit"] }
}
