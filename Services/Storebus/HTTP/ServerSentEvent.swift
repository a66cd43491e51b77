/// One event of the observer's stream.
package struct ServerSentEvent: Hashable, Sendable {
    /// The last `id` the stream sent, with this event or before.
    package var id: String?
    /// `updatedTransactions`, `synchronized` … (`http-api.md`, the stream).
    package var event: String
    /// JSON.
    package var data: String

    package init(id: String?, event: String, data: String) {
        self.id = id
        self.event = event
        self.data = data
    }
}
