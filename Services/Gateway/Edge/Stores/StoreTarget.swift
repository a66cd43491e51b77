import HTTPTypes
import StoreHTTP
import StoreModels

/// The store that a request names, and its path without the name.
struct StoreTarget {
    var path: String
    /// The store's name as the client spelt it. Nil for the installation.
    var store: String?

    /// - Throws: `requestInvalid` for a path and a header that name two.
    init(path: String, headers: HTTPFields) throws(StoreError) {
        self.path = path
        let prefix = IsolatedStoreRoutes.pathPrefix
        if path.utf8.starts(with: prefix.utf8) {
            let rest = path.utf8.dropFirst(prefix.utf8.count)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            store = String(Substring(rest[..<end]))
            self.path = end == rest.endIndex ? "/" : String(Substring(rest[end...]))
        }
        guard let named = headers[.store] else { return }
        guard store?.isExactly(named) != false else {
            throw .invalid(IsolatedStoreRoutes.header, "names another store than the path")
        }
        store = named
    }
}

extension HTTPField.Name {
    fileprivate static let store = HTTPField.Name(IsolatedStoreRoutes.header)!
}

extension Principal {
    /// The caller as it is in a store: a key of the app that the store was copied from works in the store.
    /// - Throws: `notFound` when the credentials belong to another store or app.
    func inside(_ app: IsolatedApp) throws(StoreError) -> Principal {
        switch self {
        case .anonymous, .admin: return self
        case .storeAdmin(let key):
            guard app.store.isExactly(key.store) else { throw IsolatedStores.unknown(key.store) }
            return .admin
        case .session(let session):
            guard session.bundleId.isExactly(app.bundleId) else {
                throw StoreError(
                    .notFound, "the session is not one of the isolated store '\(app.store)'; open one in the store")
            }
            return self
        case .server(var key):
            guard key.bundleId.isExactly(app.bundleId) || key.bundleId.isExactly(app.shownBundleId) else {
                throw StoreError(
                    .notFound, "the isolated store '\(app.store)' is one of \(app.shownBundleId), not of the key's app")
            }
            key.bundleId = app.bundleId
            return .server(key)
        }
    }

    /// The name of the isolated store that the credentials are for. Nil for none or any.
    var store: String? {
        switch self {
        case .anonymous, .admin: nil
        case .storeAdmin(let key): key.store
        case .session(let session): IsolatedApp(session.bundleId)?.store
        case .server(let key): IsolatedApp(key.bundleId)?.store
        }
    }
}

extension Call {
    /// Returns the app that a client names, as services know it: in a store, the store's.
    /// - Throws: `notFound` when the store is another app's.
    package func app(_ bundleId: String) throws(StoreError) -> String {
        guard let store else { return bundleId }
        guard store.shownBundleId.isExactly(bundleId) else {
            throw StoreError(
                .notFound,
                "the isolated store '\(store.store)' is one of \(store.shownBundleId), not of \(bundleId); make one "
                    + "of that app with POST /admin/v1/stores")
        }
        return store.bundleId
    }
}
