import StoreModels

/// A change to be journalled: the event for streams and the row to write.
struct JournalEntry: Hashable, Sendable {
    var change: CustomerChange
    /// The JSON of what the change is about, made once for all the places of one commit that hold it. That of downloads
    /// is their whole transaction, as it is for the device.
    var body: String
    /// Nil for a restore's end.
    var transactionID: String?
    var revision: Int?
    /// What it is among the events of the store; nil is none.
    var event: StoreEvent.Kind?
}
