// Names of the API that several pages offer.

// What a month of 30 days takes, of the clock and of subscriptions; the last ones of subscriptions alone.
export const RATES = ['realTime', 'oneSecondIsOneDay', ...['TwoSeconds', 'FiveSeconds', 'TenSeconds', 'ThirtySeconds', 'Minute', 'ThreeMinutes', 'FiveMinutes', 'FifteenMinutes', 'ThirtyMinutes', 'Hour'].map(one => `oneRenewalEvery${one}`)];
export const MONTHLY_RATES = ['ThirtySeconds', 'ThreeMinutes', 'FiveMinutes', 'Hour'].map(one => `monthlyRenewalEvery${one}`);

// Errors a request or a declined payment ends with.
export const ERRORS = ['unknown', 'clientInvalid', 'paymentCancelled', 'paymentInvalid', 'paymentNotAllowed', 'storeProductNotAvailable', 'cloudServiceNetworkConnectionFailed'];
