import StoreModels
import Testing

@testable import StoreKitClient

/// Goal: enums have the cases and the numbers of StoreKit's, and none of the wire's is missing.
@Suite struct RawValueTests {
    @Test func `M27: the five states of a transaction`() {
        let states: [SKPaymentTransactionState] = [.purchasing, .purchased, .failed, .restored, .deferred]
        #expect(TransactionState.allCases.map { SKPaymentTransactionState($0) } == states)
        #expect(states.map(\.rawValue) == [0, 1, 2, 3, 4])
    }

    @Test func `the six states of a download`() {
        let states: [SKDownloadState] = [.waiting, .active, .paused, .finished, .failed, .cancelled]
        #expect(Download.State.allCases.map { SKDownloadState($0) } == states)
        #expect(states.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
    }

    @Test func `the three visibilities of a promoted product`() {
        let visibilities: [SKProductStorePromotionVisibility] = [.default, .show, .hide]
        #expect(
            StorePromotionVisibility.allCases.map { SKProductStorePromotionVisibility($0) } == visibilities)
        #expect(visibilities.map(\.rawValue) == [0, 1, 2])
        #expect(visibilities.map(\.model.rawValue) == StorePromotionVisibility.allCases.map(\.rawValue))
    }

    @Test func `L11: a number without a name is a value, and ends in @unknown default`() throws {
        func name(_ state: SKPaymentTransactionState) -> String {
            switch state {
            case .purchasing: return "purchasing"
            case .purchased: return "purchased"
            case .failed: return "failed"
            case .restored: return "restored"
            case .deferred: return "deferred"
            @unknown default: return "unknown"
            }
        }
        let state = try #require(SKPaymentTransactionState(rawValue: 10))
        #expect(name(state) == "unknown" && state.rawValue == 10)
        #expect(name(.failed) == "failed")
        #expect(SKDownloadState(rawValue: 10)?.rawValue == 10)
        #expect(SKProduct.PeriodUnit(rawValue: 10)?.rawValue == 10)
        #expect(SKProductDiscount.PaymentMode(rawValue: 10)?.rawValue == 10)
        #expect(SKProductStorePromotionVisibility(rawValue: 10)?.model == .default)
        #expect(SKError.Code(rawValue: 77)?.rawValue == 77)
    }

    @Test func `units, payment modes and types of offers`() throws {
        #expect(
            StoreModels.SubscriptionPeriod.Unit.allCases.map {
                SKProductSubscriptionPeriod(StoreModels.SubscriptionPeriod(numberOfUnits: 2, unit: $0)).unit.rawValue
            } == [0, 1, 2, 3])
        let price = try StoreModels.Product.sample("p").price
        func offer(_ mode: ProductDiscount.PaymentMode, _ type: ProductDiscount.Kind) -> SKProductDiscount {
            SKProductDiscount(
                ProductDiscount(
                    identifier: nil, type: type, price: price, priceLocale: "en_US", paymentMode: mode,
                    subscriptionPeriod: StoreModels.SubscriptionPeriod(numberOfUnits: 1, unit: .week),
                    numberOfPeriods: 3))
        }
        #expect(
            ProductDiscount.PaymentMode.allCases.map { offer($0, .introductory).paymentMode.rawValue } == [0, 1, 2])
        #expect(ProductDiscount.Kind.allCases.map { offer(.freeTrial, $0).type.rawValue } == [0, 1])
        #expect(offer(.payUpFront, .subscription).numberOfPeriods == 3)
    }
}
