// StoreKit's keys of ``SKReceiptRefreshRequest/receiptProperties``, each for a number or a boolean.

/// Requests the receipt of an app that has expired.
public let SKReceiptPropertyIsExpired = "expired"
/// Requests the receipt of an app that was revoked.
public let SKReceiptPropertyIsRevoked = "revoked"
/// Requests the receipt of an app that was bought by volume.
public let SKReceiptPropertyIsVolumePurchase = "vpp"
