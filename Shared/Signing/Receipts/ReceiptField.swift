/// The attributes of a receipt by number (Apple, "Receipt Fields"). 1707 and 1713 are missing in that list, but occur
/// in receipts.
enum ReceiptField: Int64, CaseIterable {
    case environment = 0
    case bundleId = 2
    case applicationVersion = 3
    case opaqueValue = 4
    case hash = 5
    case creationDate = 12
    case purchase = 17
    case originalApplicationVersion = 19
    case expirationDate = 21

    // Of a purchase.
    case quantity = 1701
    case productIdentifier = 1702
    case transactionIdentifier = 1703
    case purchaseDate = 1704
    case originalTransactionIdentifier = 1705
    case originalPurchaseDate = 1706
    case type = 1707
    case expiresDate = 1708
    case webOrderLineItemIdentifier = 1711
    case cancellationDate = 1712
    case isTrialPeriod = 1713
    case isInIntroOfferPeriod = 1719
    case promotionalOfferIdentifier = 1721
    /// Storebus's own. Apple's form has no place for it, and readers of Apple's skip unknown numbers.
    case subscriptionGroupIdentifier = 17_900
    /// Storebus's own.
    case isUpgraded = 17_901
    /// Storebus's own.
    case isFamilyShared = 17_902
}
