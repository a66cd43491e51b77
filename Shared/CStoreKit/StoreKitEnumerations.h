// StoreKit's enumerations, with its names and raw values. Header only; StoreKitClient imports and re-exports it.
//
// They are C because only an imported enumeration can be open: `SKPaymentTransactionState(rawValue: 10)` is a value, as
// in an Objective-C framework, and a `switch` over one ends with `@unknown default`. Every enumeration of Swift's in a
// source package is closed.
#pragma once

#define SK_ENUM(name)                                                                                                  \
    typedef enum __attribute__((enum_extensibility(open))) name : long name;                                           \
    enum __attribute__((enum_extensibility(open))) name : long
#define SK_CASE(name) __attribute__((swift_name(#name)))

/// The five states of a transaction.
SK_ENUM(SKPaymentTransactionState) {
    /// The store is at it. Nothing to do, and not to be finished.
    SKPaymentTransactionStatePurchasing SK_CASE(purchasing) = 0,
    /// Paid for: deliver, then finish.
    SKPaymentTransactionStatePurchased SK_CASE(purchased) = 1,
    /// `error` says why: tell the customer unless they cancelled, then finish.
    SKPaymentTransactionStateFailed SK_CASE(failed) = 2,
    /// Paid for before, `original` says when: deliver, then finish.
    SKPaymentTransactionStateRestored SK_CASE(restored) = 3,
    /// An approval is awaited. Go on meanwhile; finishing it does nothing.
    SKPaymentTransactionStateDeferred SK_CASE(deferred) = 4
};

/// How far a download is.
SK_ENUM(SKDownloadState) {
    /// Not started on this device.
    SKDownloadStateWaiting SK_CASE(waiting) = 0,
    SKDownloadStateActive SK_CASE(active) = 1,
    SKDownloadStatePaused SK_CASE(paused) = 2,
    /// `contentURL` says where it lies.
    SKDownloadStateFinished SK_CASE(finished) = 3,
    /// `error` says why; starting it again tries again.
    SKDownloadStateFailed SK_CASE(failed) = 4,
    SKDownloadStateCancelled SK_CASE(cancelled) = 5
};

/// The unit of a subscription's period.
SK_ENUM(SKProductPeriodUnit) {
    SKProductPeriodUnitDay SK_CASE(day) = 0,
    SKProductPeriodUnitWeek SK_CASE(week) = 1,
    SKProductPeriodUnitMonth SK_CASE(month) = 2,
    SKProductPeriodUnitYear SK_CASE(year) = 3
};

/// How an offer is paid for.
SK_ENUM(SKProductDiscountPaymentMode) {
    SKProductDiscountPaymentModePayAsYouGo SK_CASE(payAsYouGo) = 0,
    SKProductDiscountPaymentModePayUpFront SK_CASE(payUpFront) = 1,
    SKProductDiscountPaymentModeFreeTrial SK_CASE(freeTrial) = 2
};

/// Whether an offer is for new subscribers or a promotional one.
SK_ENUM(SKProductDiscountType) {
    SKProductDiscountTypeIntroductory SK_CASE(introductory) = 0,
    SKProductDiscountTypeSubscription SK_CASE(subscription) = 1
};

/// Whether this device shows a promoted product in the store.
SK_ENUM(SKProductStorePromotionVisibility) {
    /// No override: the operator's setting decides.
    SKProductStorePromotionVisibilityDefault SK_CASE(default) = 0,
    /// Shown here, also where the operator hides it.
    SKProductStorePromotionVisibilityShow SK_CASE(show) = 1,
    SKProductStorePromotionVisibilityHide SK_CASE(hide) = 2
};

/// `SKError.Code`.
SK_ENUM(SKErrorCode) {
    SKErrorUnknown SK_CASE(unknown) = 0,
    SKErrorClientInvalid SK_CASE(clientInvalid) = 1,
    SKErrorPaymentCancelled SK_CASE(paymentCancelled) = 2,
    SKErrorPaymentInvalid SK_CASE(paymentInvalid) = 3,
    SKErrorPaymentNotAllowed SK_CASE(paymentNotAllowed) = 4,
    SKErrorStoreProductNotAvailable SK_CASE(storeProductNotAvailable) = 5,
    SKErrorCloudServicePermissionDenied SK_CASE(cloudServicePermissionDenied) = 6,
    SKErrorCloudServiceNetworkConnectionFailed SK_CASE(cloudServiceNetworkConnectionFailed) = 7,
    SKErrorCloudServiceRevoked SK_CASE(cloudServiceRevoked) = 8,
    SKErrorPrivacyAcknowledgementRequired SK_CASE(privacyAcknowledgementRequired) = 9,
    SKErrorUnauthorizedRequestData SK_CASE(unauthorizedRequestData) = 10,
    SKErrorInvalidOfferIdentifier SK_CASE(invalidOfferIdentifier) = 11,
    SKErrorInvalidSignature SK_CASE(invalidSignature) = 12,
    SKErrorMissingOfferParams SK_CASE(missingOfferParams) = 13,
    SKErrorInvalidOfferPrice SK_CASE(invalidOfferPrice) = 14,
    SKErrorOverlayCancelled SK_CASE(overlayCancelled) = 15,
    SKErrorOverlayInvalidConfiguration SK_CASE(overlayInvalidConfiguration) = 16,
    SKErrorOverlayTimeout SK_CASE(overlayTimeout) = 17,
    SKErrorIneligibleForOffer SK_CASE(ineligibleForOffer) = 18,
    SKErrorUnsupportedPlatform SK_CASE(unsupportedPlatform) = 19,
    SKErrorOverlayPresentedInBackgroundScene SK_CASE(overlayPresentedInBackgroundScene) = 20
};

#undef SK_ENUM
#undef SK_CASE
