internal import StoreHTTP
internal import StoreModels

/// The terms of an auto-renewable subscription.
public typealias SubscriptionInfo = Product.SubscriptionInfo

extension Product {
    /// The terms of an auto-renewable subscription, in the customer's storefront.
    public struct SubscriptionInfo: Hashable, Sendable {
        /// The introductory offer, present also for customers who are not eligible.
        public let introductoryOffer: SubscriptionOffer?
        /// The promotional offers.
        public let promotionalOffers: [SubscriptionOffer]
        /// The offers for customers who come back.
        public let winBackOffers: [SubscriptionOffer]
        /// The group of subscriptions of which a customer has one.
        public let subscriptionGroupID: String
        /// The length of a period.
        public let subscriptionPeriod: SubscriptionPeriod
        /// The level in the group, from 1, the highest.
        public let groupLevel: Int
        /// The group's name in the storefront's language.
        public let groupDisplayName: String
        /// The ways to pay: each period up front, and a year in monthly payments where the store sells it so.
        public let pricingTerms: [PricingTerms]
        let queue: SKPaymentQueue

        init?(_ product: Product) {
            let model = product.model
            guard let period = model.subscriptionPeriod, let group = model.subscriptionGroupIdentifier else {
                return nil
            }
            let offers = product.offers
            introductoryOffer = offers.first { $0.type == .introductory }
            promotionalOffers = offers.filter { $0.type == .promotional }
            winBackOffers = offers.filter { $0.type == .winBack }
            subscriptionGroupID = group
            subscriptionPeriod = SubscriptionPeriod(period)
            groupLevel = model.subscriptionGroupLevel ?? 1
            groupDisplayName = model.subscriptionGroupDisplayName ?? ""
            var terms = [
                PricingTerms(
                    billingPlanType: .upFront, billingPrice: product.price, billingDisplayPrice: product.displayPrice,
                    billingPeriod: subscriptionPeriod,
                    commitmentInfo: CommitmentInfo(
                        price: product.price, displayPrice: product.displayPrice, period: subscriptionPeriod),
                    subscriptionOffers: offers)
            ]
            if let monthly = model.monthlyTerms { terms.append(PricingTerms(monthly)) }
            pricingTerms = terms
            queue = product.origin.queue
        }

        public static func == (left: SubscriptionInfo, right: SubscriptionInfo) -> Bool {
            left.subscriptionGroupID == right.subscriptionGroupID && left.groupLevel == right.groupLevel
                && left.groupDisplayName == right.groupDisplayName && left.pricingTerms == right.pricingTerms
        }
        public func hash(into hasher: inout Hasher) { hasher.combine(pricingTerms) }

        /// Subscriptions of other developers that come with it. This store has none.
        public var bundledSubscriptions: [BundledSubscription] { [] }

        /// Whether the customer is eligible for the introductory offer. False when the store cannot be asked.
        public var isEligibleForIntroOffer: Bool {
            get async { await queue.core.isEligibleForIntroOffer(group: subscriptionGroupID) }
        }

        /// Asks whether the customer is eligible for introductory offers of a group. False when it cannot be asked.
        public static func isEligibleForIntroOffer(for groupID: String) async -> Bool {
            await SKPaymentQueue.current.core.isEligibleForIntroOffer(group: groupID)
        }
    }
}

extension Product.SubscriptionInfo {
    /// The plans by which a subscription is paid.
    public struct BillingPlanType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A payment a month, for a commitment of a year.
        public static let monthly = BillingPlanType(rawValue: "MONTHLY")
        /// A payment for the whole period.
        public static let upFront = BillingPlanType(rawValue: "BILLED_UPFRONT")
        /// The plan's name in English.
        public var localizedDescription: String { rawValue }
    }

    /// The price and length that a customer commits to.
    public struct CommitmentInfo: Hashable, Sendable {
        /// The price of the whole commitment.
        public let price: Decimal
        /// The price as the storefront writes it.
        public let displayPrice: String
        /// The length of the commitment.
        public let period: Product.SubscriptionPeriod
    }

    /// The price of one way to pay for a subscription.
    public struct PricingTerms: Hashable, Sendable {
        /// The plan.
        public let billingPlanType: BillingPlanType
        /// The price of one payment.
        public let billingPrice: Decimal
        /// The price as the storefront writes it.
        public let billingDisplayPrice: String
        /// The time that one payment is for.
        public let billingPeriod: Product.SubscriptionPeriod
        /// The price and length of the commitment.
        public let commitmentInfo: CommitmentInfo
        /// The offers of this plan.
        public let subscriptionOffers: [Product.SubscriptionOffer]

        init(
            billingPlanType: BillingPlanType, billingPrice: Decimal, billingDisplayPrice: String,
            billingPeriod: Product.SubscriptionPeriod, commitmentInfo: CommitmentInfo,
            subscriptionOffers: [Product.SubscriptionOffer]
        ) {
            self.billingPlanType = billingPlanType
            self.billingPrice = billingPrice
            self.billingDisplayPrice = billingDisplayPrice
            self.billingPeriod = billingPeriod
            self.commitmentInfo = commitmentInfo
            self.subscriptionOffers = subscriptionOffers
        }

        /// Creates the terms of monthly payments. The store has no offers of that plan.
        init(_ terms: BillingTerms) {
            self.init(
                billingPlanType: .init(rawValue: terms.billingPlanType.rawValue), billingPrice: terms.price.decimal,
                billingDisplayPrice: terms.displayPrice, billingPeriod: Product.SubscriptionPeriod(terms.period),
                commitmentInfo: CommitmentInfo(
                    price: terms.commitmentPrice.decimal, displayPrice: terms.commitmentDisplayPrice,
                    period: Product.SubscriptionPeriod(terms.commitmentPeriod)),
                subscriptionOffers: [])
        }

        /// The offers of one type.
        public subscript(offers type: Product.SubscriptionOffer.OfferType) -> [Product.SubscriptionOffer] {
            subscriptionOffers.filter { $0.type == type }
        }

        /// How the price depends on seats. This store sells none.
        public var pricingModel: PricingModel {
            let billing = BillingInfo(price: billingPrice, displayPrice: billingDisplayPrice, period: billingPeriod)
            return .singlePrice(SinglePrice(billingInfo: billing, commitmentInfo: commitmentInfo))
        }

        /// How a price depends on the number of seats.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive(warn)
        #endif
        public enum PricingModel: Hashable, Sendable {
            /// One price for the purchase.
            case singlePrice(SinglePrice)
            /// A price that depends on the number of seats.
            case seatBased(SeatBasedPricing)
        }

        /// One price for the purchase.
        public struct SinglePrice: Hashable, Sendable {
            /// The price of one payment.
            public let billingInfo: BillingInfo
            /// The price and length of the commitment.
            public let commitmentInfo: CommitmentInfo
        }

        /// The prices by numbers of seats.
        public struct SeatBasedPricing: Hashable, Sendable {
            /// The tiers, the fewest seats first.
            public let priceTiers: [PriceTier]

            /// The price of a seat within a range of numbers.
            public struct PriceTier: Hashable, Sendable {
                /// The fewest seats of the tier.
                public let minimumSeats: Int
                /// The most seats of the tier. Nil for any number.
                public let maximumSeats: Int?
                /// The price of a seat.
                public let billingInfo: BillingInfo
            }
        }
    }

    /// The time that one payment is for.
    public typealias BillingPeriod = Product.SubscriptionPeriod

    /// The price of one payment, and the time that it is for.
    public struct BillingInfo: Hashable, Sendable {
        /// The price of one payment.
        public let price: Decimal
        /// The price as the storefront writes it.
        public let displayPrice: String
        /// The time that one payment is for.
        public let period: BillingPeriod
    }

    /// A subscription that comes with another one.
    public struct BundledSubscription: Hashable, Sendable {
        /// The product's identifier.
        public let id: Product.ID
        /// The name in the storefront's language.
        public let displayName: String
        /// The description in the storefront's language.
        public let description: String
        /// The price by itself.
        public let price: Decimal
        /// The price as the storefront writes it.
        public let displayPrice: String
        /// Whether a family shares it.
        public let isFamilyShareable: Bool
        /// The group of the subscription.
        public let subscriptionGroupID: String
        /// The level in its group. 1 is the highest.
        public let subscriptionGroupLevel: Int
        /// The group's name in the storefront's language.
        public let subscriptionGroupDisplayName: String
    }
}

extension QueueCore {
    /// Asks whether the customer is eligible for the introductory offers of a group.
    func isEligibleForIntroOffer(group: String) async -> Bool {
        // A cancelled task asks all the same, as StoreKit does.
        await Task { @concurrent [gateway, connection] in
            do {
                let response = try await gateway.send(HTTPCall(ProductRoutes.eligibility)).checked()
                let list = try response.body(of: ProductRoutes.eligibility).eligibility
                return list.contains { $0.subscriptionGroupIdentifier.isExactly(group) && $0.eligibility == .eligible }
            } catch {
                connection.log?("the eligibility of a group could not be found out: \(type(of: error))")
                return false
            }
        }.value
    }
}
