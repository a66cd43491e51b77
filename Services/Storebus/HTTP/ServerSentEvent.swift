/// One event of the observer's stream.
struct ServerSentEvent: Hashable, Sendable {
    /// The last `id` the stream sent, with this event or before.
    var id: String?
    /// `updatedTransactions`, `synchronized` … (`http-api.md`, the stream).
    var event: String
    /// JSON.
    var data: String
}
