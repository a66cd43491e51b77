// StoreKit's keys of ``SKReceiptRefreshRequest/receiptProperties``, each for a number or a boolean.

/// The receipt of an app that has expired.
public let SKReceiptPropertyIsExpired = "expired"
/// The receipt of an app that was taken back.
public let SKReceiptPropertyIsRevoked = "revoked"
/// The receipt of an app that was bought by volume.
public let SKReceiptPropertyIsVolumePurchase = "vpp"
