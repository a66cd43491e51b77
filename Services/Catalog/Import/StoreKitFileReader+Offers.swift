import Crypto
import Foundation
import StoreModels

extension StoreKitFileReader {
    /// Maximum number of offers of one kind in one subscription.
    private static let offersMax = 100
    private static let paymentModes: KeyValuePairs<String, ProductDiscount.PaymentMode> = [
        "free": .freeTrial, "payAsYouGo": .payAsYouGo, "payUpFront": .payUpFront,
    ]

    /// Reads the introductory offer. Versions up to 4 have `introductoryOffer`, null or an object. Later versions have
    /// the list `introductoryOffers`. Its first offer that is paid up front each period counts.
    mutating func readIntroductoryOffer(_ place: JSONPlace, subscription: SubscriptionPeriod) -> CatalogOffer? {
        let single = place.member("introductoryOffer")
        var offers = single.isAbsent ? [] : [single]
        offers += findings.elements(place.member("introductoryOffers"))
        var chosen: (place: JSONPlace, offer: CatalogOffer?)?
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
                        + "one introductory offer counts, the one at \(chosen.place.path).")
                continue
            }
            chosen = (offer, read)
            if let read { check(read, offer, subscription) }
        }
        return chosen?.offer
    }

    mutating func check(_ offer: CatalogOffer, _ place: JSONPlace, _ subscription: SubscriptionPeriod) {
        let objection = OfferRules.objection(
            to: offer.paymentMode, period: offer.period, count: offer.numberOfPeriods, subscription: subscription)
        if let objection {
            findings.refuse(place.member("subscriptionPeriod").path, objection.reason, allowed: objection.allowed)
        }
    }

    /// Reads `adHocOffers[]`: promotional offers, each with its identifier.
    mutating func readPromotionalOffers(_ list: JSONPlace, subscription: SubscriptionPeriod) -> [CatalogOffer] {
        readNamedOffers(list, names: ["offerID"], .promotionalOffer, subscription: subscription).map(\.offer)
    }

    /// Reads a list of named offers. The name is in the first existing member of `names`.
    mutating func readNamedOffers(
        _ list: JSONPlace, names: [String], _ vocabulary: FileVocabulary, subscription: SubscriptionPeriod
    ) -> [(place: JSONPlace, offer: CatalogOffer)] {
        var offers: [(place: JSONPlace, offer: CatalogOffer)] = []
        for place in findings.elements(list) where findings.isObject(place) {
            noteUnread(place, vocabulary)
            guard isPaidUpFront(place) else {
                noteOtherPlan(place)
                continue
            }
            let places = names.map { place.member($0) }
            guard let identifierPlace = places.first(where: { !$0.isAbsent }) ?? places.first else { continue }
            let identifier = findings.text(identifierPlace, atMost: Self.identifierCharactersMax)
            guard let offer = readOffer(place, identifier: identifier), let identifier else { continue }
            if identifier.isEmpty {
                findings.refuse(identifierPlace.path, "is empty; such an offer needs a name")
            } else if offers.contains(where: { $0.offer.identifier.isExactly(identifier) }) {
                findings.refuse(identifierPlace.path, "is '\(identifier)', which the subscription has already")
            }
            check(offer, place, subscription)
            offers.append((place, offer))
        }
        if offers.count > Self.offersMax {
            findings.refuse(list.path, "has \(offers.count) offers; a subscription has at most \(Self.offersMax)")
        }
        return offers
    }

    private mutating func readOffer(_ place: JSONPlace, identifier: String?) -> CatalogOffer? {
        let mode = findings.word(place.member("paymentMode"), Self.paymentModes)
        let period = readPeriod(place.member("subscriptionPeriod"))
        let count = findings.integer(place.member("numberOfPeriods"), in: 1...999, orElse: 1)
        guard let mode, let prices = readOfferPrices(place, mode), let period, let count else { return nil }
        return CatalogOffer(
            identifier: identifier, paymentMode: mode, prices: prices, period: period, numberOfPeriods: count)
    }

    /// Reads an offer's prices. A free trial costs nothing (M111), but Xcode keeps an earlier price when an offer is
    /// changed to a trial.
    private mutating func readOfferPrices(
        _ offer: JSONPlace, _ mode: ProductDiscount.PaymentMode
    ) -> StorefrontPrices? {
        guard mode == .freeTrial else { return readPrices(of: offer) }
        let place = offer.member("displayPrice")
        let own = readOwnPrices(offer.member("prices"))
        if !place.isAbsent {
            guard let price = findings.price(place) else { return nil }
            if !price.isZero {
                findings.note("\(place.path) is \(price.text) and has no effect: a free trial costs nothing.")
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
    mutating func readOfferKey(_ place: JSONPlace) -> SubscriptionOfferKey? {
        guard !place.isAbsent else { return nil }
        guard let identifier = place.member("id").value?.stringValue,
            (1...Self.identifierCharactersMax).contains(identifier.unicodeScalars.count),
            let text = place.member("privateKey").value?.stringValue, let bytes = Data(base64Encoded: text),
            let key = try? P256.Signing.PrivateKey(derRepresentation: bytes)
        else {
            findings.note("\(place.path) has no key that can be read; promotional offers cannot be signed with it.")
            return nil
        }
        return SubscriptionOfferKey(keyIdentifier: identifier, publicKey: key.publicKey.pemRepresentation)
    }
}
