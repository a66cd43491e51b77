/// PromotionController's request subjects, `sb.promotion.v1.…`.
public enum PromotionEndpoints {
    /// The app was launched on a device: creates or refreshes device and installation.
    public static let deviceLaunched = Endpoint<DeviceLaunch, Empty>(
        .promotionController, "device.launched", isIdempotent: true)

    /// The App Store app was opened on a device, or the operator names one: it is known from then on.
    public static let putDevice = Endpoint<PutDeviceRequest, Device>(
        .promotionController, "device.put", isIdempotent: true)
    /// - Throws: `notFound`.
    public static let getDevice = Endpoint<DeviceRequest, Device>(
        .promotionController, "device.get", isIdempotent: true)
    public static let listDevices = Endpoint<PageRequest, DevicesPage>(
        .promotionController, "device.list", isIdempotent: true)
    /// With its apps and their overrides; open intents are cancelled.
    public static let deleteDevice = Endpoint<DeviceRequest, Empty>(
        .promotionController, "device.delete", isIdempotent: true)
    /// - Throws: `notFound` for an unknown device.
    public static let putInstallation = Endpoint<PutInstallationRequest, Device>(
        .promotionController, "installation.put", isIdempotent: true)
    /// Its overrides go with it (M96); open intents wait for the next first launch.
    public static let deleteInstallation = Endpoint<InstallationReference, Empty>(
        .promotionController, "installation.delete", isIdempotent: true)

    public static let getOverrides = Endpoint<InstallationReference, DevicePromotions>(
        .promotionController, "overrides.get", isIdempotent: true)
    /// - Throws: `appNeverLaunched`, `promotionUnsupported`.
    public static let putOrder = Endpoint<PutPromotionOrderRequest, PromotionOverrides>(
        .promotionController, "order.put", isIdempotent: true)
    /// - Throws: As ``putOrder``.
    public static let putVisibility = Endpoint<PutPromotionVisibilityRequest, PromotionOverrides>(
        .promotionController, "visibility.put", isIdempotent: true)

    /// - Throws: `productNotPromotable`, `promotionUnsupported`, `rateLimited`, `notFound` for an unknown device,
    ///   `keyReused` for another purchase under the same key.
    public static let startPurchase = Endpoint<StartPurchaseRequest, StartPurchaseReply>(
        .promotionController, "purchase.start", isIdempotent: true)
    public static let deliverIntents = Endpoint<DeliverIntentsRequest, DeliverIntentsReply>(
        .promotionController, "intent.deliver", isIdempotent: true)
    public static let intentHeads = Endpoint<IntentHeadsRequest, IntentHeadsReply>(
        .promotionController, "intent.heads", isIdempotent: true)
    public static let listIntents = Endpoint<IntentsRequest, IntentsPage>(
        .promotionController, "intent.list", isIdempotent: true)
    public static let searchIntents = Endpoint<IntentListRequest, IntentsPage>(
        .promotionController, "intent.search", isIdempotent: true)
    public static let getIntent = Endpoint<IntentRequest, PurchaseIntent>(
        .promotionController, "intent.get", isIdempotent: true)
    /// - Throws: `intentDecided`, `intentExpired`.
    public static let decideIntent = Endpoint<DecideIntentRequest, DecideIntentReply>(
        .promotionController, "intent.decide", isIdempotent: true)
    /// - Throws: As ``decideIntent``, and `intentMismatch`.
    public static let addIntentPayment = Endpoint<AddIntentPaymentRequest, DecideIntentReply>(
        .promotionController, "intent.add", isIdempotent: true)
    /// Before what customers have bought is cleared away: open intents are cancelled, and prompts for their apps go.
    /// - Throws: `serviceUnavailable` when the time was too short for all of them; again does the rest.
    public static let clearIntents = Endpoint<ClearIntentsRequest, ClearIntentsReply>(
        .promotionController, "intent.clear", isIdempotent: true)
    public static let listEvents = Endpoint<IntentEventsRequest, IntentEventsReply>(
        .promotionController, "events.list", isIdempotent: true)

    /// Apps that cost something and wait to be bought; prompts of the kind `appPurchase`, whose `id` begins `ap_`.
    public static let listPrompts = Endpoint<PromptsRequest, PromptsPage>(
        .promotionController, "prompt.list", isIdempotent: true)
    public static let answerPrompt = Endpoint<AnswerPromptRequest, Prompt>(
        .promotionController, "prompt.answer", isIdempotent: false)
}

/// PromotionController's hints, at most once.
public enum PromotionEvents {
    /// One literal subject per installation, with an ``IntentsChanged``. `key` is 32 hexadecimal digits of
    /// SHA-256(bundleId NUL deviceId).
    public static func intentsChanged(key: String) -> String { "sb.evt.promotion.v1.device.changed.\(key)" }
}

/// What a session says of the device and the installation it runs on.
public struct DeviceLaunch: Hashable, Sendable, Codable {
    public enum Platform: String, CaseIterable, Sendable, Codable {
        case iOS, iPadOS, macOS, tvOS, watchOS, visionOS, iOSAppOnVisionOS, other
    }

    /// Which way the app handles promoted purchases; either, never both (M60).
    public enum PromotedPurchases: String, CaseIterable, Sendable, Codable { case delegate, purchaseIntent, none }

    public var bundleId: String
    public var deviceId: String
    public var platform: Platform
    public var osVersion: String
    public var appVersion: String
    public var promotedPurchases: PromotedPurchases
    public init(
        bundleId: String, deviceId: String, platform: Platform, osVersion: String, appVersion: String,
        promotedPurchases: PromotedPurchases
    ) {
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.platform = platform
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.promotedPurchases = promotedPurchases
    }
}
