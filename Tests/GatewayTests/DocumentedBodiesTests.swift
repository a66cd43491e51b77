import Signing
import StoreHTTP
import StoreModels
import Testing

@testable import AppAPI
@testable import AppStoreServer

/// Bodies that the services make without a type of the contract have the members of `openapi.json`.
@Suite struct DocumentedBodiesTests {
    private let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument() }

    private func members(_ schema: String) throws -> Set<String> {
        names(try #require(document.schema(schema))["properties"])
    }

    private func names(_ value: JSONValue?) -> Set<String> { Set((value?.objectValue ?? [:]).keys) }

    @Test func `the stream's events are those the gateway writes`() throws {
        let usa = Storefront(countryCode: "USA", identifier: "143441")
        let failure = TransactionError(.paymentCancelled, "cancelled")
        let written = try [
            StreamEventEncoder.bytes(
                .restoreEnded(seq: 1, Restore(restoreIdentifier: "r", state: .finished, restored: 0))),
            StreamEventEncoder.bytes(
                .restoreEnded(
                    seq: 1, Restore(restoreIdentifier: "r", state: .failed, error: failure, restored: 0))),
            StreamEventEncoder.bytes(.downloadsUpdated(seq: 1, [])),
            StreamEventEncoder.bytes(.entitlementsRevoked(seq: 1, Revocation(seq: 1, productIdentifiers: []))),
            StreamEventEncoder.bytes(.updated(seq: 1, [])), StreamEventEncoder.bytes(.removed(seq: 1, [])),
            StreamEventEncoder.bytes(.synchronized(seq: 1)), StreamEventEncoder.bytes(.storefrontChanged(seq: 1, usa)),
            StreamEventEncoder.superseded(seq: 1),
            StreamEventEncoder.bytes(
                .priceConsentPending(
                    seq: 1,
                    PriceConsentQuestion(
                        originalTransactionIdentifier: "1", productIdentifier: "p", price: Sample.pro.price,
                        formerPrice: Sample.pro.price))),
            StreamEventEncoder.bytes(.openApp(seq: 1, intentIdentifier: "i")),
            StreamEventEncoder.bytes(.promotedPurchase(seq: 1, Sample.intent("i"))),
            StreamEventEncoder.bytes(
                SignedEvent.transaction(
                    SignedTransactionEvent(
                        seq: 1, id: "t", cause: .purchase, requestIdentifier: "k", originDeviceId: "d",
                        signedTransaction: "j"))),
            StreamEventEncoder.bytes(
                SignedEvent.status(
                    SubscriptionStatusEvent(
                        seq: 1, groupID: "g",
                        status: .init(state: 1, signedTransaction: "j", signedRenewalInfo: "r")))),
        ].map { bytes in
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
            return ("\(lines[0][1])", names(try StrictJSON.parse(Array(lines[2][1].utf8))))
        }
        let response = document.operations["GET /v1/transactions/stream"]?.value["responses"]?["200"]
        let documented = response?["content"]?["text/event-stream"]?["schema"]?["oneOf"]?.arrayValue ?? []
        let events = Dictionary(
            uniqueKeysWithValues: documented.map { event in
                (event["properties"]?["event"]?["const"]?.stringValue ?? "", event["properties"]?["data"])
            })
        #expect(Set(events.keys) == Set(written.map(\.0)))
        for (name, names) in written {
            let data = try #require(events[name]??["contentSchema"], "\(name)")
            let parts = ([data] + (data["allOf"]?.arrayValue ?? [])).compactMap(document.resolved)
            #expect(Set(parts.flatMap { self.names($0["properties"]) }).isSuperset(of: names), "\(name)")
            let required = parts.flatMap { $0["required"]?.arrayValue ?? [] }.compactMap(\.stringValue)
            #expect(!required.isEmpty && names.isSuperset(of: required), "\(name)")
        }
    }

    @Test func `a refused receipt has one of the documented reasons`() {
        #expect(ErrorResponse.receiptInvalid.members["reason"] == ReceiptError.allCases.map(\.rawValue))
    }

    @Test func `every member of a verified receipt is documented`() throws {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        var item = with(
            ReceiptItem(
                transactionIdentifier: "2", originalTransactionIdentifier: "1", productIdentifier: "p",
                type: .autoRenewable, quantity: 1, purchaseDate: now, originalPurchaseDate: now, expiresDate: now,
                subscriptionGroupIdentifier: "g")
        ) {
            $0.webOrderLineItemIdentifier = "3"
            $0.isTrialPeriod = true
            $0.isInIntroOfferPeriod = true
            $0.isUpgraded = true
            $0.cancellationDate = now
            $0.cancellationReason = .appIssue
            $0.offer = AppliedOffer(type: .subscription, paymentMode: .payUpFront, identifier: "o")
            $0.appAccountToken = "a"
        }
        var purchase = names(PurchaseFields.latest(item))
        item.offer?.type = .code
        purchase.formUnion(names(PurchaseFields.latest(item)))
        #expect(try members("ReceiptPurchase") == purchase)
        var subscription = Sample.subscription
        subscription.state = .inGracePeriod
        subscription.gracePeriodExpiresDate = now
        subscription.expirationReason = .billingError
        let price = Sample.pro.price
        subscription.priceIncrease = PriceIncrease(status: .pending, price: price, formerPrice: price)
        var renewal: Set<String> = []
        for type in [AppliedOffer.Kind.subscription, .code] {
            subscription.offer = AppliedOffer(type: type, paymentMode: .freeTrial, identifier: "o")
            renewal.formUnion(names(RenewalFields.json(subscription)))
        }
        #expect(try members("ReceiptRenewal") == renewal)
    }

    @Test func `verifyReceipt's statuses are those it answers with`() throws {
        let documented = document.schema("VerifyReceiptResponse")?["properties"]?["status"]?["enum"]?.arrayValue ?? []
        let answered = [0] + VerifyReceiptStatus.allCases.map(\.rawValue)
        #expect(documented.compactMap(\.intValue) == answered)
    }
}
