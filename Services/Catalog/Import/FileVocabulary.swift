/// The members of a kind of object in a catalogue file, Xcode's and Storebus's own.
///
/// The lists come from files of Xcode's versions 1 to 6, because Xcode does not publish them.
struct FileVocabulary: Sendable {
    /// The members that have an effect, or are noted where they occur.
    let read: Set<String>
    /// The members that only name or describe, so their missing effect needs no note.
    let descriptive: Set<String>

    private init(read: Set<String>, descriptive: Set<String> = []) {
        self.read = read
        self.descriptive = descriptive
    }

    /// The candidates for the correction of a misspelt member.
    var words: [String] { read.union(descriptive).sorted() }

    func knows(_ name: String) -> Bool { read.contains(name) || descriptive.contains(name) }

    static let root = FileVocabulary(
        read: [
            "version", "products", "nonRenewingSubscriptions", "subscriptionGroups", "settings",
            "subscriptionOffersKeyPair", "subscriptionBundleGroups", "subscriptionSuiteGroups",
        ], descriptive: ["identifier"])

    static let version = FileVocabulary(read: ["major", "minor"])

    private static let ofProducts: Set = [
        "type", "productID", "referenceName", "displayPrice", "familyShareable", "localizations",
        // Storebus's own members.
        "state", "clearedForSale", "availableFrom", "prices", "availability", "hostedContent",
    ]

    static let product = FileVocabulary(
        read: ofProducts.union(["introductoryOffer", "introductoryOffers"]), descriptive: ["internalID"])

    static let subscription = FileVocabulary(
        read: ofProducts.union([
            "groupNumber", "recurringSubscriptionPeriod", "subscriptionGroupID", "introductoryOffer",
            "introductoryOffers", "adHocOffers", "codeOffers", "winbackOffers", "billingPlans",
        ]), descriptive: ["internalID"])

    static let group = FileVocabulary(
        read: ["id", "subscriptions", "name", "localizations"], descriptive: ["internalID"])

    static let localization = FileVocabulary(read: ["locale", "displayName", "description"])

    private static let ofOffers: Set = [
        "paymentMode", "subscriptionPeriod", "numberOfPeriods", "displayPrice", "prices", "billingPlanType",
    ]

    static let introductoryOffer = FileVocabulary(read: ofOffers, descriptive: ["internalID", "referenceName"])

    static let promotionalOffer = FileVocabulary(
        read: ofOffers.union(["offerID"]), descriptive: ["internalID", "referenceName"])

    static let offerCode = FileVocabulary(
        read: ofOffers.union(["referenceName", "eligibility", "isStackable"]), descriptive: ["internalID", "offerID"])

    static let winBackOffer = FileVocabulary(
        read: ofOffers.union([
            "offerID", "referenceName", "isEligible", "customerEligibilityPaidSubscriptionDurationInMonths",
            "customerEligibilityTimeSinceLastSubscribedInMonths", "customerEligibilityWaitBetweenOffersInMonths",
        ]), descriptive: ["internalID"])

    static let billingPlan = FileVocabulary(
        read: ["billingPlanType", "displayPrice", "prices", "commitmentDisplayPrice", "isEnabled"],
        descriptive: ["internalID", "referenceName"])

    /// Settings without effect are in the report's list of ignored settings.
    static let settings = FileVocabulary(
        read: [
            "_locale", "_storefront", "_askToBuyEnabled", "_billingGracePeriodEnabled", "_timeRate",
            "_failTransactionsEnabled", "_failTransactionError", "_storeKitErrors",
        ],
        descriptive: [
            "_applicationInternalID", "_billingIssuesEnabled", "_compatibilityTimeRate", "_developerTeamID",
            "_disableDialogs", "_lastSynchronizedDate", "_lastVerificationError", "_renewalBillingIssuesEnabled",
            "_shouldSetupSyncOnLoad", "_storeKitError",
        ])
}
