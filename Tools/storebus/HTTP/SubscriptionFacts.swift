import StoreModels

/// A subscription's facts that only the catalogue's file has: group, level and offers.
struct SubscriptionFacts: Hashable, Sendable {
    /// The group's name, or its identifier if it has none.
    var group: String
    /// The group's identifier.
    var groupIdentifier: String
    /// The level in the group, 1 for the highest.
    var level: Int
    /// Offers as `buy --offer` takes them, without the introductory one.
    var offers: [OfferOption]

    /// `Pro (21378123), level 2`
    func text(of identifier: String) -> String { "\(group) (\(identifier)), level \(level)" }

    /// Members for the JSON of a product or a subscription.
    var json: [String: JSONValue?] {
        ["groupName": .string(group), "level": .integer(level)]
    }

    /// Reads the facts of a catalogue's subscriptions, by product.
    static func read(_ file: JSONValue) -> [ExactText: SubscriptionFacts] {
        var facts: [ExactText: SubscriptionFacts] = [:]
        for group in file["subscriptionGroups"]?.arrayValue ?? [] {
            let name = [group["name"], group["id"]].compactMap { $0?.stringValue }.first { !$0.isEmpty }
            for subscription in group["subscriptions"]?.arrayValue ?? [] {
                guard let product = subscription["productID"]?.stringValue else { continue }
                facts[ExactText(product)] = SubscriptionFacts(
                    group: name ?? "-", groupIdentifier: group["id"]?.stringValue ?? "",
                    level: subscription["groupNumber"]?.intValue ?? 1,
                    offers: offers(subscription))
            }
        }
        return facts
    }

    private static func offers(_ subscription: JSONValue) -> [OfferOption] {
        func names(_ list: String, _ member: String) -> [String] {
            (subscription[list]?.arrayValue ?? []).compactMap { $0[member]?.stringValue }
        }
        return names("adHocOffers", "offerID").map(OfferOption.promotional)
            + names("codeOffers", "referenceName").map(OfferOption.code)
            + names("winbackOffers", "offerID").map(OfferOption.winBack)
    }
}

extension StoreAPI {
    /// Reads the facts of an app's subscriptions, by product. Empty for an app without a catalogue.
    func subscriptionFacts(_ bundleId: String) async throws(CLIError) -> [ExactText: SubscriptionFacts] {
        try await catalogFile(bundleId).map(SubscriptionFacts.read) ?? [:]
    }
}
