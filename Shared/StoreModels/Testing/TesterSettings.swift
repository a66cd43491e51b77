/// The operator's settings for a tester's account. A member left out takes the app's default (from the `settings` of
/// its `.storekit` file), or else StoreKit's own.
///
/// ```json
/// {"storefront":"FRA","canMakePayments":true,"sheet":"decline:paymentInvalid",
///  "simulatedErrors":{"purchase":"networkError"}}
/// ```
public struct TesterSettings: Hashable, Sendable, Codable {
    /// The outcome of signing in at the payment sheet.
    public enum SignIn: String, CaseIterable, Sendable, Codable {
        case ok
        /// The payment fails with `unknown` (0).
        case fails
        /// The payment fails with `paymentCancelled` (2).
        case cancelled
        /// A person is asked, with each purchase and each launch that brings unfinished transactions.
        case interactive
    }

    /// The subscriber's answer to a higher price.
    public enum PriceConsent: String, CaseIterable, Sendable, Codable {
        /// The next renewal costs the new price.
        case agree
        /// It expires at the next renewal.
        case decline
        /// The app is asked first, then a person.
        case interactive
    }

    /// The errors of this tester's requests, by StoreKit Test's names of the requests.
    public struct SimulatedErrors: Hashable, Sendable, Codable {
        /// The error of requests for products.
        public var loadProducts: String?
        /// The error of purchases.
        public var purchase: String?
        /// The error of restores.
        public var restore: String?
        /// The error of requests for the receipt.
        public var receiptRefresh: String?
        /// The error of downloads of hosted content.
        public var download: String?

        /// The members a request may have. Any other name is a spelling mistake.
        public static let memberNames: Set = ["loadProducts", "purchase", "restore", "receiptRefresh", "download"]
    }

    /// Alpha-3 country code.
    public var storefront: String?
    /// False makes `canMakePayments` false and payments fail.
    public var canMakePayments: Bool?
    /// Whether purchases are deferred until the operator approves them.
    public var askToBuy: Bool?
    /// Whether purchases fail as interrupted until the operator resolves them.
    public var interruptPurchases: Bool?
    /// The outcome of signing in before each payment.
    public var signIn: SignIn?
    /// The shopper's action at the payment sheet.
    public var sheet: PaymentSheetAnswer?
    /// The subscriber's answer to a higher price.
    public var priceConsent: PriceConsent?
    /// Whether access continues for a while after a declined renewal. Absent leaves it to the app's settings.
    public var billingGracePeriod: Bool?
    /// Any rate but `realTime` gives the tester's new subscriptions shorter periods, as in StoreKit's sandbox. They
    /// renew 12 times.
    public var subscriptionRenewalRate: SubscriptionRenewalRate?
    /// Whether subscriptions under a rate renew without end, as in StoreKit Test. It is the account's own: an app's
    /// default has no effect.
    public var unlimitedRenewals: Bool?
    /// Whether the charges of all renewals are declined. Purchases are charged.
    public var failRenewals: Bool?
    /// The errors that this tester's requests fail with. Absent for none.
    public var simulatedErrors: SimulatedErrors?
    /// The payment processor's mode for this tester's charges. Absent for the common mode.
    public var processor: ProcessorMode?

    /// The members a request may have. Any other name is a spelling mistake.
    public static let memberNames: Set = [
        "storefront", "canMakePayments", "askToBuy", "interruptPurchases", "signIn", "sheet", "priceConsent",
        "billingGracePeriod", "subscriptionRenewalRate", "unlimitedRenewals", "failRenewals", "simulatedErrors",
        "processor",
    ]

    /// Takes settings that are not set here from `defaults`.
    public func over(_ defaults: TesterSettings?) -> TesterSettings {
        guard let defaults else { return self }
        return with(self) {
            $0.storefront = storefront ?? defaults.storefront
            $0.canMakePayments = canMakePayments ?? defaults.canMakePayments
            $0.askToBuy = askToBuy ?? defaults.askToBuy
            $0.interruptPurchases = interruptPurchases ?? defaults.interruptPurchases
            $0.signIn = signIn ?? defaults.signIn
            $0.sheet = sheet ?? defaults.sheet
            $0.priceConsent = priceConsent ?? defaults.priceConsent
            $0.billingGracePeriod = billingGracePeriod ?? defaults.billingGracePeriod
            $0.subscriptionRenewalRate = subscriptionRenewalRate ?? defaults.subscriptionRenewalRate
            $0.unlimitedRenewals = unlimitedRenewals ?? defaults.unlimitedRenewals
            $0.failRenewals = failRenewals ?? defaults.failRenewals
            $0.simulatedErrors = simulatedErrors ?? defaults.simulatedErrors
            $0.processor = processor ?? defaults.processor
        }
    }

    /// StoreKit's own behaviour if neither the tester nor the app sets it. The storefront of a new account is the
    /// United States'.
    public static let standard = with(
        TesterSettings(
            storefront: "USA", canMakePayments: true, askToBuy: false, interruptPurchases: false, signIn: .ok,
            sheet: .auto, subscriptionRenewalRate: .realTime, simulatedErrors: SimulatedErrors())
    ) { $0.priceConsent = .agree }
}
