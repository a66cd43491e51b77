#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// AppStoreServer's request subjects for clients' HTTP requests, `sb.appstore.v1.http.…`.
public enum AppStoreEndpoints {
    /// Answers a client's request that changes nothing.
    /// - Throws: What the client gets as a problem. An error in Apple's words is a reply.
    public static let read = Endpoint<HTTPExchangeRequest, HTTPExchangeReply>(
        .appStoreServer, "http.read", isIdempotent: true, errors: [.notFound])
    /// Answers a client's request that changes something.
    /// - Throws: As ``read``.
    public static let change = Endpoint<HTTPExchangeRequest, HTTPExchangeReply>(
        .appStoreServer, "http.change", isIdempotent: false, errors: [.notFound, .urlInvalid])

    /// Reads more of a body that did not fit into the reply, from the instance that has it.
    /// - Throws: `notFound` when the instance has given it up.
    public static func rest(of instance: String) -> Endpoint<HTTPRestRequest, HTTPRestReply> {
        Endpoint(.appStoreServer, "http.rest", isIdempotent: true, errors: [.notFound]).of(instance)
    }
}

/// A client's HTTP request that the gateway passes on as it came.
///
/// The gateway has matched the route, bounded the body and found the isolated store. The service authenticates.
public struct HTTPExchangeRequest: Hashable, Sendable, Codable {
    /// The operation's identifier in `openapi.json`, such as `inAppsHistory`.
    public var operation: String
    /// The path without the store's name, percent-encoded.
    public var path: String
    /// The decoded values of the path's parameters, by name. A client may send any bytes.
    public var parameters: [String: HTTPBytes]
    /// The text behind `?`.
    public var query: String?
    /// The request's authority, by which Apple's host names select an environment.
    public var host: String?
    /// The header `Accept`.
    public var accept: String?
    /// The header `Authorization`.
    public var authorization: String?
    /// The app of the isolated store that the request names.
    public var store: String?
    /// The app that the path names, as services know it, which the gateway has found in Catalog.
    public var bundleId: String?
    /// The customer whose session the gateway has verified.
    public var customer: ExchangeCustomer?
    /// The body. Nil for an empty one.
    public var data: HTTPBytes?
}

/// A customer in an app on a device, as the session says.
public struct ExchangeCustomer: Hashable, Sendable, Codable {
    public var bundleId: String
    public var customerIdentifier: String
    public var deviceId: String
    /// The UUID that signed data of the session is bound to, in lower case.
    public var deviceVerificationId: String
}

/// The service's response, which the gateway passes on as it is.
public struct HTTPExchangeReply: Hashable, Sendable, Codable {
    /// The gateway's treatment of the connection in place of a response.
    public enum Ending: String, Sendable, Codable {
        /// It closes the connection.
        case close
        /// It holds the connection without a response until the client leaves, a minute at most.
        case hold
    }

    /// The rest of a body that does not fit into one reply.
    public struct Rest: Hashable, Sendable, Codable {
        /// The instance that has it, for a few seconds.
        public var instance: String
        /// The body's name there.
        public var identifier: String
        /// Bytes that are left.
        public var count: Int
    }

    /// The HTTP status.
    public var status: Int
    /// Header fields by name.
    public var headers: [String: String]
    /// The body, or its beginning. Nil for none.
    public var data: HTTPBytes?
    public var rest: Rest?
    public var ending: Ending?
    /// The app whose server has asked, for the access log.
    public var bundleId: String?
    /// Why a token was refused, for the access log.
    public var reason: String?
}

/// Asks an instance for more of a body.
public struct HTTPRestRequest: Hashable, Sendable, Codable {
    /// As ``HTTPExchangeReply/Rest/identifier``.
    public var identifier: String
    /// Bytes of the rest that the caller has.
    public var offset: Int
}

/// The next part of a body.
public struct HTTPRestReply: Hashable, Sendable, Codable {
    public var data: HTTPBytes
}

/// Bytes of an HTTP body in a message: JSON as it is, any other bytes in Base64.
public struct HTTPBytes: Hashable, Sendable, Codable {
    private enum CodingKeys: String, CodingKey { case json, text, base64 }

    private enum Form: Hashable { case json(RawJSON), text(String), base64([UInt8]) }

    private let form: Form

    /// Takes JSON that the service has written.
    public init(json: RawJSON) { form = .json(json) }

    /// Takes a client's bytes, which may be anything. No string of a message has U+0000.
    public init(_ bytes: [UInt8]) {
        if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
            form = .text(text)
        } else {
            form = .base64(bytes)
        }
    }

    /// Takes a part of a body, whose ends may be inside a character.
    public init(part: ArraySlice<UInt8>) { form = .base64(Array(part)) }

    /// The bytes of the body.
    public var bytes: [UInt8] {
        switch form {
        case .json(let json): Array(json.bytes)
        case .text(let text): Array(text.utf8)
        case .base64(let bytes): bytes
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let json = try container.decodeIfPresent(RawJSON.self, forKey: .json) {
            form = .json(json)
        } else if let text = try container.decodeIfPresent(String.self, forKey: .text) {
            form = .text(text)
        } else {
            form = .base64(Array(try container.decode(Data.self, forKey: .base64)))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch form {
        case .json(let json): try container.encode(json, forKey: .json)
        case .text(let text): try container.encode(text, forKey: .text)
        case .base64(let bytes): try container.encode(Data(bytes), forKey: .base64)
        }
    }
}
