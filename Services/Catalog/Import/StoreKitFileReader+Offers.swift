import Cryptography
import FoundationEssentials
import StoreModels

extension StoreKitFileReader {
    /// Maximum number of offers of one kind in one subscription.
    private static let offersMax = 100
    private static let paymentModes: KeyValuePairs<String, ProductDiscount.PaymentMode> = [
        "free": .freeTrial, "payAsYouGo": .payAsYouGo, "payUpFront": .payUpFront,
    ]

    /// Reads the introductory offer. Versions up to 4 have `introductoryOffer`, null or an object. Later versions have
    /// the list `introductoryOffers`. Its first offer that is paid up front each period counts.
    mutating func readIntroductoryOffer(_ node: JSONNode, subscription: SubscriptionPeriod) -> CatalogOffer? {
        let single = node.member("introductoryOffer")
        var offers = single.isAbsent ? [] : [single]
        offers += findings.elements(node.member("introductoryOffers"))
        var chosen: (node: JSONNode, offer: CatalogOffer?)?
        for offer in offers where findings.isObject(offer) {
            noteUnread(offer, .introductoryOffer)
            guard isPaidUpFront(offer) else {
                noteOtherPlan(offer)
                continue
            }
            let read = readOffer(offer, identifier: nil)
            if let chosen {
                findings.note(
                    "\(offer.path) is kept and has no effect: "
                        + "one introductory offer counts, the one at \(chosen.node.path).")
                continue
            }
            chosen = (offer, read)
            if let read { check(read, offer, subscription) }
        }
        return chosen?.offer
    }

    mutating func check(_ offer: CatalogOffer, _ node: JSONNode, _ subscription: SubscriptionPeriod) {
        let objection = OfferRules.objection(
            to: offer.paymentMode, period: offer.period, count: offer.numberOfPeriods, subscription: subscription)
        if let objection {
            findings.refuse(node.member("subscriptionPeriod").path, objection.reason, allowed: objection.allowed)
        }
    }

    /// Reads `adHocOffers[]`: promotional offers, each with its identifier.
    mutating func readPromotionalOffers(_ list: JSONNode, subscription: SubscriptionPeriod) -> [CatalogOffer] {
        readNamedOffers(list, names: ["offerID"], .promotionalOffer, subscription: subscription).map(\.offer)
    }

    /// Reads a list of named offers. The name is in the first existing member of `names`. Of several offers
    /// with one name, which Xcode allows, the first one counts.
    mutating func readNamedOffers(
        _ list: JSONNode, names: [String], _ vocabulary: FileVocabulary, subscription: SubscriptionPeriod
    ) -> [(node: JSONNode, offer: CatalogOffer)] {
        var offers: [(node: JSONNode, offer: CatalogOffer)] = []
        for node in findings.elements(list) where findings.isObject(node) {
            noteUnread(node, vocabulary)
            guard isPaidUpFront(node) else {
                noteOtherPlan(node)
                continue
            }
            let nodes = names.map { node.member($0) }
            guard let identifierPlace = nodes.first(where: { !$0.isAbsent }) ?? nodes.first else { continue }
            let identifier = findings.text(identifierPlace, atMost: Self.identifierCharactersMax)
            guard let offer = readOffer(node, identifier: identifier), let identifier else { continue }
            if identifier.isEmpty {
                findings.refuse(identifierPlace.path, "is empty; such an offer needs a name")
            }
            check(offer, node, subscription)
            if let first = offers.first(where: { $0.offer.identifier.isExactly(identifier) }) {
                findings.note(
                    "\(node.path) is kept and has no effect: "
                        + "one offer is named '\(identifier)', the one at \(first.node.path).")
                continue
            }
            offers.append((node, offer))
        }
        if offers.count > Self.offersMax {
            findings.refuse(list.path, "has \(offers.count) offers; a subscription has at most \(Self.offersMax)")
        }
        return offers
    }

    private mutating func readOffer(_ node: JSONNode, identifier: String?) -> CatalogOffer? {
        let mode = findings.word(node.member("paymentMode"), Self.paymentModes)
        let period = readPeriod(node.member("subscriptionPeriod"))
        let count = findings.integer(node.member("numberOfPeriods"), in: 1...999, orElse: 1)
        guard let mode, let prices = readOfferPrices(node, mode), let period, let count else { return nil }
        return CatalogOffer(
            identifier: identifier, paymentMode: mode, prices: prices, period: period, numberOfPeriods: count)
    }

    /// Reads an offer's prices. A free trial costs nothing (M111), but Xcode keeps an earlier price when an offer is
    /// changed to a trial.
    private mutating func readOfferPrices(
        _ offer: JSONNode, _ mode: ProductDiscount.PaymentMode
    ) -> StorefrontPrices? {
        guard mode == .freeTrial else { return readPrices(of: offer) }
        let node = offer.member("displayPrice")
        let own = readOwnPrices(offer.member("prices"))
        if !node.isAbsent {
            guard let price = findings.price(node) else { return nil }
            if !price.isZero {
                findings.note("\(node.path) is \(price.text) and has no effect: a free trial costs nothing.")
            }
        }
        if own.values.contains(where: { $0.minorUnits > 0 }) {
            findings.note("\(offer.member("prices").path) has no effect: a free trial costs nothing.")
        }
        return .free
    }
}

extension StoreKitFileReader {
    /// Reads `subscriptionOffersKeyPair`, the key with which Xcode signs promotional offers. Only the public key is
    /// stored. An unreadable key does not reject the file, because an export has none.
    mutating func readOfferKey(_ node: JSONNode) -> SubscriptionOfferKey? {
        guard !node.isAbsent else { return nil }
        guard let identifier = node.member("id").value?.stringValue,
            (1...Self.identifierCharactersMax).contains(identifier.unicodeScalars.count),
            let text = node.member("privateKey").value?.stringValue, let bytes = Data(base64Encoded: text),
            let key = try? P256.Signing.PrivateKey(derRepresentation: bytes)
        else {
            findings.note("\(node.path) has no key that can be read; promotional offers cannot be signed with it.")
            return nil
        }
        return SubscriptionOfferKey(keyIdentifier: identifier, publicKey: key.publicKey.pemRepresentation)
    }
}
