import StoreModels

/// Isolated stores on one installation, each with its own clock, catalogue and customers.
package enum IsolatedStoreRoutes {
    /// The prefix of a path to an isolated store, before the store's name.
    package static let pathPrefix = "/s/"
    /// The header that names an isolated store, where the path does not.
    package static let header = "X-Storebus-Store"

    /// Makes a store with a copy of an app.
    ///
    /// The store has a copy of the app's catalogue and settings, a clock that moves by call only, and no customers.
    /// Requests reach it by the path prefix `/s/{store}`, the header `X-Storebus-Store`, or credentials made in it.
    /// Every path then means the store's app. Stores of equal seeds show equal identifiers.
    package static let create = HTTPEndpoint<NewIsolatedStore, IsolatedStoreResponse>(
        "createStore", .post, "/admin/v1/stores", .admin,
        responses: [.created()], errors: [.notFound])
    /// Lists the stores, oldest first.
    ///
    /// A store that is being removed is listed until its last data is gone.
    package static let list = HTTPEndpoint<Empty, IsolatedStoresResponse>(
        "listStores", .get, "/admin/v1/stores", .admin,
        parameters: .adminPage, needs: .storage)
    /// Closes a store at once and removes its data.
    ///
    /// Its keys and sessions open nothing from then on. The services remove the rest afterwards.
    package static let delete = HTTPEndpoint<Empty, NoContent>(
        "deleteStore", .delete, "/admin/v1/stores/{store}", .admin,
        needs: .storage)

    static let all: [any HTTPOperation] = [create, list, delete]
}
