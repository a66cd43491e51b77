import Foundation
internal import StoreHTTP
internal import StoreModels

/// Requests products: `POST /v1/products/query {"productIdentifiers":["a","b"]}`.
struct ProductsFetch: Sendable {
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

    private func ask() async throws -> SKProductsResponse {
        let response = try await gateway.send(
            HTTPCall(ProductRoutes.query, body: StoreHTTP.ProductsQuery(productIdentifiers: identifiers.sorted())))
        guard response.isSuccess else { throw StoreProblem(status: response.status, body: response.body) }
        let reply = try response.body(of: ProductRoutes.query)
        return SKProductsResponse(
            products: reply.products.map(SKProduct.init), invalidProductIdentifiers: reply.invalidProductIdentifiers)
    }
}
