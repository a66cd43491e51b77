import NIOSSL
import Signing
import StoreModels

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

extension ServerIdentity {
    /// Returns how the gateway speaks TLS: version 1.2 or later, without certificates of clients.
    func configuration() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain.map {
                .certificate(try NIOSSLCertificate(bytes: $0, format: .der))
            }, privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .der)))
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }
}
