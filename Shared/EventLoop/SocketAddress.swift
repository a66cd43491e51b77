internal import CLibUV
import Glibc

/// A numeric IP address and port, as the kernel reports them.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The numeric address, without brackets: "127.0.0.1" or "::1".
    package let host: String
    /// 0…65535.
    package let port: Int

    /// Creates an address from its parts, without resolving or checking them.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// "127.0.0.1:7420" or "[::1]:7420".
    package var description: String { Self.text(host, port) }

    /// Host and port as people write them, with brackets round an IPv6 address.
    static func text(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The address in `storage`, or "unknown" when its family is neither IPv4 nor IPv6.
    init(storage: sockaddr_storage) {
        var storage = storage
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        (host, port) = withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { v6 in
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { v4 in
                    let isV6 = Int32(pointer.pointee.ss_family) == AF_INET6
                    let result =
                        isV6 ? uv_ip6_name(v6, &text, text.count) : uv_ip4_name(v4, &text, text.count)
                    guard result == 0 else { return ("unknown", 0) }
                    let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                    // Both families keep the port at the same place.
                    return (name, Int(UInt16(bigEndian: v4.pointee.sin_port)))
                }
            }
        }
    }

    /// The socket address of a numeric host. Nil when `host` is a name or `port` is out of range.
    static func numeric(_ host: String, _ port: Int) -> sockaddr_storage? {
        guard (0...65535).contains(port) else { return nil }
        var storage = sockaddr_storage()
        return withUnsafeMutablePointer(to: &storage) { pointer in
            let found =
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { uv_ip4_addr(host, CInt(port), $0) } == 0
                || pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    uv_ip6_addr(host, CInt(port), $0)
                } == 0
            return found ? pointer.pointee : nil
        }
    }

    /// The addresses that need no resolver: numeric hosts, and "localhost" with IPv4 first.
    static func immediate(_ host: String, _ port: Int) -> [sockaddr_storage] {
        let hosts = host == "localhost" ? ["127.0.0.1", "::1"] : [host]
        return hosts.compactMap { numeric($0, port) }
    }
}

extension sockaddr_storage {
    /// Calls `body` with this address as the C calls want it.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var copy = self
        let isV6 = Int32(ss_family) == AF_INET6
        let length = socklen_t(isV6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &copy) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
