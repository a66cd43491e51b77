import Foundation
import StoreModels
import StorebusTesting

@testable import StoreKitClient

extension FakeGateway {
    /// A connection of `alice-1` to this gateway.
    func connection(deviceId: String = "alice-1") -> StoreConnection {
        StoreConnection(
            gateway: url, bundleId: "com.example.app", deviceId: deviceId, account: "alice",
            contentDirectory: URL(fileURLWithPath: directory.path, isDirectory: true))
    }

    /// A queue of `alice-1` that is less patient than an app's.
    func queue(_ change: (inout StoreConnection, inout ClientTiming) -> Void = { _, _ in }) -> SKPaymentQueue {
        var connection = connection()
        var timing = ClientTiming.quick
        change(&connection, &timing)
        return SKPaymentQueue(connection: connection, timing: timing)
    }
}

extension ClientTiming {
    static let quick = ClientTiming(
        backoffMin: .milliseconds(1), backoffMax: .milliseconds(20), retryTimeout: .milliseconds(100),
        requestTimeout: .seconds(10), streamTimeout: .seconds(20), firstSessionWait: .seconds(10))
}

extension PaymentTransaction {
    /// A transaction of `alice-1`, with what its state has to have.
    static func sample(
        _ id: String, _ state: TransactionState = .purchased, revision: Int = 2, key: String = "elsewhere",
        product: String = "com.example.hiddenBeaches", device: String = "alice-1", downloads: [Download] = []
    ) -> PaymentTransaction {
        let isPaid = state == .purchased || state == .restored
        return with(
            PaymentTransaction(
                id: id, transactionIdentifier: isPaid ? "20000\(revision)" : nil, transactionState: state,
                transactionDate: isPaid ? Timestamp(milliseconds: 1_795_600_000_000) : nil,
                payment: Payment(requestIdentifier: key, productIdentifier: product), downloads: downloads,
                revision: revision, originDeviceId: device)
        ) {
            $0.error = state == .failed ? TransactionError(.paymentCancelled, "The payment was cancelled.") : nil
        }
    }
}

extension StoreModels.Product {
    static func sample(
        _ identifier: String, amount: String = "1.99", currency: String = "USD", locale: String = "en_US@currency=USD"
    ) throws -> StoreModels.Product {
        guard let code = Currency(code: currency), let price = Money(amount: amount, currency: code) else {
            throw CocoaError(.coderInvalidValue)
        }
        return StoreModels.Product(
            productIdentifier: identifier, type: .nonConsumable, localizedTitle: "Title", localizedDescription: "Text",
            price: price, priceLocale: locale)
    }
}

extension StoreModels.Product {
    /// `pro.monthly` at 9.99 with an introductory offer, in the words of the store.
    static func subscription(
        _ mode: ProductDiscount.PaymentMode, amount: String = "1.99", period: String = "P1M", count: Int = 1,
        currency: String = "USD", locale: String = "en_US@currency=USD", eligibility: OfferEligibility? = .eligible
    ) throws -> StoreModels.Product {
        var product = try sample("pro.monthly", amount: "9.99", currency: currency, locale: locale)
        guard let length = StoreModels.SubscriptionPeriod(iso8601: period),
            let price = Money(amount: amount, currency: product.price.currency)
        else { throw CocoaError(.coderInvalidValue) }
        product.type = .autoRenewable
        product.subscriptionPeriod = StoreModels.SubscriptionPeriod(numberOfUnits: 1, unit: .month)
        product.subscriptionGroupIdentifier = "pro"
        product.introductoryPrice = ProductDiscount(
            identifier: nil, type: .introductory, price: price, priceLocale: locale, paymentMode: mode,
            subscriptionPeriod: length, numberOfPeriods: count)
        product.introductoryOfferEligibility = eligibility
        return product
    }
}
