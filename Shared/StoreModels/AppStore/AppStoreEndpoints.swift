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
