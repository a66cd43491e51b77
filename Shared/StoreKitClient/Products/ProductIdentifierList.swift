/// Reads the product identifiers of a property list, `ProductIds.plist`: an array of strings.
///
/// ```swift
/// let identifiers = try ProductIdentifierList.identifiers(contentsOf: url)
/// SKProductsRequest(productIdentifiers: Set(identifiers)).start()
/// ```
public enum ProductIdentifierList {
    /// The maximum size of the file in bytes.
    private static let byteCountMax = 1024 * 1024

    /// Returns the identifiers in the file's order.
    /// - Throws: `CocoaError`: the error of reading the file, `fileReadTooLarge`, or `propertyListReadCorrupt` when it
    ///   is not an array of strings.
    public static func identifiers(contentsOf url: URL) throws -> [String] {
        let data = try Data(contentsOf: url)
        guard data.count <= byteCountMax else { throw CocoaError(.fileReadTooLarge) }
        guard let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String] else {
            throw CocoaError(.propertyListReadCorrupt)
        }
        return list
    }
}
