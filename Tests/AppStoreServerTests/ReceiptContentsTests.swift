import Foundation
import Signing
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import AppStoreServer

/// Goal: a receipt is bounded, and keeps what decides about offers.
@Suite struct ReceiptContentsTests {
    @Test func `a customer of many years keeps what decides about offers (M120)`() {
        let first = Timestamp(milliseconds: 1_600_000_000_000)
        let items = (0..<2_000).map { number in
            with(
                ReceiptItem(
                    transactionIdentifier: "\(number)", originalTransactionIdentifier: "0", productIdentifier: "p",
                    type: .autoRenewable, quantity: 1, purchaseDate: first + .seconds(number),
                    originalPurchaseDate: first)
            ) {
                $0.isTrialPeriod = number == 0
                $0.isInIntroOfferPeriod = number == 7
            }
        }
        let selected = ReceiptContents.selected(items, max: ReceiptContents.itemsMax)
        #expect(selected.count == ReceiptContents.itemsMax)
        #expect(selected.prefix(2).map(\.transactionIdentifier) == ["0", "7"])
        #expect(selected.dropFirst(2).map(\.transactionIdentifier) == (502..<2_000).map(String.init))
        #expect(ReceiptContents.selected(Array(items.prefix(5)), max: 5) == Array(items.prefix(5)))
        #expect(ReceiptContents.selected(items, max: 1).map(\.transactionIdentifier) == ["7"])
        // Page by page, as a history is read.
        let paged = stride(from: 0, to: items.count, by: 300).reduce([]) { kept, start in
            ReceiptContents.selected(kept + items[start..<min(start + 300, items.count)], max: ReceiptContents.itemsMax)
        }
        #expect(paged == selected)
    }

    @Test func `the greatest receipt fits in a request`() async throws {
        try await TestAppStoreServer.with { appStore in
            let instant = Timestamp(milliseconds: 1_795_600_000_000)
            let items = (0..<ReceiptContents.itemsMax).map { number in
                with(
                    ReceiptItem(
                        transactionIdentifier: "\(2_000_000_000_000_000 + number)",
                        originalTransactionIdentifier: "2000000000000000",
                        productIdentifier: String(repeating: "p", count: 100), type: .autoRenewable, quantity: 10,
                        purchaseDate: instant, originalPurchaseDate: instant, expiresDate: instant)
                ) {
                    $0.webOrderLineItemIdentifier = "\(Int64.max)"
                    $0.isTrialPeriod = true
                    $0.isInIntroOfferPeriod = true
                    $0.cancellationDate = instant
                }
            }
            let data = try await ReceiptMaker(keys: appStore.service.apple.signing, environment: .sandbox).receiptData(
                of: CustomerReference(bundleId: TestAppStoreServer.bundleId, customerIdentifier: "c"),
                ReceiptContents(items: items, subscriptions: [], firstSeen: instant, now: instant),
                applicationVersion: "1.0")
            guard case .whole(let bytesMax) = ReceiptRoutes.verify.route.body else {
                Issue.record("the route's body has no bound")
                return
            }
            // Beside the receipt a request has a password and little else.
            #expect(data.utf8.count < bytesMax - 4096)
        }
    }
    @Test func `California's time is that of the zones of the world, to the second it changes`() throws {
        let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
        var random = SplitMix64.seeded()
        var instants = (0..<2_000).map { _ in Int64.random(in: 1_199_145_600...4_102_444_800, using: &random) }
        // Each change of the clock, and the second before it.
        var change = Date(timeIntervalSince1970: 1_199_145_600)
        while let next = zone.nextDaylightSavingTimeTransition(after: change), instants.count < 2_180 {
            instants += [Int64(next.timeIntervalSince1970) - 1, Int64(next.timeIntervalSince1970)]
            change = next
        }
        #expect(instants.count == 2_180)
        for seconds in instants {
            let instant = Timestamp(milliseconds: seconds * 1_000)
            #expect(CaliforniaTime.secondsFromGMT(at: instant) == zone.secondsFromGMT(for: instant.date), "\(instant)")
        }
    }
}
