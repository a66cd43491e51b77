import StoreModels

/// Isolated stores on one installation, each with its own clock, catalogue and customers.
package enum IsolatedStoreRoutes {
    /// What the path of a request to an isolated store begins with, before the store's name.
    package static let pathPrefix = "/s/"
    /// The header that names an isolated store, where the path does not.
    package static let header = "X-Storebus-Store"

    /// Makes a store with a copy of an app.
    package static let create = HTTPEndpoint<NewIsolatedStore, IsolatedStoreResponse>(
        .post, "/admin/v1/stores", .admin)
    /// Lists the stores, oldest first.
    package static let list = HTTPEndpoint<Empty, IsolatedStoresResponse>(
        .get, "/admin/v1/stores", .admin, query: .page)
    /// Closes a store at once and removes what it has.
    package static let delete = HTTPEndpoint<Empty, NoContent>(.delete, "/admin/v1/stores/{store}", .admin)

    static let all: [HTTPRoute] = [create.route, list.route, delete.route]
}
