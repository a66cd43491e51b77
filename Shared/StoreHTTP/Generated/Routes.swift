// Written by scripts/wire, which renews it: the endpoints of the HTTP API.
// swift-format-ignore-file

extension AccountRoutes {
    static let all: [any HTTPOperation] = [list, get, put, reset]
}

extension PromptRoutes {
    static let all: [any HTTPOperation] = [list, answer]
}

extension EventRoutes {
    static let all: [any HTTPOperation] = [wait, waitForIntents, last, stream]
}

extension AppRoutes {
    static let all: [any HTTPOperation] = [
        list, get, put, delete, exportCatalog, importCatalog, products, prices, explain, offers, reset, clearHistory,
        storefronts
    ]
}

extension AppStoreServerRoutes {
    static let all: [any HTTPOperation] = [
        transaction, history, historyV1, statuses, refunds, refundsV1, order, appTransaction, settings, putSettings,
        faults, addFault, removeFaults, signedTransaction, signedAppTransaction, certificateStatus,
        certificateStatusByGet, extend, extendAll, extensions, consumption, consumptionV1, appAccountToken, finish,
        notificationHistory, testNotification, testNotificationStatus
    ] + messaging
}

extension BusRoutes {
    static let all: [any HTTPOperation] = [
        state, connections, subjects, tap, faults, addFault, removeFaults, runs, run, putRun
    ]
}

extension ClockRoutes {
    static let all: [any HTTPOperation] = [get, put, advance, progress]
}

extension ConsoleRoutes {
    static let all: [any HTTPOperation] = [file, fileInFolder, signIn, session, signOut, createTicket]
}

extension ContentRoutes {
    static let all: [any HTTPOperation] = [put, get]
}

extension ImageRoutes {
    static let all: [any HTTPOperation] = [put, get, approve, reject]
}

extension CustomerRoutes {
    static let all: [any HTTPOperation] = [history, eligibility, subscriptions]
}

extension DeviceRoutes {
    static let all: [any HTTPOperation] = [list, get, put, delete, install, uninstall]
}

extension DownloadRoutes {
    static let all: [any HTTPOperation] = [content] + updates
}

extension FamilyRoutes {
    static let all: [any HTTPOperation] = [list, put, end, putMember, removeMember]
}

extension IntentRoutes {
    static let all: [any HTTPOperation] = [list, get, decide, search]
}

extension IsolatedStoreRoutes {
    static let all: [any HTTPOperation] = [create, createFromFile, fork, snapshot, list, delete]
}

extension KeyRoutes {
    static let all: [any HTTPOperation] = [
        createForAccount, listOfAccount, revokeOfAccount, create, list, revokeByQuery, revoke
    ]
}

extension MonitoringRoutes {
    static let all: [any HTTPOperation] = [
        frontPage, liveness, readiness, metrics, openAPI, services, drain, environment, environmentLines
    ]
}

extension NotificationRoutes {
    static let all: [any HTTPOperation] = [
        endpoint, putEndpoint, deleteEndpoint, list, get, resend, settled, trigger, lease, report
    ]
}

extension OfferCodeRoutes {
    static let all: [any HTTPOperation] = [create, list, activate, redeem]
}

extension PaymentRoutes {
    static let all: [any HTTPOperation] = [add, purchase, addOutside]
}

extension ProductRoutes {
    static let all: [any HTTPOperation] = [list, query, eligibility, eligibilityOfReceipt]
}

extension PromotionRoutes {
    static let all: [any HTTPOperation] = [
        order, putOrder, visibility, putVisibility, putDeviceOrder, putDeviceVisibility, setup, putSetup, featured,
        putFeatured, testURL
    ]
}

extension ReceiptRoutes {
    static let all: [any HTTPOperation] = [get, verify, verifyByGet, root]
}

extension RestoreRoutes {
    static let all: [any HTTPOperation] = [start, get]
}

extension SessionRoutes {
    static let all: [any HTTPOperation] = [open, sync]
}

extension SignedRoutes {
    static let all: [any HTTPOperation] = [transactions, subscriptions]
}

extension SigningRoutes {
    static let all: [any HTTPOperation] = [get, rotate, ocsp, issue]
}

extension StorePageRoutes {
    static let all: [any HTTPOperation] = [page, search, featured, purchase, openURL]
}

extension SubscriptionRoutes {
    static let all: [any HTTPOperation] = [list, update, showPriceConsent, search, timeline]
}

extension TraceRoutes {
    static let all: [any HTTPOperation] = [list]
}

extension TransactionRoutes {
    static let all: [any HTTPOperation] = [
        unfinished, stream, get, finish, requestRefund, answerStorefrontChange, history, search, find, redeliver,
        approve, decline, resolve, delete, refund, revoke, openRefundRequest, refundRequests, refundRequest,
        grantRefundRequest, declineRefundRequest, reverseRefund, extend
    ] + operated
}

extension StoreRoutes {
    static let groups: [[any HTTPOperation]] = [
        AccountRoutes.all, PromptRoutes.all, EventRoutes.all, AppRoutes.all, AppStoreServerRoutes.all, BusRoutes.all,
        ClockRoutes.all, ConsoleRoutes.all, ContentRoutes.all, ImageRoutes.all, CustomerRoutes.all, DeviceRoutes.all,
        DownloadRoutes.all, FamilyRoutes.all, IntentRoutes.all, IsolatedStoreRoutes.all, KeyRoutes.all,
        MonitoringRoutes.all, NotificationRoutes.all, OfferCodeRoutes.all, PaymentRoutes.all, ProductRoutes.all,
        PromotionRoutes.all, ReceiptRoutes.all, RestoreRoutes.all, SessionRoutes.all, SignedRoutes.all,
        SigningRoutes.all, StorePageRoutes.all, SubscriptionRoutes.all, TraceRoutes.all, TransactionRoutes.all
    ]
}
