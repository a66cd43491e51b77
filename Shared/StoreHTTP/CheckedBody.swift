import StoreModels

/// A body with rules beyond its types. Reading it checks them.
package protocol CheckedBody {
    /// - Throws: `requestInvalid` that names the member.
    func validate() throws(StoreError)
}
