import CurlLoop
import Glibc
import StoreModels

/// Decides where notifications may be sent, without I/O.
///
/// It judges an endpoint's URL when that is set, and each address before a connection (``HTTPSender``).
struct TargetPolicy: Hashable, Sendable {
    /// The allowed addresses.
    enum Reach: String, CaseIterable, Sendable {
        /// All but link-local ones and those of clouds' metadata.
        case any
        /// Addresses of the public Internet.
        case publicOnly = "public-only"
    }

    /// Maximum bytes of a URL.
    static let urlBytesMax = 2_048

    let reach: Reach

    /// An endpoint's URL, checked.
    struct Target: Hashable, Sendable {
        var url: String
        /// Without the brackets of an IPv6 address.
        var host: String
        /// The URL's, or its scheme's.
        var port: Int
    }

    /// Checks an endpoint's URL.
    /// - Throws: `urlInvalid` (400) for one that is not http or https with a host, and for the literal of an address
    ///   that is not allowed.
    func target(of text: String) throws(StoreError) -> Target {
        guard (1...Self.urlBytesMax).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = CurlURL(text), ["http", "https"].contains(url.scheme), (1...65_535).contains(url.port)
        else {
            throw Self.invalid(
                "'\(text.prefix(100))' is not an http or https URL with a host; 'listen:' is for listeners")
        }
        if let address = NetworkAddress(url.host), let refusal = refusal(of: address) {
            throw Self.invalid("\(url.host) is \(refusal), where notifications are not sent")
        }
        return Target(url: text, host: url.host, port: url.port)
    }

    private static func invalid(_ message: String) -> StoreError {
        // A purchase URL is an entity that can be read (422); this one is a malformed member.
        with(StoreError(.urlInvalid, message, details: ["path": .string("$.url")])) { $0.status = 400 }
    }

    /// Describes an address that is not allowed. Nil for one that is.
    func refusal(of address: NetworkAddress) -> String? {
        // A translator or a tunnel on the way leads to the address inside.
        for one in [address] + address.embedded {
            if one.isLinkLocal { return "a link-local address" }
            if one.isMetadata { return "the address of a cloud's metadata" }
        }
        if reach == .publicOnly, !address.isPublic { return "not of the public Internet" }
        return nil
    }
}

/// An IPv4 or IPv6 address.
struct NetworkAddress: Hashable, Sendable {
    /// Four or sixteen bytes. An IPv4 address that is mapped into IPv6 has four.
    let bytes: [UInt8]

    /// Reads an address as text.
    /// - Returns: Nil for a host name.
    init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(withUnsafeBytes(of: &four) { Array($0) })
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(withUnsafeBytes(of: &six) { Array($0) })
        } else {
            return nil
        }
    }

    /// Reads the address of a socket.
    /// - Returns: Nil for one that is neither IPv4 nor IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch CInt(address.pointee.sa_family) {
        case AF_INET:
            self.init(
                Array(UnsafeRawBufferPointer(start: raw + MemoryLayout<sockaddr_in>.offset(of: \.sin_addr)!, count: 4)))
        case AF_INET6:
            self.init(
                Array(
                    UnsafeRawBufferPointer(start: raw + MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)!, count: 16)
                ))
        default: return nil
        }
    }

    /// - Parameter raw: Four or sixteen bytes.
    init(_ raw: [UInt8]) {
        bytes = raw.count == 16 && AddressBlock.mapped.contains(raw) ? Array(raw.dropFirst(12)) : raw
    }

    var isIPv4: Bool { bytes.count == 4 }

    /// The address as text, without brackets.
    var text: String {
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2).map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }

    /// 169.254.0.0/16 and fe80::/10.
    var isLinkLocal: Bool { AddressBlock.linkLocal.contains { $0.contains(bytes) } }

    /// Addresses of clouds' metadata that are not link-local.
    var isMetadata: Bool { AddressBlock.metadata.contains { $0.contains(bytes) } }

    /// Whether it belongs to the public Internet.
    var isPublic: Bool {
        if isIPv4 { return !AddressBlock.special.contains { $0.contains(bytes) } }
        // Where a network has IPv6 only, its resolver gives IPv4 servers such addresses.
        if AddressBlock.translated.contains(bytes) { return embedded.allSatisfy(\.isPublic) }
        return AddressBlock.globalUnicast.contains(bytes) && !AddressBlock.special.contains { $0.contains(bytes) }
    }

    /// The IPv4 addresses inside an IPv6 address of a translator or a tunnel.
    var embedded: [NetworkAddress] {
        guard !isIPv4 else { return [] }
        func at(_ offsets: Int...) -> NetworkAddress { NetworkAddress(offsets.map { bytes[$0] }) }
        let last = at(12, 13, 14, 15)
        if AddressBlock.compatible.contains(bytes) || AddressBlock.translated.contains(bytes)
            || AddressBlock.stateless.contains(bytes)
        {
            return [last]
        }
        // RFC 6052: the place of the address depends on the length of the prefix, and byte 8 is left out.
        if AddressBlock.localTranslated.contains(bytes) {
            return [at(6, 7, 9, 10), at(7, 9, 10, 11), at(9, 10, 11, 12), last]
        }
        if AddressBlock.sixToFour.contains(bytes) { return [at(2, 3, 4, 5)] }
        if AddressBlock.teredo.contains(bytes) {
            return [at(4, 5, 6, 7), NetworkAddress(last.bytes.map { ~$0 })]
        }
        // ISATAP, in any prefix.
        if bytes[8] & 0xFD == 0, bytes[9] == 0, bytes[10] == 0x5E, bytes[11] == 0xFE { return [last] }
        return []
    }
}

/// A block of addresses: those with a prefix.
struct AddressBlock: Hashable, Sendable {
    private let prefix: [UInt8]
    private let bits: Int

    /// - Parameter text: A constant of this file, as `10.0.0.0/8`.
    private init(_ text: String) {
        let parts = text.split(separator: "/")
        var (four, six) = (in_addr(), in6_addr())
        prefix =
            inet_pton(AF_INET, String(parts[0]), &four) == 1
            ? withUnsafeBytes(of: &four) { Array($0) }
            : inet_pton(AF_INET6, String(parts[0]), &six) == 1 ? withUnsafeBytes(of: &six) { Array($0) } : []
        bits = Int(parts[1]) ?? -1
        precondition((0...prefix.count * 8).contains(bits) && !prefix.isEmpty, "'\(text)' is not a block of addresses")
    }

    /// Whether an address has the prefix. False for one of the other family.
    func contains(_ address: [UInt8]) -> Bool {
        guard address.count == prefix.count else { return false }
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard address.prefix(whole).elementsEqual(prefix.prefix(whole)) else { return false }
        return rest == 0 || (address[whole] ^ prefix[whole]) >> UInt8(8 - rest) == 0
    }

    static let linkLocal = ["169.254.0.0/16", "fe80::/10"].map(Self.init)

    /// Addresses at which clouds serve metadata to a machine, beside 169.254.169.254: Alibaba, Azure, Oracle, Amazon,
    /// Google.
    static let metadata = [
        "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", "fd00:ec2::254/128", "fd20:ce::254/128",
    ].map(Self.init)

    /// IPv4 mapped into IPv6.
    static let mapped = Self("::ffff:0:0/96")
    /// IPv4-compatible (RFC 4291).
    static let compatible = Self("::/96")
    /// IPv4-translated (RFC 2765).
    static let stateless = Self("::ffff:0:0:0/96")
    /// NAT64 everywhere (RFC 6052), and below, of one network (RFC 8215).
    static let translated = Self("64:ff9b::/96")
    static let localTranslated = Self("64:ff9b:1::/48")
    static let sixToFour = Self("2002::/16")
    static let teredo = Self("2001::/32")

    /// Global unicast, the only range of IPv6 that IANA has given out to the public.
    static let globalUnicast = Self("2000::/3")

    /// IANA's registries of special-purpose addresses (IPv4, and IPv6 within ``globalUnicast``) and of multicast.
    ///
    /// A block with single addresses that are reachable, such as 192.0.0.0/24, counts as a whole.
    static let special = [
        "0.0.0.0/8",  // this network
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  // private
        "100.64.0.0/10",  // shared, of carriers
        "127.0.0.0/8",  // loopback
        "169.254.0.0/16",  // link-local
        "192.0.0.0/24",  // protocol assignments
        "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  // documentation
        "192.88.99.0/24",  // 6to4 relays
        "198.18.0.0/15",  // benchmarking
        "224.0.0.0/4",  // multicast
        "240.0.0.0/4",  // reserved, and broadcast
        "2001::/23",  // protocol assignments, with Teredo, benchmarking and ORCHID
        "2001:db8::/32", "3fff::/20",  // documentation
        "2002::/16",  // 6to4
    ].map(Self.init)
}
