import StoreHTTP

/// How a request is admitted, by its method and target: its urgency and how its body arrives. It is cheaper than the
/// route table: only routes that differ from most are looked at, and nothing is allocated.
struct RouteTraits: Sendable {
    struct Traits: Hashable {
        var urgency = Urgency.query
        var body = HTTPRoute.Body.small
    }

    private struct Entry {
        let method: String
        /// The path's bytes between slashes. Nil for a parameter.
        let segments: [[UInt8]?]
        let traits: Traits
    }

    private let entries: [Entry]

    init(_ routes: [HTTPRoute]) {
        entries = routes.compactMap { route in
            let traits = Traits(urgency: route.urgency, body: route.body)
            guard traits != Traits() else { return nil }
            return Entry(
                method: route.method.rawValue,
                segments: route.path.segments.map { segment in
                    guard case .literal(let literal) = segment else { return nil }
                    return Array(literal.utf8)
                }, traits: traits)
        }
    }

    /// Returns the traits of a request. A target without a route, and one with needless percent-encoding, counts as a
    /// query's with a small body.
    /// - Parameter target: Path and query of the request line.
    func traits(_ method: String, _ target: String) -> Traits {
        var target = target
        return target.withUTF8 { target in
            var path = target.prefix { $0 != UInt8(ascii: "?") }
            if path.starts(with: IsolatedStoreRoutes.pathPrefix.utf8) {
                let rest = path.dropFirst(IsolatedStoreRoutes.pathPrefix.utf8.count)
                path = rest[(rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex)...]
            }
            return entries.first { $0.method == method && Self.matches(path, $0.segments) }?.traits ?? Traits()
        }
    }

    private static func matches(_ path: Slice<UnsafeBufferPointer<UInt8>>, _ segments: [[UInt8]?]) -> Bool {
        var rest = path
        for segment in segments {
            guard rest.popFirst() == UInt8(ascii: "/") else { return false }
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            if let segment {
                guard rest[..<end].elementsEqual(segment) else { return false }
            } else if end == rest.startIndex {
                return false
            }
            rest = rest[end...]
        }
        return rest.isEmpty
    }
}
