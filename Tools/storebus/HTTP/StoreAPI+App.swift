import StoreHTTP
import StoreModels

/// An app's requests that are more than a call.
extension StoreAPI {
    /// Adds a payment. `status` 201 is the final transaction, 202 one that is still purchasing.
    func addPayment(
        _ body: PaymentRequest, key: String, token: String, timeout: Duration
    ) async throws(CLIError) -> (status: Int, transaction: PaymentTransaction, isReplayed: Bool) {
        let endpoint = PaymentRoutes.add
        let response = try await exchange(
            request(endpoint, token: token, key: key, timeout: timeout).with(body))
        return (response.status, try decode(endpoint, response), response.isReplayed)
    }

    /// Opens the observer's stream.
    func openStream(token: String) async throws(CLIError) -> any AsyncSequence<[UInt8], any Error> & Sendable {
        var request = request(TransactionRoutes.stream, token: token)
        request.headers["Accept"] = "text/event-stream"
        let stream = try await transport.open(request)
        if let failure = stream.failure { throw await refusal(failure, of: request) }
        return stream.bytes
    }

    /// The progress of a restore: `{"state":"finished","restored":2}`
    private struct Progress: JSONForm, Decodable {
        typealias Body = Restore

        var state: Restore.State
        var error: TransactionError?
        var restored: Int
        var applicationUsername: String?
    }

    /// Reads a restore's progress.
    func restore(_ identifier: String, token: String) async throws(CLIError) -> Restore {
        let endpoint = RestoreRoutes.get
        let request = request(endpoint, [.restoreIdentifier: identifier], token: token)
        let progress = try decode(endpoint, as: Progress.self, await exchange(request))
        return Restore(
            restoreIdentifier: identifier, state: progress.state, error: progress.error, restored: progress.restored,
            applicationUsername: progress.applicationUsername)
    }

    /// Opens a download's content, from an offset on.
    /// - Parameters:
    ///   - offset: The first byte. 0 requests all of it.
    ///   - tag: Entity tag of the bytes before `offset`. If the content has changed, the response is whole.
    func openContent(
        _ download: String, from offset: Int64, tag: String?, token: String
    ) async throws(CLIError) -> StoreStream {
        var request = request(DownloadRoutes.content, [.id: download], token: token)
        request.isTransfer = true
        if offset > 0 {
            request.headers["Range"] = "bytes=\(offset)-"
            request.headers["If-Range"] = tag
        }
        let stream = try await transport.open(request)
        if let failure = stream.failure, failure.status != 416 { throw await refusal(failure, of: request) }
        return stream
    }

    /// Verifies a receipt as an app's server does, in Apple's own shape.
    func verifyReceipt(
        _ receiptData: String, password: String?, excludesOldTransactions: Bool = false,
        timeout: Duration = .seconds(60)
    ) async throws(CLIError) -> JSONValue {
        var body: [String: JSONValue] = ["receipt-data": .string(receiptData)]
        body["password"] = password.map { .string($0) }
        if excludesOldTransactions { body["exclude-old-transactions"] = true }
        let request = request(ReceiptRoutes.verify, timeout: timeout).with(JSONValue.object(body))
        return try decode(ReceiptRoutes.verify, await exchange(request)).json
    }
}
