internal import StoreModels

extension Product {
    /// An offer of an auto-renewable subscription.
    public struct SubscriptionOffer: Hashable, Sendable {
        let model: ProductDiscount
        /// The kind of offer.
        public let type: OfferType

        init(_ model: ProductDiscount, _ type: OfferType) { (self.model, self.type) = (model, type) }

        /// The offer's identifier. Nil for the introductory offer.
        public var id: String? { model.identifier }
        /// The price of one charge, zero for a free trial.
        public var price: Decimal { model.price.decimal }
        /// The price as the storefront writes it.
        public var displayPrice: String {
            model.displayPrice
                ?? price.formatted(
                    .currency(code: model.price.currency.code).locale(Locale(identifier: model.priceLocale)))
        }
        /// The length of one period of the offer.
        public var period: SubscriptionPeriod { SubscriptionPeriod(model.subscriptionPeriod) }
        /// The number of periods.
        public var periodCount: Int { model.numberOfPeriods }
        /// How the customer pays.
        public var paymentMode: PaymentMode {
            switch model.paymentMode {
            case .payAsYouGo: .payAsYouGo
            case .payUpFront: .payUpFront
            case .freeTrial: .freeTrial
            }
        }

        /// The kinds of offer.
        public struct OfferType: RawRepresentable, Hashable, Sendable {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            /// For new subscribers.
            public static let introductory = OfferType(rawValue: "Introductory")
            /// For customers whom the app's server chooses.
            public static let promotional = OfferType(rawValue: "Promotional")
            /// For customers who come back.
            public static let winBack = OfferType(rawValue: "WinBack")
            /// The kind's name in English.
            public var localizedDescription: String { rawValue }
        }

        /// The ways to pay for an offer.
        public struct PaymentMode: RawRepresentable, Hashable, Sendable {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            /// A reduced price each period.
            public static let payAsYouGo = PaymentMode(rawValue: "PayAsYouGo")
            /// One price for all periods.
            public static let payUpFront = PaymentMode(rawValue: "PayUpFront")
            /// Nothing.
            public static let freeTrial = PaymentMode(rawValue: "FreeTrial")
            /// The way's name in English.
            public var localizedDescription: String { rawValue }
        }

        /// A promotional offer's signature in its first form, made by the app's server.
        public struct Signature: Hashable, Sendable {
            /// The identifier of the signing key.
            public var keyID: String
            /// A value that is accepted once.
            public var nonce: UUID
            /// The time of signing, in milliseconds since 1970.
            public var timestamp: Int
            /// The signature in DER.
            public var signature: Data

            /// Creates a signature of its parts.
            public init(keyID: String, nonce: UUID, timestamp: Int, signature: Data) {
                (self.keyID, self.nonce, self.timestamp, self.signature) = (keyID, nonce, timestamp, signature)
            }
        }
    }

    /// Every offer of the product.
    var offers: [SubscriptionOffer] {
        (model.introductoryPrice.map { [SubscriptionOffer($0, .introductory)] } ?? [])
            + model.discounts.map { SubscriptionOffer($0, .promotional) }
            + (model.winBackOffers ?? []).map { SubscriptionOffer($0, .winBack) }
    }
}

extension Product.SubscriptionOffer {
    /// The offer in a product's JSON, with Apple's words.
    var json: JSONValue {
        let kind = ["Introductory": "IntroOffer", "Promotional": "AdhocOffer"][type.rawValue] ?? "WinbackOffer"
        var members: [String: JSONValue] = [
            "type": .string(kind), "modeType": .string(paymentMode.rawValue), "price": .string(model.price.amount),
            "priceFormatted": .string(displayPrice), "numOfPeriods": .integer(periodCount),
            "recurringSubscriptionPeriod": .string(model.subscriptionPeriod.iso8601),
        ]
        members["id"] = id.map { .string($0) }
        return .object(members)
    }
}
