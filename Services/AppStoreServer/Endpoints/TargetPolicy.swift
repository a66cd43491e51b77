import CurlLoop
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
