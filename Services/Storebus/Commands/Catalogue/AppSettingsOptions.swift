import ArgumentParser
import StoreModels

/// What can be set of an app.
struct AppSettingsOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Its name in the store, at most 64 characters.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("What the app itself costs: 4.99USD, or free.", valueName: "price"))
    var price: String?

    @Option(help: ArgumentHelp("The version that devices get.", valueName: "version"))
    var currentVersion: String?

    @Option(
        help: ArgumentHelp("The first version that handles promoted purchases, or all.", valueName: "version"))
    var promotionsSince: String?

    @Option(help: ArgumentHelp("Whether it is in the store: true or false.", valueName: "bool"))
    var released: Bool?

    @Option(help: ArgumentHelp("Whether its products may be sold: true or false.", valueName: "bool"))
    var agreementsActive: Bool?

    @Option(
        help: ArgumentHelp(
            "Whether a subscription goes on while billing is tried again: true or false.",
            valueName: "bool"))
    var billingGracePeriod: Bool?

    @Option(
        help: ArgumentHelp("How many unfinished transactions stop further purchases, or none.", valueName: "n"))
    var unfinishedLimit: String?

    @Option(
        help: ArgumentHelp(
            "How fast subscriptions bought from now on renew: \(Self.rates.joined(separator: ", ")). "
                + "\(Self.ofCatalogue) is what the file's _timeRate says.", valueName: "rate"),
        completion: .list(Self.rates + [Self.ofCatalogue]))
    var renewalRate: String?

    static let free = "free"
    static let allVersions = "all"
    static let noLimit = "none"
    static let ofCatalogue = "catalogue"
    private static let rates = SubscriptionRenewalRate.allCases.map(\.rawValue)

    var isEmpty: Bool {
        name == nil && price == nil && currentVersion == nil && promotionsSince == nil && released == nil
            && agreementsActive == nil && billingGracePeriod == nil && unfinishedLimit == nil && renewalRate == nil
    }

    func validate() throws {
        try Choice.check("--renewal-rate", renewalRate, among: Self.rates + [Self.ofCatalogue])
        if let price, price != Self.free, Self.money(price) == nil {
            throw ValidationError("--price is an amount with its currency, 4.99USD, or \(Self.free); not '\(price)'")
        }
        if let unfinishedLimit, unfinishedLimit != Self.noLimit, Int(unfinishedLimit) == nil {
            throw ValidationError("--unfinished-limit is a number or \(Self.noLimit), not '\(unfinishedLimit)'")
        }
    }

    /// The settings as they become.
    func merged(into before: AppSettings) -> AppSettings {
        var settings = before
        settings.name = name ?? before.name
        if let price { settings.appPrice = price == Self.free ? nil : Self.money(price) }
        settings.currentVersion = currentVersion ?? before.currentVersion
        if let promotionsSince {
            settings.promotionsSupportedSince = promotionsSince == Self.allVersions ? nil : promotionsSince
        }
        settings.released = released ?? before.released
        settings.agreementsActive = agreementsActive ?? before.agreementsActive
        settings.billingGracePeriod = billingGracePeriod ?? before.billingGracePeriod
        if let unfinishedLimit { settings.unfinishedLimit = Int(unfinishedLimit) }
        if let renewalRate { settings.subscriptionRenewalRate = SubscriptionRenewalRate(rawValue: renewalRate) }
        return settings
    }

    /// `4.99USD` or `4.99 USD`; nil for anything else, an amount finer than the currency among it.
    static func money(_ text: String) -> Money? {
        guard let currency = Currency(code: text.suffix(3).uppercased()) else { return nil }
        var amount = text.dropLast(3)
        if amount.last == " " { amount.removeLast() }
        return Money(amount: String(amount), currency: currency)
    }
}
