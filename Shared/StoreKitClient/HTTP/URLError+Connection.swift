import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Error {
    /// The connection was never made, so the request was never sent.
    var isBeforeConnection: Bool {
        switch (self as? URLError)?.code {
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet, .badURL,
            .unsupportedURL:
            true
        default: false
        }
    }
}
