internal import CCurl
import StoreModels

/// The reason why a transfer has no whole response.
package struct CurlFailure: Error, Hashable, Sendable {
    /// Its cause, as those tell apart who report it.
    package enum Kind: Hashable, Sendable {
        /// The host has no address.
        case unknownHost
        case notConnected
        case timedOut
        case tls
        /// The connection ended before a response.
        case noResponse
        /// The bytes are not a response of HTTP.
        case invalidResponse
        /// The head exceeds ``CurlTransfer/headBytesMax``.
        case headTooLarge
        /// The connection ended within the response.
        case prematureClose
        /// The receiver has ended it.
        case stopped
        case other
    }

    package var kind: Kind
    /// libcurl's description.
    package var message: String
    /// The system's number of the error, or 0 without one.
    package var systemError: CInt

    package init(_ kind: Kind, _ message: String, systemError: CInt = 0) {
        self.kind = kind
        self.message = message
        self.systemError = systemError
    }
}

extension CurlFailure.Kind {
    /// - Parameter hasHead: Whether the head of a response had come.
    init(_ code: CURLcode, hasHead: Bool) {
        self =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case _ where hasHead: .prematureClose
            case CURLE_COULDNT_RESOLVE_HOST: .unknownHost
            case CURLE_COULDNT_CONNECT: .notConnected
            // The last is that of a body that libcurl would have to send again.
            case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_SEND_FAIL_REWIND: .noResponse
            // The first is what it says of a response without a head, as HTTP/0.9 had it.
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: .invalidResponse
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
                CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
                CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED:
                .tls
            default: .other
            }
    }
}

extension SendAttemptResult {
    /// Finds Apple's word for a failed delivery.
    package init(_ failure: CurlFailure) {
        self =
            switch failure.kind {
            case .unknownHost, .notConnected: .socketIssue
            case .timedOut: .timedOut
            case .tls: .tlsIssue
            case .noResponse: .noResponse
            case .invalidResponse, .headTooLarge: .invalidResponse
            case .prematureClose: .prematureClose
            case .stopped, .other: .other
            }
    }
}
