import StoreModels
import Testing

@testable import StoreKitClient

/// Goal: enums have the cases and the numbers of StoreKit's, and none of the wire's is missing.
@Suite struct RawValueTests {
    @Test func `M27: the five states of a transaction`() {
        #expect(TransactionState.allCases.map { SKPaymentTransactionState($0) } == SKPaymentTransactionState.allCases)
        #expect(SKPaymentTransactionState.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(SKPaymentTransactionState.allCases.map { "\($0)" } == TransactionState.allCases.map(\.rawValue))
    }

    @Test func `the six states of a download`() {
        #expect(Download.State.allCases.map { SKDownloadState($0) } == SKDownloadState.allCases)
        #expect(SKDownloadState.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
        #expect(SKDownloadState.allCases.map { "\($0)" } == Download.State.allCases.map(\.rawValue))
    }

    @Test func `the three visibilities of a promoted product`() {
        #expect(
            StorePromotionVisibility.allCases.map { SKProductStorePromotionVisibility($0) }
                == SKProductStorePromotionVisibility.allCases)
        #expect(SKProductStorePromotionVisibility.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(
            SKProductStorePromotionVisibility.allCases.map { $0.model.rawNumber }
                == SKProductStorePromotionVisibility.allCases.map(\.rawValue))
        #expect(
            SKProductStorePromotionVisibility.allCases.map(\.model.rawValue)
                == StorePromotionVisibility.allCases.map(\.rawValue))
    }

    @Test func `units, payment modes and types of offers`() throws {
        #expect(
            SubscriptionPeriod.Unit.allCases.map {
                SKProductSubscriptionPeriod(SubscriptionPeriod(numberOfUnits: 2, unit: $0)).unit.rawValue
            } == [0, 1, 2, 3])
        let price = try Product.sample("p").price
        func offer(_ mode: ProductDiscount.PaymentMode, _ type: ProductDiscount.Kind) -> SKProductDiscount {
            SKProductDiscount(
                ProductDiscount(
                    identifier: nil, type: type, price: price, priceLocale: "en_US", paymentMode: mode,
                    subscriptionPeriod: SubscriptionPeriod(numberOfUnits: 1, unit: .week), numberOfPeriods: 3))
        }
        #expect(
            ProductDiscount.PaymentMode.allCases.map { offer($0, .introductory).paymentMode.rawValue } == [0, 1, 2])
        #expect(ProductDiscount.Kind.allCases.map { offer(.freeTrial, $0).type.rawValue } == [0, 1])
        #expect(offer(.payUpFront, .subscription).numberOfPeriods == 3)
    }
}
