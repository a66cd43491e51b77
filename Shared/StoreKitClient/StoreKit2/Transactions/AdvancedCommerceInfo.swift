extension Transaction {
    /// The items of an Advanced Commerce purchase. This store makes none, and the type is for code that reads it.
    public struct AdvancedCommerceInfo: Hashable, Sendable {
        /// An item of the purchase.
        public struct Item: Hashable, Sendable {
            /// The item's product and price.
            public struct Details: Hashable, Sendable {
                public let sku: String
                public let displayName: String
                public let description: String
                public let offer: Offer?
                public let price: Decimal
                /// The developers who sell it together.
                public let partners: [Partner]
            }

            public let details: Details
            public let refunds: [Refund]?
            public let revocationDate: Date?
        }

        /// A developer who sells an item with the app's.
        public struct Partner: Hashable, Sendable {
            public let id: String
            public let name: String
        }

        /// An offer of an item.
        public struct Offer: Hashable, Sendable {
            /// The reasons of offers.
            public struct Reason: RawRepresentable, Hashable, Sendable {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static let acquisition = Reason(rawValue: "ACQUISITION")
                public static let retention = Reason(rawValue: "RETENTION")
                public static let winBack = Reason(rawValue: "WIN_BACK")
            }

            public let price: Decimal
            public let period: SubscriptionPeriod
            public let periodCount: Int
            public let reason: Reason
        }

        /// A refund of an item.
        public struct Refund: Hashable, Sendable {
            /// The reasons of refunds.
            public struct Reason: RawRepresentable, Hashable, Sendable {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static let legal = Reason(rawValue: "LEGAL")
                public static let modifyItems = Reason(rawValue: "MODIFY_ITEMS_REFUND")
                public static let unintended = Reason(rawValue: "UNINTENDED_PURCHASE")
                public static let unfulfilled = Reason(rawValue: "FULFILLMENT_ISSUE")
                public static let unsatisfied = Reason(rawValue: "UNSATISFIED_WITH_PURCHASE")
                public static let other = Reason(rawValue: "OTHER")
            }

            /// The kinds of refund.
            public struct RefundType: RawRepresentable, Hashable, Sendable {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static let custom = RefundType(rawValue: "CUSTOM")
                public static let proRated = RefundType(rawValue: "PRORATED")
                public static let full = RefundType(rawValue: "FULL")
            }

            public let reason: Reason
            public let type: RefundType
            public let date: Date
            public let amount: Decimal
        }

        public let requestReferenceID: String
        public let estimatedTax: Decimal
        public let taxRate: Decimal
        public let taxCode: String
        public let taxExclusivePrice: Decimal
        public let description: String?
        public let displayName: String?
        public let period: SubscriptionPeriod?
        public let items: [Item]
    }
}

extension Product.SubscriptionInfo.RenewalInfo {
    /// The items of an Advanced Commerce subscription. This store makes none, and the type is for code that reads it.
    public struct AdvancedCommerceInfo: Hashable, Sendable {
        /// An item of the subscription.
        public struct Item: Hashable, Sendable {
            public typealias Details = Transaction.AdvancedCommerceInfo.Item.Details
            public let details: Details
        }

        public let consistencyToken: String
        public let requestReferenceID: String
        public let taxCode: String
        public let description: String
        public let displayName: String
        public let period: SubscriptionPeriod
        public let items: [Item]
    }
}
