import StoreModels

/// One purchase in a receipt's binary form. It is less than a ``ReceiptItem``, because Apple's binary form has no place
/// for the reason of a refund or an account token. The subscription group and upgrades have Storebus's own numbers.
package struct ReceiptPurchase: Hashable, Sendable {
    /// 1…10.
    package var quantity: Int
    /// As bought. The catalogue need not have it any more.
    package var productIdentifier: String
    /// Decimal digits, unique in the store.
    package var transactionIdentifier: String
    /// Business time of this purchase or renewal, in whole seconds.
    package var purchaseDate: Timestamp
    /// The first purchase's identifier. It equals `transactionIdentifier` for that purchase.
    package var originalTransactionIdentifier: String
    /// Business time of the first purchase, in whole seconds.
    package var originalPurchaseDate: Timestamp
    /// Written as one of Apple's observed numbers.
    package var type: ProductType
    /// For subscriptions only, as the line item and `isInIntroOfferPeriod`.
    package var expiresDate: Timestamp?
    /// One per subscription period. Nil for other products.
    package var webOrderLineItemIdentifier: Int64?
    /// The time of its refund or revocation. Nil without either.
    package var cancellationDate: Timestamp?
    /// False for other products than subscriptions.
    package var isTrialPeriod: Bool
    /// Nil for other products than subscriptions.
    package var isInIntroOfferPeriod: Bool?
    /// For promotional offers only. Nil otherwise.
    package var promotionalOfferIdentifier: String?
    /// The group the purchase was made in. Receipts from before Storebus wrote it do not have it.
    package var subscriptionGroupIdentifier: String?
    /// True if another product has taken its place, or else nil.
    package var isUpgraded: Bool?

    /// Cuts instants to seconds and drops values that the form cannot hold.
    package init(_ item: ReceiptItem) {
        quantity = item.quantity
        productIdentifier = item.productIdentifier
        transactionIdentifier = item.transactionIdentifier
        purchaseDate = item.purchaseDate.wholeSeconds
        originalTransactionIdentifier = item.originalTransactionIdentifier
        originalPurchaseDate = item.originalPurchaseDate.wholeSeconds
        type = item.type
        expiresDate = item.expiresDate?.wholeSeconds
        webOrderLineItemIdentifier = item.webOrderLineItemIdentifier.flatMap { Int64($0) }
        cancellationDate = item.cancellationDate?.wholeSeconds
        isTrialPeriod = item.isTrialPeriod ?? false
        isInIntroOfferPeriod = item.type == .autoRenewable ? item.isInIntroOfferPeriod ?? false : nil
        promotionalOfferIdentifier = item.offer?.type == .subscription ? item.offer?.identifier : nil
        subscriptionGroupIdentifier = item.subscriptionGroupIdentifier
        isUpgraded = item.isUpgraded == true ? true : nil
    }

    init(reading reader: ReceiptReading) throws(ReceiptError) {
        quantity = Int(try reader.integer(.quantity))
        productIdentifier = try reader.text(.productIdentifier)
        transactionIdentifier = try reader.text(.transactionIdentifier)
        purchaseDate = try reader.date(.purchaseDate)
        originalTransactionIdentifier = try reader.text(.originalTransactionIdentifier)
        originalPurchaseDate = try reader.date(.originalPurchaseDate)
        type = try Self.type(try reader.integer(.type))
        expiresDate = try reader.dateIfPresent(.expiresDate)
        webOrderLineItemIdentifier = try reader.integerIfPresent(.webOrderLineItemIdentifier)
        cancellationDate = try reader.dateIfPresent(.cancellationDate)
        isTrialPeriod = try reader.flagIfPresent(.isTrialPeriod) ?? false
        isInIntroOfferPeriod = try reader.flagIfPresent(.isInIntroOfferPeriod)
        promotionalOfferIdentifier = try reader.textIfPresent(.promotionalOfferIdentifier)
        subscriptionGroupIdentifier = try reader.textIfPresent(.subscriptionGroupIdentifier)
        isUpgraded = try reader.flagIfPresent(.isUpgraded)
    }

    /// The purchase as far as the receipt says it.
    package var item: ReceiptItem {
        with(
            ReceiptItem(
                transactionIdentifier: transactionIdentifier,
                originalTransactionIdentifier: originalTransactionIdentifier, productIdentifier: productIdentifier,
                type: type, quantity: quantity, purchaseDate: purchaseDate, originalPurchaseDate: originalPurchaseDate,
                expiresDate: expiresDate, subscriptionGroupIdentifier: subscriptionGroupIdentifier)
        ) {
            $0.webOrderLineItemIdentifier = webOrderLineItemIdentifier.map(String.init)
            $0.isTrialPeriod = type == .autoRenewable ? isTrialPeriod : nil
            $0.isInIntroOfferPeriod = isInIntroOfferPeriod
            $0.isUpgraded = isUpgraded
            $0.cancellationDate = cancellationDate
        }
    }

    /// Attribute 1707. Apple does not document its numbers. These are the ones observed in receipts.
    private static let types: [ProductType] = [.nonConsumable, .consumable, .nonRenewable, .autoRenewable]

    var typeNumber: Int64 {
        // The list contains every type.
        Int64(Self.types.firstIndex(of: type)!)
    }

    private static func type(_ number: Int64) throws(ReceiptError) -> ProductType {
        guard let index = Int(exactly: number), types.indices.contains(index) else { throw .malformed }
        return types[index]
    }
}
