#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The names by which clients reach the gateway by HTTPS.
enum HTTPSHosts {
    /// Apple's hosts, which a client's machine may lead here.
    private static let apple = [
        "api.storekit.apple.com", "api.storekit-sandbox.apple.com", "api.storekit.itunes.apple.com",
        "api.storekit-sandbox.itunes.apple.com", "buy.itunes.apple.com", "sandbox.itunes.apple.com",
    ]

    /// Returns Apple's names, this machine's, the public URL's and the operator's.
    static func all(publicURL: String?, more: [String]) -> [String] {
        let host = publicURL.flatMap(URL.init(string:))?.host.map { [$0] } ?? []
        return apple + ["localhost", "127.0.0.1", "::1"] + host + more
    }
}
