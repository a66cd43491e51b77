import StoreModels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decides where notifications may be sent, without I/O.
struct TargetPolicy: Hashable, Sendable {
    /// Which addresses are allowed.
    enum Reach: String, CaseIterable, Sendable {
        /// All but link-local ones and those of clouds' metadata.
        case any
        /// Those of the public Internet.
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
    }

    /// Checks an endpoint's URL.
    /// - Throws: `urlInvalid` (400) for one that is not http or https with a host, and for the literal of an address
    ///   that is not allowed.
    func target(of text: String) throws(StoreError) -> Target {
        guard (1...Self.urlBytesMax).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let found = url.host, !found.isEmpty, url.port.map({ (1...65_535).contains($0) }) ?? true
        else {
            throw Self.invalid("'\(text.prefix(100))' is no http or https URL with a host; 'listen:' is for listeners")
        }
        let host = found.first == "[" ? String(found.dropFirst().dropLast()) : found
        if let address = NetworkAddress(host), let refusal = refusal(of: address) {
            throw Self.invalid("\(host) is \(refusal), where notifications are not sent")
        }
        return Target(url: text, host: host)
    }

    private static func invalid(_ message: String) -> StoreError {
        // A purchase URL is an entity that can be read (422); this one is a malformed member.
        with(StoreError(.urlInvalid, message, details: ["path": .string("$.url")])) { $0.status = 400 }
    }

    /// Describes an address that is not allowed; nil for one that is.
    func refusal(of address: NetworkAddress) -> String? {
        if address.isLinkLocal { return "a link-local address" }
        if address.isMetadata { return "the address of a cloud's metadata" }
        if reach == .publicOnly, !address.isPublic { return "not of the public Internet" }
        return nil
    }
}

/// An IPv4 or IPv6 address.
struct NetworkAddress: Hashable, Sendable {
    /// Four or sixteen bytes; an IPv4 address that is mapped into IPv6 has four.
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

    /// - Parameter raw: Four or sixteen bytes.
    init(_ raw: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        bytes = raw.count == 16 && raw.starts(with: mapped) ? Array(raw.dropFirst(12)) : raw
    }

    private var isIPv4: Bool { bytes.count == 4 }

    /// 169.254.0.0/16 and fe80::/10.
    var isLinkLocal: Bool {
        isIPv4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// Addresses of clouds' metadata that are not link-local.
    var isMetadata: Bool { [Self("100.100.100.200"), Self("fd00:ec2::254")].contains(self) }

    /// Whether it is of the public Internet.
    var isPublic: Bool {
        guard isIPv4 else {
            let isLoopbackOrUnset = bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1
            return !isLoopbackOrUnset && bytes[0] & 0xFE != 0xFC && bytes[0] != 0xFF
        }
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (172, 16...31), (192, 168), (100, 64...127), (198, 18...19), (224..., _):
            return false
        case (192, 0): return bytes[2] != 0
        default: return true
        }
    }
}
