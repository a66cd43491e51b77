import EventLoop
import Glibc
import StoreModels

/// Looks up host names with the system's resolver. Each look-up has a thread of its own, within a share for each app.
///
/// A look-up cannot be ended from outside: it lasts as long as the name's servers want. So its callers leave it, and it
/// keeps its place until it ends. Another app's names are looked up meanwhile, but the app's own wait for a place.
/// Callers of one app with the same name share one look-up.
///
/// Everything is called on the loop.
final class HostLookups: @unchecked Sendable {
    // Why unchecked: threads carry only a reference back to the loop, where everything in it is touched.

    /// Maximum number of look-ups under way for one app.
    static let shareMax = 4
    /// Maximum number of look-ups under way.
    static let threadsMax = 128
    /// Bytes of a thread's stack. The resolver keeps answers of 64 KiB there.
    private static let stackBytes = 256 << 10

    /// Finds a host's addresses, on a thread that may block. Empty for a host that was not found.
    typealias Resolve = @Sendable (_ host: String) -> [NetworkAddress]

    private struct Name: Hashable {
        var app: ExactText
        var host: ExactText
    }

    /// The callers that wait for a name, by their tickets.
    private typealias Waiters = [Int: ([NetworkAddress]) -> Void]

    private let loop: UVLoop
    private let resolve: Resolve
    private var underWay: [Name: Waiters] = [:]
    /// Names that wait for a place, in their order.
    private var waiting: [(name: Name, waiters: Waiters)] = []
    private var lastTicket = 0

    init(loop: UVLoop, resolve: @escaping Resolve) {
        self.loop = loop
        self.resolve = resolve
    }

    /// Calls `completion` with a host's addresses, later.
    /// - Returns: A ticket for ``leave(_:)``.
    func start(_ host: String, for app: String, _ completion: @escaping ([NetworkAddress]) -> Void) -> Int {
        loop.preconditionIsolated()
        lastTicket += 1
        let name = Name(app: ExactText(app), host: ExactText(host))
        if underWay[name] != nil {
            underWay[name]?[lastTicket] = completion
        } else if let index = waiting.firstIndex(where: { $0.name == name }) {
            waiting[index].waiters[lastTicket] = completion
        } else {
            waiting.append((name, [lastTicket: completion]))
            begin()
        }
        return lastTicket
    }

    /// Removes a waiting caller. Its completion is not called any more.
    func leave(_ ticket: Int) {
        loop.preconditionIsolated()
        for name in underWay.keys { underWay[name]?[ticket] = nil }
        for index in waiting.indices { waiting[index].waiters[ticket] = nil }
        waiting.removeAll { $0.waiters.isEmpty }
    }

    /// Begins the look-ups that have a place.
    private func begin() {
        while underWay.count < Self.threadsMax,
            let index = waiting.firstIndex(where: { one in
                underWay.keys.count { $0.app == one.name.app } < Self.shareMax
            })
        {
            let (name, waiters) = waiting.remove(at: index)
            underWay[name] = waiters
            do {
                try DetachedThread.start(name: "look-up", stackBytes: Self.stackBytes) { [self] in
                    let found = resolve(name.host.text)
                    loop.execute { self.end(name, found) }
                }
            } catch {
                loop.execute { self.end(name, []) }
            }
        }
    }

    private func end(_ name: Name, _ found: [NetworkAddress]) {
        let waiters = underWay.removeValue(forKey: name) ?? [:]
        begin()
        for completion in waiters.values { completion(found) }
    }

    /// Asks the system's resolver. IPv4 addresses come first.
    static let system: Resolve = { host in
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [NetworkAddress] = []
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }).prefix(while: { $0 != nil }) {
            guard let address = entry?.pointee.ai_addr.flatMap({ NetworkAddress($0) }), !found.contains(address) else {
                continue
            }
            found.append(address)
        }
        return found.filter(\.isIPv4) + found.filter { !$0.isIPv4 }
    }
}
