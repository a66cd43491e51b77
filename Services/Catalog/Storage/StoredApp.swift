/// An app from one snapshot of the database.
struct StoredApp: Sendable {
    /// A catalogue file in force, as it was imported.
    struct File: Sendable {
        let name: String
        let bytes: [UInt8]
    }

    let row: AppRow
    /// The catalogue's version that introduced the file in force; 0 before the first import.
    let fileVersion: Int64
    /// Nil before the first import, and when the caller has the file already.
    let file: File?
    let contents: StoredContents
    var promotions = StoredPromotions()
}
