import Foundation
internal import StoreHTTP
internal import StoreModels

/// Requests the deferred purchases: `GET /v1/intents?state=deferred` → `{"intents":[…]}`.
///
/// The store keeps at most 50, which is less than a page.
struct DeferredPaymentsQuery: Sendable {
    private struct Reply: JSONForm, Decodable {
        typealias Body = IntentsPage

        let intents: [Readable<StorePurchaseIntent>]
    }

    let gateway: GatewayClient

    func run() async throws -> [DeferredStorePayment] {
        do {
            let response = try await gateway.send(
                HTTPCall(IntentRoutes.list, query: ["state": StorePurchaseIntent.State.deferred.rawValue]))
            guard response.isSuccess else { throw StoreProblem(status: response.status, body: response.body) }
            let intents = try response.body(of: IntentRoutes.list, as: Reply.self).intents
            return intents.compactMap(\.value).map { DeferredStorePayment($0) }
        } catch let error as URLError {
            throw error
        } catch {
            throw SKError(cause: error)
        }
    }
}
