import StoreModels

/// What an account's name and a storefront look like, wherever a request brings them.
package enum AccountValidation {
    /// - Throws: `requestInvalid` unless the name has 1 to 128 characters.
    package static func checkName(_ account: String) throws(StoreError) {
        // A character may be made of many code points; the bytes have a bound of their own.
        guard (1...128).contains(account.count), account.utf8.count <= 1024 else {
            throw StoreError(
                .requestInvalid, "account must have 1 to 128 characters", details: ["path": .string("$.account")])
        }
    }

    /// - Throws: `requestInvalid` unless it is three capital letters. Whether there is such a storefront is Catalog's to
    ///   say.
    package static func checkStorefront(_ storefront: String) throws(StoreError) {
        guard storefront.utf8.count == 3,
            storefront.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else {
            throw StoreError(
                .requestInvalid, "storefront must be an alpha-3 country code such as FRA",
                details: ["path": .string("$.storefront")])
        }
    }
}
