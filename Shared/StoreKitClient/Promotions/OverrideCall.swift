import Foundation
internal import StoreHTTP
internal import StoreModels

/// Reads and sets a device's overrides of promoted products (`/v1/promotions`).
///
/// Setting is idempotent and repeated until the store has responded. Reading is tried once, like a products request.
struct OverrideCall: Sendable {
    private struct ProductVisibility: JSONForm, Decodable {
        typealias Body = VisibilityResponse<Product>

        let visibility: StorePromotionVisibility
    }

    private let call: RepeatedCall

    init(_ call: RepeatedCall) { self.call = call }

    func visibility(of product: String) async -> Result<SKProductStorePromotionVisibility, any Error> {
        await result {
            let response = try await ask(HTTPCall(PromotionRoutes.visibility, [.productIdentifier: product]))
            return SKProductStorePromotionVisibility(
                try response.body(of: PromotionRoutes.visibility, as: ProductVisibility.self).visibility)
        }
    }

    func set(
        _ visibility: SKProductStorePromotionVisibility, of product: String
    ) async -> Result<Void, any Error> {
        await result {
            _ = try await call.send(
                HTTPCall(
                    PromotionRoutes.putVisibility, [.productIdentifier: product],
                    body: NewVisibility(visibility: visibility.model)),
                retryTimeout: call.timing.retryTimeout)
        }
    }

    /// Reads the device's order, without products that the catalogue no longer has.
    func order() async -> Result<[SKProduct], any Error> {
        await result {
            let response = try await ask(HTTPCall(PromotionRoutes.order))
            let reply = try response.body(of: PromotionRoutes.order)
            let products = Dictionary(reply.products.map { ($0.productIdentifier, $0) }) { first, _ in first }
            return reply.productIdentifiers.compactMap { products[$0] }.map { SKProduct($0) }
        }
    }

    func set(order: [String]) async -> Result<Void, any Error> {
        await result {
            _ = try await call.send(
                HTTPCall(PromotionRoutes.putOrder, body: NewOrder(productIdentifiers: order)),
                retryTimeout: call.timing.retryTimeout)
        }
    }

    private func ask(_ request: HTTPCall) async throws -> HTTPResponse {
        let response = try await call.gateway.send(request)
        guard response.isSuccess else { throw StoreProblem(status: response.status, body: response.body) }
        return response
    }

    private func result<Value>(_ body: () async throws -> Value) async -> Result<Value, any Error> {
        do {
            return .success(try await body())
        } catch let error as URLError {
            return .failure(error)
        } catch {
            let failure = SKError(cause: error)
            let isUnsupported = (error as? StoreProblem)?.code == "promotionUnsupported"
            return .failure(isUnsupported ? SKError(.unsupportedPlatform, userInfo: failure.userInfo) : failure)
        }
    }
}

/// Runs the app's promotion calls one after the other. Of two updates the second wins, and a fetch sees every update
/// before it.
final class OverrideQueue: Sendable {
    typealias Work = @Sendable () async -> Void

    private let continuation: AsyncStream<Work>.Continuation
    private let worker: Task<Void, Never>

    init() {
        let (works, continuation) = AsyncStream<Work>.makeStream(
            bufferingPolicy: .bufferingOldest(ClientLimits.overridesMax))
        self.continuation = continuation
        // Unstructured, because StoreKit's calls return immediately; `deinit` cancels it.
        worker = Task { for await work in works { await work() } }
    }

    deinit { worker.cancel() }

    /// Enqueues a call.
    /// - Returns: False if too many calls are waiting. The call is then dropped.
    func add(_ work: @escaping Work) -> Bool {
        guard case .enqueued = continuation.yield(work) else { return false }
        return true
    }
}
