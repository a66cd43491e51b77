import BusService
import Cryptography
import EventLoop
import FoundationEssentials
import Logging
import Operations
import ServiceLifecycle
import StoreModels

/// Serves HTTPS with a key pair of this start, which AppStoreServer has certified. The private key is in memory only.
package struct CertifiedServer: Service {
    /// The pause after a request that was not answered.
    private static let pause = Duration.milliseconds(500)

    let hosts: [String]
    let services: ServiceCaller
    let logger: Logger
    /// Makes the server with its TLS context.
    let server: @Sendable (TLSContext) -> GatewayServer

    /// - Parameters:
    ///   - hosts: The names and addresses that the certificate is for.
    ///   - server: Makes the server with its TLS context.
    package init(
        hosts: [String], services: ServiceCaller, logger: Logger,
        server: @escaping @Sendable (TLSContext) -> GatewayServer
    ) {
        self.hosts = hosts
        self.services = services
        self.logger = logger
        self.server = server
    }

    /// Serves from the time the key is certified until the graceful shutdown.
    package func run() async throws {
        let key = P256.Signing.PrivateKey()
        guard let chain = await chain(of: key.publicKey) else { return }
        try await server(try TLSContext(chain: chain, key: key.derRepresentation)).run()
    }

    /// - Returns: Nil when the process ends before the key is certified.
    private func chain(of key: P256.Signing.PublicKey) async -> [[UInt8]]? {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    let reply = try await services.call(
                        SigningEndpoints.certify, CertifyRequest(publicKey: key.pemRepresentation, hosts: hosts))
                    return reply.chain.compactMap { Data(base64Encoded: $0).map(Array.init) }
                } catch {
                    logger.info("HTTPS waits for app-store-server", metadata: ["error": "\(error)"])
                    try? await Task.sleep(for: Self.pause)
                }
            }
            return nil
        }
    }
}

/// The names by which clients reach the gateway by HTTPS.
package enum HTTPSHosts {
    /// Apple's hosts, which a client's machine may lead here.
    private static let apple = [
        "api.storekit.apple.com", "api.storekit-sandbox.apple.com", "api.storekit.itunes.apple.com",
        "api.storekit-sandbox.itunes.apple.com", "buy.itunes.apple.com", "sandbox.itunes.apple.com",
    ]

    /// Returns Apple's names, this machine's, the public URL's and the operator's.
    package static func all(publicURL: String?, more: [String]) -> [String] {
        let host = publicURL.flatMap(URL.init(string:))?.host.map { [$0] } ?? []
        return apple + ["localhost", "127.0.0.1", "::1"] + host + more
    }
}
