import StoreModels
import Testing

@Suite struct TransactionTests {
    private let purchasing = PaymentTransaction(
        id: "t_1", transactionState: .purchasing, payment: Payment(requestIdentifier: "k", productIdentifier: "p"),
        revision: 1, originDeviceId: "alice-1")

    @Test func `members that are null are present, members that may be absent are not`() throws {
        let text = String(decoding: try StoreJSON.encode(purchasing), as: UTF8.self)
        #expect(
            text
                == #"{"deliveries":0,"downloads":[],"error":null,"id":"t_1","originDeviceId":"alice-1","#
                + #""original":null,"originalTransactionIdentifier":null,"payment":{"productIdentifier":"p","#
                + #""quantity":1,"requestIdentifier":"k","simulatesAskToBuyInSandbox":false},"revision":1,"#
                + #""transactionDate":null,"transactionIdentifier":null,"transactionState":"purchasing"}"#)
        #expect(try StoreJSON.decode(PaymentTransaction.self, from: Array(text.utf8)) == purchasing)
    }

    @Test func `an original is a whole transaction and never nested twice`() throws {
        var first = purchasing
        first.original = OriginalTransaction(purchasing)
        var restored = first
        restored.original = OriginalTransaction(first)
        #expect(restored.original?.transaction.original == nil)
        let decoded = try StoreJSON.decode(PaymentTransaction.self, from: StoreJSON.encode(restored))
        #expect(decoded == restored)
        #expect(decoded.original?.transaction.id == "t_1")
    }

    @Test(arguments: TransactionState.allCases)
    func `M27: a state keeps its StoreKit name and only the five exist`(state: TransactionState) throws {
        #expect(try StoreJSON.decode(TransactionState.self, from: StoreJSON.encode(state)) == state)
        #expect(throws: StoreError.self) {
            try StoreJSON.decode(TransactionState.self, from: Array(#""refunded""#.utf8))
        }
    }

    @Test func `M53: failed, purchased and restored can be finished, the others not`() {
        #expect(TransactionState.allCases.filter(\.isFinishable) == [.purchased, .failed, .restored])
    }

    @Test func `a terminal state has no way out`() {
        for state in TransactionState.allCases where state.isTerminal {
            #expect(TransactionState.allCases.allSatisfy { !state.canBecome($0) })
        }
    }

    @Test func `purchased and deferred go to all devices, the rest to the device that caused it`() {
        for state in TransactionState.allCases {
            var transaction = purchasing
            transaction.transactionState = state
            #expect(transaction.isVisible(to: "alice-1"))
            #expect(transaction.isVisible(to: "alice-2") == (state == .purchased || state == .deferred))
        }
    }

    @Test func `StoreKit's error numbers are StoreKit's`() {
        #expect(SKErrorCode.paymentCancelled.rawValue == 2)
        #expect(SKErrorCode.storeProductNotAvailable.rawValue == 5)
        #expect(SKErrorCode.ineligibleForOffer.rawValue == 18)
        #expect(SKErrorCode.overlayPresentedInBackgroundScene.rawValue == 20)
        #expect(TransactionError(.paymentInvalid, "").name == "paymentInvalid")
    }

    @Test func `every error code has a status of its own class and a remedy`() {
        for code in StoreErrorCode.all {
            #expect((400...504).contains(code.status), "\(code)")
            #expect(code.remedy.hasSuffix("."), "\(code)")
        }
        #expect(StoreErrorCode("somethingNewer").status == 500)
    }
}
