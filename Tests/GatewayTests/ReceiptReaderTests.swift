import BusService
import EventLoop
import NIOHTTP1
import Signing
import StoreModels
import Testing

@testable import AppStoreServer

@Suite struct ReceiptReaderTests {
    private func error(_ body: () async throws -> ReceiptHistory) async -> ReceiptError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? ReceiptError
        }
    }

    private func receipt(_ store: GatewayHarness) async throws -> String {
        store.payments.buySamples()
        let answer = try await store.send(.GET, "/v1/receipt", token: try await store.session())
        return try #require(answer.json["receiptData"]?.stringValue)
    }

    @Test func `a receipt tells its subscriptions, oldest first, and the clock of the app (M120)`() async throws {
        try await GatewayHarness.run { store in
            let data = try await receipt(store)
            let history = try await store.apple.receiptReader.history(
                of: data, bundleId: Sample.bundleId, context: CallContext())
            #expect(history.items.map(\.transactionIdentifier) == ["2000000000000001", "2000000000000003"])
            #expect(history.items.map(\.isTrialPeriod) == [true, false])
            let sold = store.payments.contents.withLock { $0.receiptItems }.filter { $0.type == .autoRenewable }
            #expect(history.items.map(\.subscriptionGroupIdentifier) == sold.map(\.subscriptionGroupIdentifier))
            #expect(history.items[1].cancellationDate != nil, "refunded ones stand in it (M128)")
            #expect(history.now == store.payments.contents.withLock { $0.businessNow })
        }
    }

    @Test func `what a member of the family has bought decides about no offer`() async throws {
        try await GatewayHarness.run { store in
            store.payments.buySamples()
            store.payments.contents.withLock { $0.receiptItems[0].isFamilyShared = true }
            let answer = try await store.send(.GET, "/v1/receipt", token: try await store.session())
            let data = try #require(answer.json["receiptData"]?.stringValue)
            let history = try await store.apple.receiptReader.history(
                of: data, bundleId: Sample.bundleId, context: CallContext())
            #expect(history.items.map(\.transactionIdentifier) == ["2000000000000003"])
        }
    }

    @Test func `what is not ours is refused, with the reason`() async throws {
        try await GatewayHarness.run { store in
            let data = try await receipt(store)
            let reader = store.apple.receiptReader
            #expect(
                await error {
                    try await reader.history(of: data, bundleId: "com.example.two", context: CallContext())
                } == .bundleId)
            #expect(
                await error {
                    try await reader.history(of: "MIIT", bundleId: Sample.bundleId, context: CallContext())
                } == .malformed)
            let production = ReceiptReader(keys: reader.keys, services: reader.services, environment: .production)
            #expect(
                await error {
                    try await production.history(of: data, bundleId: Sample.bundleId, context: CallContext())
                } == .environment)
            let forged = try ReceiptSigner(CertificateAuthority()).sign(
                ReceiptDocument(
                    environment: .sandbox, bundleId: Sample.bundleId, applicationVersion: "1.0",
                    customerIdentifier: FakePaymentQueue.customer, creationDate: .wallClock(),
                    originalApplicationVersion: "1.0", purchases: []))
            #expect(
                await error {
                    try await reader.history(
                        of: forged.base64, bundleId: Sample.bundleId, context: CallContext())
                } == .signature)
        }
    }

    @Test(arguments: ReceiptError.allCases)
    func `each reason is a problem of its own`(reason: ReceiptError) {
        #expect(reason.problem.code == .receiptInvalid)
        #expect(reason.problem.status == 422)
        #expect(reason.problem.details["reason"] == .string(reason.rawValue))
    }
}
