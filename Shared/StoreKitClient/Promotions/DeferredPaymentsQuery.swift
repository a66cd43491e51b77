import Foundation
internal import StoreHTTP
internal import StoreModels

/// Requests the deferred purchases: `GET /v1/intents?state=deferred` → `{"intents":[…]}`.
///
/// The store keeps at most 50, which is less than a page.
struct DeferredPaymentsQuery: Sendable {
    private struct Reply: JSONForm, Decodable {
        typealias Body = IntentsPage

        let intents: [Readable<StoreModels.PurchaseIntent>]
    }

    let gateway: GatewayClient

    func run() async throws -> [DeferredStorePayment] {
        do {
            let answer = try await gateway.send(
                HTTPCall(IntentRoutes.list, query: ["state": StoreModels.PurchaseIntent.State.deferred.rawValue]))
            guard answer.isSuccess else { throw StoreProblem(status: answer.status, body: answer.body) }
            let intents = try answer.body(of: IntentRoutes.list, as: Reply.self).intents
            return intents.compactMap(\.value).map { DeferredStorePayment($0) }
        } catch let error as URLError {
            throw error
        } catch {
            throw SKError(cause: error)
        }
    }
}
