import StoreModels

/// A change on its way into the journal: what streams are told, and what is written of it.
package struct JournalEntry: Hashable, Sendable {
    package var change: CustomerChange
    /// The JSON of what the change is about, made once for all the places of one commit that hold it. That of downloads
    /// is their whole transaction, as it is for the device.
    package var body: String
    /// Nil for a restore's end.
    package var transactionID: String?
    package var revision: Int?
    /// What it is among the events of the store; nil is none.
    package var event: StoreEvent.Kind?
}
