import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Lists one product's prices by storefront, without a session in each. Without `storefronts` in the query it lists
    /// all of them.
    func prices(_ call: Call) async throws -> ProductPrices {
        let product = try call.parameter(.id)
        let bundleId = try await existingApp(call)
        var answer = ProductPrices(productIdentifier: product, prices: [])
        for storefront in try await storefrontCodes(call) {
            let request = ProductsRequest(
                bundleId: bundleId, productIdentifiers: [product], storefront: storefront)
            let reply = try await services.call(CatalogEndpoints.queryProducts, request, for: call)
            if let found = reply.products.first {
                answer.prices.append(ProductPrices.Price(found, in: storefront))
                continue
            }
            let explanation = try await services.call(
                CatalogEndpoints.explainProduct,
                ExplainProductRequest(bundleId: bundleId, productIdentifier: product, storefront: storefront),
                for: call)
            answer.prices.append(ProductPrices.Price(explanation))
        }
        return answer
    }

    /// Requested storefronts without duplicates, in request order.
    private func storefrontCodes(_ call: Call) async throws -> [String] {
        let named = call.query.list("storefronts")
        guard named.count <= HTTPLimits.identifiersMax else {
            throw StoreError.invalid("query storefronts", "has more than \(HTTPLimits.identifiersMax) codes")
        }
        guard !named.isEmpty else {
            let all = try await services.call(CatalogEndpoints.listStorefronts, Empty(), for: call)
            return all.storefronts.map(\.countryCode)
        }
        var codes: [String] = []
        for name in named where !codes.contains(name) {
            codes.append(try await storefronts.find(name, at: "query storefronts", call.context()).countryCode)
        }
        return codes
    }
}

extension ProductPrices.Price {
    init(_ product: Product, in storefront: String) {
        self.init(
            storefront: storefront, available: true, price: product.price, priceLocale: product.priceLocale,
            introductoryPrice: product.introductoryPrice, subscriptionPeriod: product.subscriptionPeriod)
    }

    init(_ explanation: ProductExplanation) {
        self.init(
            storefront: explanation.storefront, available: false, reasons: explanation.reasons.map(\.rawValue))
    }
}
