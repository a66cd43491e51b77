import Cryptography
import StoreModels

/// The app, customer and products the tests speak of.
enum Sample {
    static let bundleId = "com.example.app"
    static let deviceId = "alice-1"
    static let adminKey = "operator-key-of-the-tests"

    /// The customer's key in hint subjects, computed independently of the gateway.
    static let customerKey = key(bundleId, FakePaymentQueue.customer)

    static func key(_ first: String, _ second: String) -> String {
        SHA256.hash(data: "\(first)\0\(second)".utf8)
            .prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    // "USD" is three capital letters.
    static let dollars = Currency(code: "USD")!
    static let hiddenBeaches = Product(
        productIdentifier: "com.example.hiddenBeaches", type: .nonConsumable, localizedTitle: "Hidden Beaches",
        localizedDescription: "", price: Money(minorUnits: 199, currency: dollars), priceLocale: "en_US@currency=USD")
    static let fishing = Product(
        productIdentifier: "com.example.fishing", type: .consumable, localizedTitle: "Fishing Hot Spots",
        localizedDescription: "", price: Money(minorUnits: 99, currency: dollars), priceLocale: "en_US@currency=USD")
    static let pro = Product(
        productIdentifier: "com.example.pro", type: .autoRenewable, localizedTitle: "Pro", localizedDescription: "",
        price: Money(minorUnits: 999, currency: dollars), priceLocale: "en_US@currency=USD",
        subscriptionPeriod: .init(numberOfUnits: 1, unit: .month), subscriptionGroupIdentifier: "g1")
    /// Alice's subscription to Pro.
    static let subscription = Subscription(
        originalTransactionIdentifier: "1000000001", subscriptionGroupIdentifier: "g1",
        productIdentifier: pro.productIdentifier, state: .subscribed, willAutoRenew: true,
        autoRenewProductIdentifier: pro.productIdentifier,
        latest: Subscription.Period(
            index: 1, start: Timestamp(milliseconds: 1_797_000_000_000),
            end: Timestamp(milliseconds: 1_800_000_000_000),
            transactionID: "t_pro", transactionIdentifier: "1000000002"))
    /// With every member, though a code's and a win-back offer's are never together.
    static let winBackOffer = RedeemableOffer(
        type: .winBack,
        offer: ProductDiscount(
            identifier: "back", type: .subscription, price: Money(minorUnits: 0, currency: dollars),
            priceLocale: "en_US@currency=USD", paymentMode: .freeTrial,
            subscriptionPeriod: .init(numberOfUnits: 1, unit: .month), numberOfPeriods: 1),
        audiences: [.expired], isStackable: false,
        winBack: .init(
            paidMonthsMin: 1, monthsSinceExpiryMin: 2, monthsSinceExpiryMax: 3, monthsBetweenOffers: 4, isOffered: false
        )
    )
    static let products = [hiddenBeaches, fishing, pro]
    static let device = Device(deviceId: deviceId, platform: .iOS, osVersion: "17.0")
    static let installation = InstallationReference(bundleId: bundleId, deviceId: deviceId)

    /// A purchase that Alice began in the store.
    static func intent(
        _ identifier: String, product: Product = pro, device: String = deviceId,
        state: StorePurchaseIntent.State = .pending
    ) -> StorePurchaseIntent {
        with(
            StorePurchaseIntent(
                intentIdentifier: identifier, state: state,
                payment: Payment(
                    requestIdentifier: "intent:\(identifier)", productIdentifier: product.productIdentifier,
                    intentIdentifier: identifier), product: product, source: .storePage,
                expiresAt: Timestamp(milliseconds: 1_800_000_000_000))
        ) {
            $0.deviceId = device
        }
    }

    static func purchased(
        _ id: String, payment: Payment? = nil, device: String = deviceId, revision: Int = 2, expires: Timestamp? = nil
    ) -> PaymentTransaction {
        with(
            PaymentTransaction(
                id: id, transactionIdentifier: "2000000000000001", transactionState: .purchased,
                transactionDate: Timestamp(milliseconds: 1_790_000_000_000), payment: payment ?? self.payment(id),
                revision: revision, originDeviceId: device)
        ) {
            $0.expiresDate = expires
        }
    }

    static func purchasing(_ id: String, device: String = deviceId) -> PaymentTransaction {
        PaymentTransaction(
            id: id, transactionState: .purchasing, payment: payment(id), revision: 1, originDeviceId: device)
    }

    /// Alice's first device, outside of isolated stores.
    static let phone = ScopedIdentifier(deviceId, in: .installation)

    static func refundRequest(
        _ id: String, of transaction: String, bundleId: String = bundleId
    ) -> CustomerRefundRequest {
        CustomerRefundRequest(
            refundRequestIdentifier: id, transactionId: transaction, transactionIdentifier: "2000000000000001",
            bundleId: bundleId, account: "alice", state: .open, reason: .legal,
            requestedAt: Timestamp(milliseconds: 1_800_000_000_000))
    }

    static func failed(_ id: String, device: String = deviceId) -> PaymentTransaction {
        with(
            PaymentTransaction(
                id: id, transactionState: .failed, payment: payment(id), revision: 2, originDeviceId: device)
        ) {
            $0.error = TransactionError(.paymentCancelled, "cancelled")
        }
    }

    static func payment(_ id: String, product: String = hiddenBeaches.productIdentifier) -> Payment {
        Payment(requestIdentifier: "key-\(id)", productIdentifier: product)
    }
}
