import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: what a restore brings back, and what a restored transaction says (M38 to M42; R1).
@Suite struct RestoreRulesTests {
    private func original(_ state: TransactionState = .purchased, revoked: Bool = false) -> PaymentTransaction {
        with(
            PaymentTransaction(
                id: "t_original", transactionIdentifier: "2000000000000001", transactionState: state,
                transactionDate: Timestamp(milliseconds: 5),
                payment: Payment(
                    requestIdentifier: "k", productIdentifier: "guide", quantity: 1, applicationUsername: "a"),
                downloads: [
                    Download(
                        id: "d_original", transactionId: "t_original", state: .waiting, contentIdentifier: "guide",
                        contentVersion: "1.0", contentLength: 73_412)
                ], revision: 2, originDeviceId: "phone", price: .usd("1.99"))
        ) {
            $0.revocationDate = revoked ? Timestamp(milliseconds: 6) : nil
        }
    }

    @Test(
        arguments: [
            (ProductType.consumable, false), (.nonConsumable, true), (.nonRenewable, false), (.autoRenewable, true),
        ])
    func `M38, M39, M43: four types, two of which come back`(_ type: ProductType, _ restores: Bool) {
        #expect(RestoreRules.restores(type, original()) == restores)
        #expect(!RestoreRules.restores(type, original(revoked: true)))
    }

    @Test(arguments: TransactionState.allCases) func `R1: only what was purchased`(_ state: TransactionState) {
        #expect(RestoreRules.restores(.nonConsumable, original(state)) == (state == .purchased))
    }

    @Test func `M26, M40, M41: restored is a new transaction that carries the original`() {
        let value = RestoreRules.restored(
            original(), id: "t_new", transactionIdentifier: "2000000000000009", at: Timestamp(milliseconds: 50),
            expiresDate: nil, deviceId: "pad")
        #expect(value.transactionState == .restored)
        #expect(value.revision == 1)
        #expect(value.transactionIdentifier == "2000000000000009")
        #expect(value.transactionDate == Timestamp(milliseconds: 50))
        #expect(value.original?.transaction.transactionIdentifier == "2000000000000001")
        #expect(value.original?.transaction.transactionDate == Timestamp(milliseconds: 5))
        #expect(value.originalTransactionIdentifier == "2000000000000001")
        #expect(value.payment == original().payment)
        #expect(value.originDeviceId == "pad")
        #expect(value.price == nil)
        #expect(value.error == nil)
    }

    @Test func `M25, M47: it comes with a download of its own`() {
        let value = RestoreRules.restored(
            original(), id: "t_new", transactionIdentifier: "2", at: Timestamp(milliseconds: 50), expiresDate: nil,
            deviceId: "pad")
        let download = value.downloads.first
        #expect(value.downloads.count == 1)
        #expect(download?.id == "d_new")
        #expect(download?.transactionId == "t_new")
        #expect(download?.state == .waiting)
        #expect(download?.contentIdentifier == "guide")
        #expect(download?.contentVersion == "1.0")
        #expect(download?.contentLength == 73_412)
    }

    @Test(
        arguments: [
            (TesterSettings(), nil), (TesterSettings(signIn: .ok), nil), (TesterSettings(signIn: .fails), 0),
            (TesterSettings(signIn: .cancelled), 2),
            (TesterSettings(simulatedErrors: .init(restore: "userCancelled")), 2),
            (TesterSettings(simulatedErrors: .init(restore: "cloudServiceRevoked")), 8),
            (TesterSettings(signIn: .cancelled, simulatedErrors: .init(restore: "unknown")), 2),
            (TesterSettings(simulatedErrors: .init(purchase: "unknown")), nil),
            // What only concerns buying does not concern restoring.
            (TesterSettings(canMakePayments: false, askToBuy: true, interruptPurchases: true, sheet: .cancel), nil),
        ] as [(TesterSettings, Int?)])
    func `M42: signing in and the simulated error fail a restore, nothing else does`(
        _ tester: TesterSettings, _ code: Int?
    ) {
        #expect(RestoreRules.failure(tester: tester)?.code == code)
    }
}
