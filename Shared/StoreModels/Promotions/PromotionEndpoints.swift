/// PromotionController's request subjects, `sb.promotion.v1.…`.
public enum PromotionEndpoints {
    /// Records that the app was launched on a device. Creates or refreshes device and installation.
    public static let deviceLaunched = Endpoint<DeviceLaunch, Empty>(
        .promotionController, "device.launched", isIdempotent: true, errors: [.promotionUnsupported])

    /// Records a session of the App Store app on a device, or the operator's data.
    public static let putDevice = Endpoint<PutDeviceRequest, Device>(
        .promotionController, "device.put", isIdempotent: true, errors: [])
    /// Reads a device with its apps.
    public static let getDevice = Endpoint<ScopedIdentifier, Device>(
        .promotionController, "device.get", isIdempotent: true, errors: [.notFound])
    /// Lists the devices with their apps, for the operator.
    public static let listDevices = Endpoint<PageRequest, DevicesPage>(
        .promotionController, "device.list", isIdempotent: true, errors: [])
    /// Deletes a device with its apps and their overrides, and cancels open intents.
    public static let deleteDevice = Endpoint<ScopedIdentifier, Empty>(
        .promotionController, "device.delete", isIdempotent: true, errors: [.notFound])
    /// Installs an app on a device.
    /// - Throws: `notFound` for an unknown device.
    public static let putInstallation = Endpoint<PutInstallationRequest, Device>(
        .promotionController, "installation.put", isIdempotent: true, errors: [.notFound, .promotionUnsupported])
    /// Deletes an app and its overrides (M96). Open intents wait for the next first launch.
    public static let deleteInstallation = Endpoint<InstallationReference, Empty>(
        .promotionController, "installation.delete", isIdempotent: true, errors: [.notFound])

    /// Reads the devices' order and visibility of apps' promotions, for one or several installations.
    /// - Throws: `requestInvalid` beyond ``OverridesBatch``'s bound.
    public static let getManyOverrides = Endpoint<OverridesBatch, OverridesBatchReply>(
        .promotionController, "overrides.getMany", isIdempotent: true, errors: [])
    /// Replaces a device's order.
    public static let putOrder = Endpoint<PutPromotionOrderRequest, PromotionOverrides>(
        .promotionController, "order.put", isIdempotent: true, errors: [.appNeverLaunched, .promotionUnsupported])
    /// Sets a device's visibility of one product.
    public static let putVisibility = Endpoint<PutPromotionVisibilityRequest, PromotionOverrides>(
        .promotionController, "visibility.put", isIdempotent: true, errors: [.appNeverLaunched, .promotionUnsupported])

    /// Starts a promoted purchase.
    /// - Throws: `notFound` for an unknown device, `keyReused` for another purchase under the same key.
    public static let startPurchase = Endpoint<StartPurchaseRequest, StartPurchaseReply>(
        .promotionController, "purchase.start", isIdempotent: true,
        errors: [.notFound, .keyReused, .promotionUnsupported, .productNotPromotable, .rateLimited])
    /// Reads the pending intents for a stream and starts their time to answer.
    public static let deliverIntents = Endpoint<DeliverIntentsRequest, DeliverIntentsReply>(
        .promotionController, "intent.deliver", isIdempotent: true, errors: [.notFound])
    /// Reads the last `seq` of up to 500 installations.
    public static let intentHeads = Endpoint<IntentHeadsRequest, IntentHeadsReply>(
        .promotionController, "intent.heads", isIdempotent: true, errors: [])
    /// Lists the intents of one device and customer.
    public static let listIntents = Endpoint<IntentsRequest, IntentsPage>(
        .promotionController, "intent.list", isIdempotent: true, errors: [])
    /// Lists intents across devices and customers, for the operator.
    public static let searchIntents = Endpoint<IntentListRequest, IntentsPage>(
        .promotionController, "intent.search", isIdempotent: true, errors: [])
    /// Reads one intent of a device and customer.
    public static let getIntent = Endpoint<IntentRequest, StorePurchaseIntent>(
        .promotionController, "intent.get", isIdempotent: true, errors: [.notFound])
    /// Decides on an intent. PaymentQueue's refusals of its payment pass.
    public static let decideIntent = Endpoint<DecideIntentRequest, DecideIntentReply>(
        .promotionController, "intent.decide", isIdempotent: true,
        errors: PaymentEndpoints.addPayment.errors + [.intentExpired])
    /// Adds an intent's saved payment for the app.
    public static let addIntentPayment = Endpoint<AddIntentPaymentRequest, DecideIntentReply>(
        .promotionController, "intent.add", isIdempotent: true, errors: decideIntent.errors + [.intentMismatch])
    /// Cancels open intents and prompts for their apps, before customers' purchases are deleted.
    /// - Throws: `serviceUnavailable` if the time was too short for all of them. A repeated call does the rest.
    public static let clearIntents = Endpoint<ClearIntentsRequest, ClearIntentsReply>(
        .promotionController, "intent.clear", isIdempotent: true, errors: [.notFound])
    /// Reads events after a position, for tests that wait.
    public static let listEvents = Endpoint<IntentEventsRequest, IntentEventsReply>(
        .promotionController, "events.list", isIdempotent: true, errors: [])

    /// Lists prompts for apps that are not free. They are of the kind `appPurchase`, and their `id` begins with `ap_`.
    public static let listPrompts = Endpoint<PromptsRequest, PromptsPage>(
        .promotionController, "prompt.list", isIdempotent: true, errors: [])
    /// Answers a prompt for an app that is not free.
    public static let answerPrompt = Endpoint<AnswerPromptRequest, Prompt>(
        .promotionController, "prompt.answer", isIdempotent: false, errors: [.notFound])

    /// Copies an isolated store's data into a new store.
    /// - Throws: `requestInvalid` for stores of other apps or seeds, `serviceUnavailable` beside work under way.
    public static let copyApp = Endpoint<CopyAppRequest, Empty>(
        .promotionController, "app.copy", isIdempotent: false, errors: [])
    /// Removes the stored data of an app, a part at a time.
    public static let removeApp = Endpoint<RemoveAppRequest, RemoveAppReply>(
        .promotionController, "app.remove", isIdempotent: true, errors: [])
}

/// PromotionController's events, which are hints, delivered at most once.
public enum PromotionEvents {
    /// One literal subject per installation, with an ``IntentsChanged``. `key` is 32 hexadecimal digits of
    /// SHA-256(bundleId NUL deviceId).
    public static func intentsChanged(key: String) -> String { "sb.evt.promotion.v1.device.changed.\(key)" }
}

/// A session's report of its device and installation.
public struct DeviceLaunch: Hashable, Sendable, Codable {
    /// The platform of a device, as the client declares it.
    public enum Platform: String, CaseIterable, Sendable, Codable {
        case iOS, iPadOS, macOS, tvOS, watchOS, visionOS, iOSAppOnVisionOS, other
    }

    /// The app's way of handling promoted purchases, one of two, never both (M60).
    public enum PromotedPurchases: String, CaseIterable, Sendable, Codable { case delegate, purchaseIntent, none }

    public var bundleId: String
    /// The client's name for its device, 1…255 characters.
    public var deviceId: String
    /// Declared by the client. `other` has no least version.
    public var platform: Platform
    /// Declared by the client, at most 64 characters.
    public var osVersion: String
    /// Declared by the client, at most 64 characters.
    public var appVersion: String
    /// `none` unless the client declares a handler.
    public var promotedPurchases: PromotedPurchases
}
