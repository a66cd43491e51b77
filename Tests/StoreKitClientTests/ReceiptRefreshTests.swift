import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: a refresh leaves the whole receipt in its file, or the old one and an error.
@Suite struct ReceiptRefreshTests {
    private final class Listener: NSObject, SKRequestDelegate, Sendable {
        private let ends = LockedValue<[(any Error)?]>([])
        var count: Int { ends.withLock { $0.count } }
        var last: (any Error)? { ends.withLock { $0.last ?? nil } }
        func requestDidFinish(_ request: SKRequest) { ends.withLock { $0.append(nil) } }
        func request(_ request: SKRequest, didFailWithError error: any Error) { ends.withLock { $0.append(error) } }
    }

    private let line = "GET /v1/receipt"
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("storebus-receipt-\(UUID().uuidString)")

    private func refresh(_ queue: SKPaymentQueue, _ listener: Listener) async throws {
        let before = listener.count
        let request = SKReceiptRefreshRequest(queue: queue)
        request.delegate = listener
        request.start()
        try await eventually("the request has ended") { listener.count == before + 1 }
        withExtendedLifetime(request) {}
    }

    @Test func `M139: a refresh puts the receipt into the file, and the next one replaces it`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let gateway = try FakeGateway()
        let queue = gateway.queue { connection, _ in connection.contentDirectory = folder }
        #expect(!FileManager.default.fileExists(atPath: queue.appStoreReceiptURL.path))
        let listener = Listener()
        for text in ["first", "second"] {
            gateway.on(line) { _ in .json(["receiptData": Data(text.utf8).base64EncodedString()]) }
            try await refresh(queue, listener)
            #expect(listener.last == nil)
            #expect(try Data(contentsOf: queue.appStoreReceiptURL) == Data(text.utf8))
        }
        #expect(gateway.requests(line).count == 2)
    }

    @Test func `a refused, unreadable or unreachable receipt is an error, and the old one stays`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let gateway = try FakeGateway()
        let queue = gateway.queue { connection, _ in connection.contentDirectory = folder }
        let listener = Listener()
        gateway.on(line) { _ in .json(["receiptData": Data("old".utf8).base64EncodedString()]) }
        try await refresh(queue, listener)
        for answer in [FakeAnswer.problem(.serviceUnavailable), .json(["receiptData": "no base64!"]), .json([1])] {
            gateway.on(line) { _ in answer }
            try await refresh(queue, listener)
            #expect((listener.last as? SKError)?.code == .unknown)
        }
        gateway.stop()
        try await refresh(queue, listener)
        #expect(listener.last is URLError)
        #expect(try Data(contentsOf: queue.appStoreReceiptURL) == Data("old".utf8))
    }

    @Test func `the error a tester is set to meet is the request's own`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let gateway = try FakeGateway()
        let queue = gateway.queue { connection, _ in connection.contentDirectory = folder }
        let listener = Listener()
        gateway.on(line) { _ in
            .json(
                [
                    "code": "serviceUnavailable", "detail": "as set", "retryable": .bool(false),
                    "error": .object([
                        "domain": "SKErrorDomain", "code": .integer(8), "name": "cloudServiceRevoked",
                        "localizedDescription": "as set",
                    ]),
                ] as [String: JSONValue], status: 503)
        }
        try await refresh(queue, listener)
        #expect((listener.last as? SKError)?.code == .cloudServiceRevoked)
        #expect(listener.last?.localizedDescription == "as set")
        #expect(gateway.requests(line).count == 1)
    }

    @Test func `StoreKit's properties are kept, and none are nil`() throws {
        let queue = try FakeGateway().queue()
        let request = SKReceiptRefreshRequest(
            receiptProperties: [SKReceiptPropertyIsExpired: true, SKReceiptPropertyIsRevoked: NSNumber(value: false)],
            queue: queue)
        #expect(request.receiptProperties?[SKReceiptPropertyIsExpired] as? Bool == true)
        #expect(request.receiptProperties?[SKReceiptPropertyIsRevoked] as? Bool == false)
        #expect(SKReceiptRefreshRequest(queue: queue).receiptProperties == nil)
    }
}
