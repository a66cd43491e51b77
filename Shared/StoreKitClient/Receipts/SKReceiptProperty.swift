/// StoreKit's keys of ``SKReceiptRefreshRequest/receiptProperties``: an expired receipt, a revoked one, one of a volume
/// purchase.
public let SKReceiptPropertyIsExpired = "expired"
public let SKReceiptPropertyIsRevoked = "revoked"
public let SKReceiptPropertyIsVolumePurchase = "vpp"
