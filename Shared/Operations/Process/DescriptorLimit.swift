import Glibc

/// The number of descriptors the process may have (`RLIMIT_NOFILE`).
package enum DescriptorLimit {
    /// Descriptors kept for files, the bus, the database and short-lived uses. The rest may be connections.
    package static let spare = 64
    /// The fewest connections, however low the limit is.
    package static let connectionsMin = 16

    /// Raises the soft limit to the hard one. The soft one is meant for programs that use select.
    /// - Returns: The limit in force.
    @discardableResult
    package static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return connectionsMin + spare }
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        if setrlimit(resource, &limit) != 0 { limit.rlim_cur = soft }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many of `wanted` connections the limit has room for.
    package static func connections(of wanted: Int, limit: Int = raise()) -> Int {
        min(wanted, max(limit - spare, connectionsMin))
    }
}
