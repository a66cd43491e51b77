import StoreHTTP
import StoreModels

/// Operator's requests about isolated stores.
extension StoreAPI {
    /// `POST /admin/v1/stores`; the only response with the private key.
    func createStore(_ store: NewIsolatedStore) async throws(CLIError) -> Received<IsolatedStoreResponse> {
        let endpoint = IsolatedStoreRoutes.create
        return try decode(endpoint, as: Received.self, await exchange(request(endpoint).with(store)))
    }

    /// `GET /admin/v1/stores`, all pages.
    func isolatedStores() async throws(CLIError) -> [IsolatedStore] {
        var stores: [IsolatedStore] = []
        var after: String?
        repeat {
            let page = try await call(IsolatedStoreRoutes.list, query: ["after": after])
            stores += page.stores
            after = page.after
        } while after != nil
        return stores
    }

    /// `DELETE /admin/v1/stores/{store}`
    func deleteStore(_ name: String) async throws(CLIError) {
        try await call(IsolatedStoreRoutes.delete, [.store: name])
    }
}
