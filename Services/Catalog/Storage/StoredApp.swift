/// An app as one snapshot of the database has it.
struct StoredApp: Sendable {
    /// A catalogue file in force, as it was imported.
    struct File: Sendable {
        let name: String
        let bytes: [UInt8]
    }

    let row: AppRow
    /// The catalogue's version that brought the file in force; 0 before the first import.
    let fileVersion: Int64
    /// Nil before the first import, and when whoever asked has it already.
    let file: File?
    let contents: StoredContents
    var promotions = StoredPromotions()
}
