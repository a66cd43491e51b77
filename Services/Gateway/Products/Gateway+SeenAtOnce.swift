import Hummingbird

extension Gateway {
    /// The same route, after which products and promotions are asked for anew when an operator may have changed something: the next
    /// request through this gateway sees it, those through others within a second.
    func seenAtOnce(_ route: Route) -> Route {
        guard route.access == .admin, route.method != .get, case .handled(let handler) = route.action else {
            return route
        }
        return Route(route.method, route.path, route.access, query: route.query) { [products, promoted] call in
            // However it ended: an outcome may be unknown.
            defer {
                products.forgetAll()
                promoted.forgetAll()
            }
            return try await handler(call)
        }
    }
}
