import StoreModels

/// Receipts and their verification.
package enum ReceiptRoutes {
    /// Reads the customer's receipt as of now, signed by this store.
    ///
    /// The app finds it in its bundle and sends it to verifyReceipt. A customer who bought nothing has a receipt
    /// without purchases. For a tester whose refreshes fail (`simulatedErrors.receiptRefresh`) the response is 503 with
    /// the member `error`, as failed transactions have it.
    package static let get = HTTPEndpoint<Empty, ReceiptResponse>(
        "getReceipt", .get, "/v1/receipt", .app,
        errors: [.notFound])
    /// Reads a receipt and its purchases' present state, in Apple's shape.
    ///
    /// Every error is 200, and `status` names it. Unknown members are ignored. A host name that begins with `buy.`
    /// selects the production endpoint, one with `sandbox.` the sandbox endpoint, any other the environment with which
    /// the gateway was started.
    package static let verify = HTTPEndpoint<RawBody, VerifyReceiptResponse>(
        "verifyReceipt", .post, "/verifyReceipt", .named,
        body: .receipt, content: .json("ReceiptToVerify"), needs: .memory,
        responses: [.ok("Status 0 and the receipt, or another status alone.")])
    /// Responds with status 21000 to GET, as Apple does.
    package static let verifyByGet = HTTPEndpoint<Empty, VerifyReceiptResponse>(
        "verifyReceiptWithoutPost", .get, "/verifyReceipt", .named,
        needs: .memory,
        responses: [
            .ok(
                "The request has to be a POST.",
                .json(["type": "object", "properties": ["status": ["const": 21000]], "required": ["status"]]))
        ])
    /// Reads the root certificate under which receipts are signed, as PEM. A request that accepts
    /// `application/pkix-cert` gets DER.
    ///
    /// The data directory of app-store-server has both, `root.pem` and `root.cer`.
    package static let root = HTTPEndpoint<Empty, RawBody>(
        "getSigningRoot", .get, "/admin/v1/signing/root", .admin,
        needs: .storage, responses: [.ok("The certificate.", .certificate)])
}

/// The response of `POST /verifyReceipt`, with Apple's member names: `{"status":21002}`.
///
/// The members of a valid receipt are as in Apple's "responseBody".
package struct VerifyReceiptResponse: Hashable, Sendable, Codable {
    /// The whole body: an object with `status`.
    package var json: JSONValue

    package init(_ json: JSONValue) { self.json = json }

    /// Creates a response without a receipt.
    /// - Parameter status: One of Apple's codes, such as 21002.
    package init(status: Int) { json = .object(["status": .integer(status)]) }

    package init(from decoder: any Decoder) throws { json = try JSONValue(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

/// The response of `GET /v1/receipt`: `{"receiptData":"MIIT…"}`, Base64.
package struct ReceiptResponse: Hashable, Sendable, Codable {
    /// Base64 of the signed receipt, without line breaks.
    package var receiptData: String
}
