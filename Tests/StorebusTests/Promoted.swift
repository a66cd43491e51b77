import StoreHTTP
import StoreModels

@testable import Storebus

/// Samples: two promoted products, a device with overrides, and its intents.
enum Promoted {
    private static func instant(_ text: String) -> Timestamp {
        Timestamp(text) ?? { preconditionFailure("'\(text)' is no instant") }()
    }

    static func image(_ product: String, _ state: PromotionImage.State, reason: String? = nil) -> PromotionImage {
        PromotionImage(
            productIdentifier: product, state: state, format: .png, width: 1024, height: 1024, length: 73_412,
            sha256: "9f86d081", reason: reason)
    }

    static let bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func item(
        _ product: String, visible: Bool = true, reasons: [PromotionExplanation.Reason] = []
    ) -> PromotionSetup.Item {
        PromotionSetup.Item(
            productIdentifier: product, visible: visible,
            image: image(product, reasons.contains(.imageWaitingForReview) ? .waiting : .approved),
            reasons: reasons, details: reasons.map { "Do something about \($0.rawValue)." })
    }

    /// The second one is hidden by the operator, the third waits for its review.
    static let setup = PromotionSetup(
        bundleId: "com.example.app", isPreview: false,
        promotions: [
            item("pro.monthly"), item("hidden-beaches", visible: false),
            item("fishing", reasons: [.imageWaitingForReview]),
        ])

    static let preview = PromotionSetup(
        bundleId: "com.example.app", isPreview: true,
        promotions: [
            PromotionSetup.Item(
                productIdentifier: "pro.monthly", visible: true, image: nil, reasons: [], details: [])
        ])

    /// Overrides that invert the operator's visibility, with an order of their own.
    static let overrides = PromotionOverrides(
        order: ["hidden-beaches", "gone"], visibility: ["hidden-beaches": .show, "pro.monthly": .hide])

    static func device(
        overrides: PromotionOverrides = overrides, isLaunched: Bool = true, osVersion: String = "17.4",
        platform: DeviceLaunch.Platform = .iPadOS
    ) -> Device {
        Device(
            deviceId: "alice-1", platform: platform, osVersion: osVersion,
            apps: [
                Device.InstalledApp(
                    bundleId: "com.example.app", version: "2.1", promotedPurchases: .purchaseIntent,
                    isLaunched: isLaunched, overrides: overrides)
            ])
    }

    static let app = App(
        bundleId: "com.example.app", settings: AppSettings(name: "Example", currentVersion: "3.0"), catalogVersion: 7)

    static let appPrice = Currency(code: "USD").map { Money(minorUnits: 499, currency: $0) }

    static let page = StorePageResponse(promotions: [
        Promotion(product: FakeStore.products[0], owned: true), Promotion(product: withoutOffer, owned: false),
    ])

    /// A product without an offer, whose eligibility the store states all the same.
    private static let withoutOffer: Product = {
        var product = FakeStore.products[1]
        product.introductoryOfferEligibility = .ineligible
        return product
    }()

    static let featured = FeaturedList(products: [
        ProductReference(bundleId: "com.example.other", productIdentifier: "first"),
        ProductReference(bundleId: "com.example.app", productIdentifier: "pro.monthly"),
    ])

    static func intent(
        _ state: StorePurchaseIntent.State = .pending, _ id: String = "i_01j2k9f", answerBy: String? = nil,
        deferredBy: StorePurchaseIntent.Deferral? = nil, feedback: String? = nil, transactionId: String? = nil,
        warning: String? = nil
    ) -> StorePurchaseIntent {
        with(
            StorePurchaseIntent(
                intentIdentifier: id, state: state,
                payment: Payment(
                    requestIdentifier: "intent:\(id)", productIdentifier: "hidden-beaches", intentIdentifier: id),
                product: FakeStore.products[1], source: .storePage, answerBy: answerBy.map(instant),
                expiresAt: instant("2026-11-22T10:00:00Z"), transactionId: transactionId)
        ) {
            $0.deferredBy = deferredBy
            $0.feedback = feedback
            $0.bundleId = "com.example.app"
            $0.account = "alice"
            $0.deviceId = "alice-2"
            $0.warning = warning
        }
    }

    /// As the app gets it: without its customer.
    static func told(_ intent: StorePurchaseIntent) -> StorePurchaseIntent {
        var told = intent
        told.bundleId = nil
        told.account = nil
        told.deviceId = nil
        told.warning = nil
        return told
    }

    static let event = IntentEvent(
        id: "e_9", type: .intentDeferred, at: Timestamp(milliseconds: 1_795_255_204_000), bundleId: "com.example.app",
        account: "alice", intent: intent(.deferred, deferredBy: .timeout))

    static let link = "itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=pro.monthly"
}

extension FakeStore {
    private static let app = "/admin/v1/apps/com.example.app"
    private static let beaches = "\(app)/products/hidden-beaches/promotion-image"
    private static let here = "/admin/v1/devices/alice-1/apps/com.example.app"

    /// What ``FakeStore/usual`` has of promotions.
    static let promoted: [String: JSONValue] = [
        "GET \(app)": JSONText.value(Promoted.app),
        "PUT \(app)": JSONText.value(Promoted.app),
        "GET \(app)/promotions": JSONText.value(Promoted.setup),
        "PUT \(app)/promotions": JSONText.value(Promoted.setup),
        "GET /admin/v1/featured": JSONText.value(Promoted.featured),
        "PUT /admin/v1/featured": JSONText.value(Promoted.featured),
        "PUT \(beaches)": JSONText.value(Promoted.image("hidden-beaches", .waiting)),
        "POST \(beaches)/approve": JSONText.value(Promoted.image("hidden-beaches", .approved)),
        "POST \(beaches)/reject": JSONText.value(Promoted.image("hidden-beaches", .rejected, reason: "blurred")),
        "GET /v1/store-page": JSONText.value(Promoted.page),
        "GET /v1/featured": JSONText.value(Promoted.page),
        "GET /v1/search": JSONText.value(Promoted.page),
        "POST /v1/store-page/purchase": ["outcome": "openApp", "intentIdentifier": "i_01j2k9f"],
        "POST /v1/open-url": ["outcome": "promptUpgrade", "intentIdentifier": "i_01j2k9f"],
        "GET /admin/v1/intents": JSONText.value(IntentsPage(intents: [Promoted.intent()])),
        "POST /v1/intents/i_01j2k9f/decision": JSONText.value(
            IntentDecisionResponse(
                intent: Promoted.told(Promoted.intent(.continued, transactionId: "t_1")),
                transaction: FakeStore.purchased)),
        "GET /admin/v1/devices": JSONText.value(DevicesPage(devices: [Promoted.device()])),
        "GET /admin/v1/devices/alice-1": JSONText.value(Promoted.device()),
        "PUT /admin/v1/devices/alice-1": JSONText.value(Promoted.device()),
        "DELETE /admin/v1/devices/alice-1": .object([:]),
        "PUT \(here)": JSONText.value(Promoted.device(isLaunched: false)),
        "DELETE \(here)": .object([:]),
        "PUT \(here)/promotions/order": .object([:]),
        "PUT \(here)/promotions/visibility/pro.monthly": .object([:]),
        "PUT \(here)/promotions/visibility/hidden-beaches": .object([:]),
    ]

    /// What has no JSON.
    static let promotedBytes: [String: [UInt8]] = [
        "GET \(beaches)": Promoted.bytes,
        "GET \(app)/products/pro.monthly/test-url": Array("\(Promoted.link)\n".utf8),
    ]
}
