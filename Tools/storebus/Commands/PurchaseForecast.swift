import StoreModels

/// What `storebus buy` would do now, and what decides it.
///
/// The parts are decided in the order of the store: the products are loaded, the payment is checked, the sale gets its
/// price, the payment sheet is answered, and the charge is made.
struct PurchaseForecast: Hashable, Sendable {
    /// The account, the app and the product, as the store shows them.
    struct Facts: Sendable {
        var settings: DecidingSettings
        /// In the account's storefront.
        var explanation: ProductExplanation
        /// The product for this account, with its offers. Nil if it cannot be loaded.
        var product: Product?
        /// The account's eligibility for the introductory offer. Nil for a product that is no subscription.
        var eligibility: ProductEligibility?
        /// The account's transactions that are not finished.
        var unfinished: [PaymentTransaction] = []
        /// The account's purchase of this non-consumable.
        var owned: PaymentTransaction?
        /// The account's subscription in the product's group that has not ended.
        var subscription: Subscription?
        /// The level of the product, and that of the subscription's present product.
        var level = 1
        var presentLevel = 1
        /// The period of the subscription's present product.
        var presentPeriod: SubscriptionPeriod?
    }

    /// `is charged 9.99 USD`, `waits for a parent, then is charged 9.99 USD`, `fails with paymentCancelled: …`
    var purchase: String
    /// The applied offer, or why none is applied. Nil for a product without offers, and a purchase that fails.
    var offer: String?
    /// The settings that decide it, each with its value, its origin and what takes it back.
    var settings: [Advice] = []

    init(_ facts: Facts) {
        let sale = SaleForecast(facts)
        let sheet = SheetForecast(facts.settings.effective)
        if let failure = Self.failure(facts) ?? sale.failure ?? sheet.failure {
            purchase = failure.text
            settings = failure.setting.flatMap { Self.because($0, facts) }.map { [$0] } ?? []
            return
        }
        let charge = ChargeForecast(sale, facts.settings.effective.processor)
        purchase = (sale.waits + sheet.waits + [charge.text]).joined(separator: ", then ")
        offer = charge.isDeclined ? nil : sale.offer
        settings = (sheet.settings + charge.settings).compactMap { Self.because($0, facts) }
    }

    /// Returns the forecast with commands as they can be pasted.
    func completed(_ context: CommandContext) -> PurchaseForecast {
        var copy = self
        copy.settings = settings.map { context.completed($0) }
        return copy
    }

    var fields: FieldList {
        var fields: FieldList = ["purchase": purchase, "offer": offer]
        for setting in settings { fields.add("setting", setting.text) }
        return fields
    }

    var json: JSONValue {
        let offer = offer.map { JSONValue.string($0) } ?? .null
        return ["purchase": .string(purchase), "offer": offer, "settings": .array(settings.map { .string($0.text) })]
    }
}

extension PurchaseForecast {
    /// An end without a charge, and the setting that causes it.
    fileprivate struct Failure {
        var text: String
        var setting: String?

        /// - Parameter error: The error that the app gets.
        init(_ error: String, _ reason: String, setting: String? = nil) {
            text = "fails with \(error): \(reason)"
            self.setting = setting
        }

        init(refusal reason: String, setting: String? = nil) {
            text = "is refused: \(reason)"
            self.setting = setting
        }
    }

    /// Finds a failure that comes before the sale has a price.
    private static func failure(_ facts: Facts) -> Failure? {
        let settings = facts.settings
        if let error = settings.effective.simulatedErrors?.loadProducts {
            return Failure(error, "the app cannot load its products", setting: "simulatedErrors.loadProducts")
        }
        guard facts.explanation.available else {
            let reasons = facts.explanation.reasons.map(\.rawValue).joined(separator: ", ")
            let isApps = facts.explanation.reasons.contains(.agreementInactive)
            return Failure(
                refusal: "it is not for sale in \(facts.explanation.storefront) (\(reasons))",
                setting: isApps ? "agreementsActive" : nil)
        }
        guard settings.effective.canMakePayments ?? true else {
            return Failure(
                SKErrorCode.paymentNotAllowed.name, "\(settings.account) may make no payments",
                setting: "canMakePayments")
        }
        // Failed ones do not count.
        let count = facts.unfinished.count { [.purchased, .restored].contains($0.transactionState) }
        if let limit = settings.app?.settings.unfinishedLimit, count >= limit {
            return Failure(
                SKErrorCode.unknown.name, "unfinished transactions of \(settings.account): \(count)",
                setting: "unfinishedLimit")
        }
        return nil
    }

    /// Names the origin of a setting: the app, or as ``DecidingSettings/because(_:)``.
    private static func because(_ setting: String, _ facts: Facts) -> Advice? {
        guard let app = facts.settings.app else { return facts.settings.because(setting) }
        let option = AppOptions.flag(app.bundleId)
        switch setting {
        case "agreementsActive":
            return "the app's setting agreementsActive is false: storebus app set --agreements-active true\(option)"
        case "unfinishedLimit":
            let limit = app.settings.unfinishedLimit ?? 0
            return "the app's setting unfinishedLimit is \(limit): storebus app set --unfinished-limit none\(option)"
        default: return facts.settings.because(setting)
        }
    }
}

/// The payment sheet: how the account's settings end it, and whom it asks.
private struct SheetForecast {
    var failure: PurchaseForecast.Failure?
    /// The people and steps that come before the charge, in their order.
    var waits: [String] = []
    var settings: [String] = []

    init(_ tester: TesterSettings) {
        failure = Self.failure(tester)
        if tester.signIn == .interactive {
            waits.append("waits for a person to sign in")
            settings.append("signIn")
        }
        if tester.sheet == .interactive {
            waits.append("waits for a person at the payment sheet")
            settings.append("sheet")
        }
        if tester.interruptPurchases == true {
            waits.append("fails as interrupted until it is resolved")
            settings.append("interruptPurchases")
        }
        if tester.askToBuy == true {
            waits.append("waits for a parent")
            settings.append("askToBuy")
        }
    }

    private static func failure(_ tester: TesterSettings) -> PurchaseForecast.Failure? {
        func failure(_ error: String, _ reason: String, _ setting: String) -> PurchaseForecast.Failure {
            PurchaseForecast.Failure(error, reason, setting: setting)
        }
        let cancelled = SKErrorCode.paymentCancelled.name
        switch tester.signIn ?? .ok {
        case .fails: return failure(SKErrorCode.unknown.name, "signing in fails", "signIn")
        case .cancelled: return failure(cancelled, "the shopper cancels signing in", "signIn")
        case .ok, .interactive: break
        }
        if let error = tester.simulatedErrors?.purchase {
            return failure(error, "the store simulates this error", "simulatedErrors.purchase")
        }
        switch tester.sheet ?? .auto {
        case .cancel: return failure(cancelled, "the shopper closes the payment sheet", "sheet")
        case .decline(let code): return failure(code.name, "the payment sheet ends with it", "sheet")
        case .auto, .approve, .interactive: return nil
        }
    }
}

/// The sale: its price, its offer and its effect on a subscription.
private struct SaleForecast {
    /// Nil for a sale without a charge, and for a product that cannot be loaded.
    var price: Money?
    /// The effect of a sale without a charge, or what follows the charge.
    var effect: String?
    var isFree = false
    var offer: String?
    var failure: PurchaseForecast.Failure?
    /// The other purchase that comes first.
    var waits: [String] = []

    init(_ facts: PurchaseForecast.Facts) {
        let product = facts.product
        let isSoldOneAtATime = product.map { [.nonConsumable, .autoRenewable].contains($0.type) } ?? true
        let underWay = facts.unfinished.first { one in
            [.purchasing, .deferred].contains(one.transactionState)
                && one.payment.productIdentifier.isExactly(facts.explanation.productIdentifier)
        }
        if isSoldOneAtATime, let underWay {
            waits = ["waits for \(Format.name(underWay)) to end, which is \(underWay.transactionState.rawValue)"]
        }
        guard let product else { return }
        price = product.price
        if product.type == .nonConsumable, let owned = facts.owned {
            (price, isFree) = (nil, true)
            effect = "\(facts.settings.account) owns it since \(Format.name(owned))"
        } else if product.type == .autoRenewable {
            change(product, facts)
        }
    }

    /// Decides as the store does about a product of a group that the account may have subscribed to.
    private mutating func change(_ product: Product, _ facts: PurchaseForecast.Facts) {
        guard let present = facts.subscription else { return begin(product, facts.eligibility) }
        // What is foretold is paid up front. Within a commitment, changes wait for its end.
        let commitment = present.commitment
        let next = present.commitmentRenewal?.autoRenewProductIdentifier ?? present.autoRenewProductIdentifier
        let end = Format.time(commitment?.expiresDate ?? present.expiresDate)
        let renews =
            (present.commitmentRenewal?.willAutoRenew ?? present.willAutoRenew)
            && !next.isExactly(present.productIdentifier)
        let wanted = product.productIdentifier
        if wanted.isExactly(present.productIdentifier) {
            guard commitment == nil else {
                return free("it is paid up front from the end of the commitment, \(end), on")
            }
            guard renews else { return refuse(present, "has it now") }
            return free("the change to \(next) is taken back")
        }
        let isAsLong = facts.presentPeriod.flatMap { product.subscriptionPeriod?.isAsLong(as: $0) } ?? false
        let isAtOnce =
            facts.level < facts.presentLevel || facts.level == facts.presentLevel && isAsLong && commitment == nil
            || present.state != .subscribed && commitment?.isLast != false
        guard isAtOnce else {
            if renews, wanted.isExactly(next) { return refuse(present, "renews as it") }
            return free("it replaces \(present.productIdentifier) at its renewal, \(end)")
        }
        offer = "none: a subscriber of the group has no introductory offer"
        effect = "it replaces \(present.productIdentifier) at once, and the unused part of that is given back"
    }

    private mutating func begin(_ product: Product, _ eligibility: ProductEligibility?) {
        guard let introductory = product.introductoryPrice else { return }
        let regular = Format.price(of: product)
        switch eligibility?.eligibility ?? product.introductoryOfferEligibility ?? .unknown {
        case .eligible:
            price = introductory.price
            isFree = introductory.price.minorUnits == 0
            offer = "\(Format.offer(introductory)), then \(regular)"
        case .ineligible:
            offer = "none: " + (eligibility.map(EligibilityFormat.because) ?? "\(regular) from the start")
        case .unknown:
            offer = "unknown: \(Format.offer(introductory)) if the account may have it, else \(regular)"
            price = nil
        }
    }

    private mutating func free(_ effect: String) {
        (price, isFree, self.effect) = (nil, true, effect)
    }

    private mutating func refuse(_ present: Subscription, _ reason: String) {
        let account = present.account ?? "the account"
        failure = PurchaseForecast.Failure(
            SKErrorCode.unknown.name, "\(account) \(reason), and it \(SubscriptionFormat.status(present))")
    }
}

/// The charge at the processor.
private struct ChargeForecast {
    var text: String
    var settings: [String] = []
    var isDeclined = false

    init(_ sale: SaleForecast, _ processor: ProcessorMode?) {
        let effect = sale.effect.map { "; \($0)" } ?? ""
        guard !sale.isFree else {
            text = "is charged nothing\(effect)"
            return
        }
        let price = sale.price.map { " \(Format.price($0))" } ?? " its price"
        text = "is charged\(price)\(effect)"
        switch processor {
        case nil, .approve: break
        case .decline:
            text = "is declined by the processor, and nothing is charged"
            settings = ["processor"]
            isDeclined = true
        case .timeoutBefore, .timeoutAfter, .errorAfter, .slow, .pending, .duplicateCallback:
            settings = ["processor"]
        }
    }
}

/// The settings that decide how an account's purchases end, and the origin of each.
struct DecidingSettings: Sendable {
    let account: String
    /// Those that were set for the account. Nil if they cannot be read.
    let overrides: TesterSettings?
    let app: App?

    /// The values in force.
    var effective: TesterSettings {
        (overrides ?? TesterSettings()).over(app?.testerDefaults).over(.standard)
    }

    /// Names the origin of a setting: the account, or the catalogue's file. Nil if neither sets it.
    /// - Parameter setting: Its path, `simulatedErrors.purchase`.
    func because(_ setting: String) -> Advice? {
        let member = String(setting.prefix { $0 != "." })
        if let value = value(setting, overrides) {
            return "\(account)'s setting \(setting) is \(value): storebus account set \(account) --unset \(member)"
        }
        return value(setting, app?.testerDefaults).map {
            "the catalogue's settings make \(setting) \($0) for every account"
        }
    }

    private func value(_ setting: String, _ settings: TesterSettings?) -> String? {
        guard let settings else { return nil }
        let found = setting.split(separator: ".").reduce(Optional(JSONText.value(settings))) { $0?[String($1)] }
        return found.flatMap { $0 == .null ? nil : $0.stringValue ?? JSONText.line($0) }
    }
}
