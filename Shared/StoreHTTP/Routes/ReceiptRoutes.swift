import StoreModels

/// Receipts and their verification.
package enum ReceiptRoutes {
    /// Reads the customer's receipt as of now, signed by this store.
    package static let get = HTTPEndpoint<Empty, ReceiptResponse>(
        .get, "/v1/receipt", .app)
    /// Apple's own shape.
    package static let verify = HTTPEndpoint<RawBody, VerifyReceiptResponse>(
        .post, "/verifyReceipt", .named, body: .receipt)
    /// Refused in Apple's shape.
    package static let verifyByGet = HTTPEndpoint<Empty, VerifyReceiptResponse>(
        .get, "/verifyReceipt", .named)
    /// The root certificate.
    package static let root = HTTPEndpoint<Empty, RawBody>(
        .get, "/admin/v1/signing/root", .admin)

    static let all: [HTTPRoute] = [
        get.route, verify.route, verifyByGet.route, root.route,
    ]
}
