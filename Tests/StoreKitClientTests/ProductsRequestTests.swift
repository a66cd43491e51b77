import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

@Suite struct ProductsRequestTests {
    /// Records the calls of a request's delegate.
    private final class Listener: NSObject, SKProductsRequestDelegate, Sendable {
        private let log = LockedValue<[String]>([])
        private let last = LockedValue<(response: SKProductsResponse?, error: (any Error)?)>((nil, nil))

        var calls: [String] { log.withLock { $0 } }
        var response: SKProductsResponse? { last.withLock { $0.response } }
        var error: (any Error)? { last.withLock { $0.error } }

        func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
            last.withLock { $0.response = response }
            log.withLock { $0.append("received") }
        }
        func requestDidFinish(_ request: SKRequest) { log.withLock { $0.append("finished") } }
        func request(_ request: SKRequest, didFailWithError error: any Error) {
            last.withLock { $0.error = error }
            log.withLock { $0.append("failed") }
        }
    }

    private struct Reply: Encodable {
        var products: [StoreModels.Product] = []
        var invalidProductIdentifiers: [String] = []
        var degraded: [String] = []
    }

    private let line = "POST /v1/products/query"

    /// A request that has begun.
    private func started(_ identifier: String = "a", on queue: SKPaymentQueue, _ listener: Listener)
        -> SKProductsRequest
    {
        let request = SKProductsRequest(productIdentifiers: [identifier], queue: queue)
        request.delegate = listener
        request.start()
        return request
    }

    /// Waits for the end of a request that nothing but itself keeps.
    private func outcome(on queue: SKPaymentQueue) async throws -> Listener {
        let listener = Listener()
        _ = started(on: queue, listener)
        try await eventually("the request has ended") { !listener.calls.filter { $0 != "received" }.isEmpty }
        return listener
    }

    @Test func `M2, M7, M9: what the store knows is received once, then the request is finished`() async throws {
        let gateway = try FakeGateway()
        let known = try StoreModels.Product.sample("a")
        gateway.on(line) { _ in .json(Reply(products: [known], invalidProductIdentifiers: ["b"])) }
        let listener = Listener()
        let request = SKProductsRequest(productIdentifiers: ["b", "a"], queue: gateway.queue())
        request.delegate = listener
        request.start()
        request.start()
        try await eventually("the request has ended") { !listener.calls.filter { $0 != "received" }.isEmpty }
        #expect(listener.calls == ["received", "finished"])
        #expect(listener.response?.products.map(\.productIdentifier) == ["a"])
        #expect(listener.response?.invalidProductIdentifiers == ["b"])
        #expect(gateway.requests(line).map { $0.json["productIdentifiers"] } == [.array(["a", "b"])])
    }

    @Test func `M9: a store that cannot be reached is a URLError, and nothing is received`() async throws {
        let gateway = try FakeGateway()
        let queue = gateway.queue()
        gateway.stop()
        let listener = try await outcome(on: queue)
        #expect(listener.calls == ["failed"])
        #expect(listener.error is URLError)
    }

    @Test func `M9: a refusal is an SKError with the store's problem beneath`() async throws {
        let gateway = try FakeGateway()
        gateway.on(line) { _ in .problem(.serviceUnavailable, "catalog is away") }
        let listener = try await outcome(on: gateway.queue())
        let error = try #require(listener.error as? SKError)
        #expect(error.code == .unknown)
        #expect(error.localizedDescription == "catalog is away")
        let problem = try #require(error.underlying as? StoreProblem)
        #expect(problem.code == "serviceUnavailable" && problem.isRetryable && problem.traceId != nil)
    }

    @Test func `M8: an unretained request lives until it is answered, and no longer`() async throws {
        let gateway = try FakeGateway()
        let released = LockedValue(false)
        gateway.on(line) { _ in
            while !released.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.001) }
            return .json(Reply())
        }
        let queue = gateway.queue()
        let listener = Listener()
        weak var dropped: SKProductsRequest?
        do {
            let request = started(on: queue, listener)
            dropped = request
            try await eventually("the store has been asked") { gateway.requests(line).count == 1 }
        }
        #expect(dropped != nil)
        released.withLock { $0 = true }
        try await eventually("it is answered") { listener.calls == ["received", "finished"] }
        try await eventually("it is gone") { dropped == nil }
    }

    @Test func `M8: a cancelled, unretained request is gone, without a word`() async throws {
        let gateway = try FakeGateway()
        gateway.on(line) { _ in .silence }
        let queue = gateway.queue()
        let listener = Listener()
        weak var dropped: SKProductsRequest?
        do {
            let request = started(on: queue, listener)
            dropped = request
            try await eventually("the store has been asked") { gateway.requests(line).count == 1 }
            request.cancel()
        }
        try await eventually("it is gone") { dropped == nil }
        #expect(listener.calls.isEmpty)
    }

    @Test func `a delegate set through SKRequest gets the end`() async throws {
        final class Plain: NSObject, SKRequestDelegate, Sendable {
            let ends = LockedValue(0)
            func requestDidFinish(_ request: SKRequest) { ends.withLock { $0 += 1 } }
        }
        let gateway = try FakeGateway()
        gateway.on(line) { _ in .json(Reply()) }
        let plain = Plain()
        let request: SKRequest = SKProductsRequest(productIdentifiers: ["a"], queue: gateway.queue())
        request.delegate = plain
        #expect(request.delegate === plain)
        request.start()
        try await eventually("it has ended") { plain.ends.withLock { $0 } == 1 }
    }

    @Test func `a cancelled request says nothing`() async throws {
        let gateway = try FakeGateway()
        gateway.on(line) { _ in .silence }
        let queue = gateway.queue()
        let listener = Listener()
        let request = started(on: queue, listener)
        try await eventually("the store has been asked") { gateway.requests(line).count == 1 }
        request.cancel()
        request.start()
        try await answeredRequest(on: gateway, queue)
        #expect(listener.calls.isEmpty)
    }

    @Test func `a session the store no longer takes is replaced, and the question put again`() async throws {
        let gateway = try FakeGateway()
        gateway.on(line) { $0.token == "token-1" ? .problem(.unauthenticated) : .json(Reply()) }
        try await answeredRequest(on: gateway, gateway.queue(), isScripted: true)
        #expect(gateway.requests("POST /v1/sessions").count == 2)
        #expect(gateway.requests(line).map(\.token) == ["token-1", "token-2"])
    }

    @Test func `M10, M11, M13: a price is the store's, digit for digit, in the store's locale`() throws {
        let table: [(String, String, String, String)] = [
            ("1.99", "EUR", "fr_FR@currency=EUR", "1,99 €"), ("300", "JPY", "ja_JP@currency=JPY", "¥300"),
            ("6.00", "CNY", "zh_CN@currency=CNY", "¥6.00"),
            ("12345678901234.56", "USD", "en_US@currency=USD", "$12,345,678,901,234.56"),
        ]
        for (amount, currency, locale, text) in table {
            let product = SKProduct(
                try StoreModels.Product.sample("p", amount: amount, currency: currency, locale: locale))
            #expect(product.price == NSDecimalNumber(string: amount))
            #expect(product.priceLocale.identifier == locale)
            let written = product.regularPrice?.replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ")
            #expect(written == text.replacing("¥", with: written?.contains("￥") == true ? "￥" : "¥"))
        }
    }

    /// A request that is answered.
    private func answeredRequest(
        on gateway: FakeGateway, _ queue: SKPaymentQueue, isScripted: Bool = false
    ) async throws {
        if !isScripted { gateway.on(line) { _ in .json(Reply()) } }
        let listener = Listener()
        _ = started("z", on: queue, listener)
        try await eventually("a request is answered") { listener.calls == ["received", "finished"] }
    }
}
