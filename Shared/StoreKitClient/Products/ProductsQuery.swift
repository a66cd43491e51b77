import Foundation
internal import StoreModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asks for products: `POST /v1/products/query {"productIdentifiers":["a","b"]}`.
struct ProductsQuery: Sendable {
    private struct Reply: Decodable {
        let products: [Product]
        let invalidProductIdentifiers: [String]
    }

    let gateway: GatewayClient
    let identifiers: Set<String>

    func result() async -> Result<SKProductsResponse, any Error> {
        do {
            return .success(try await ask())
        } catch let error as URLError {
            return .failure(error)
        } catch {
            return .failure(SKError(cause: error))
        }
    }

    /// Asking changes nothing, so a kept connection that the store has closed meanwhile costs one more attempt.
    private func ask() async throws -> SKProductsResponse {
        let call = HTTPCall.post("/v1/products/query", ["productIdentifiers": identifiers.sorted()])
        var answer: HTTPAnswer
        do {
            answer = try await gateway.send(call)
        } catch let error as URLError where error.code == .networkConnectionLost {
            answer = try await gateway.send(call)
        }
        guard answer.isSuccess else { throw StoreProblem(status: answer.status, body: answer.body) }
        let reply = try StoreJSON.decode(Reply.self, from: answer.body)
        return SKProductsResponse(
            products: reply.products.map(SKProduct.init), invalidProductIdentifiers: reply.invalidProductIdentifiers)
    }
}
