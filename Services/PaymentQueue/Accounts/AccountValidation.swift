import StoreModels

/// What an account's name and a storefront look like, wherever a request brings them.
enum AccountValidation {
    /// - Throws: `requestInvalid` unless it is an account's identifier.
    static func checkName(_ account: String) throws(StoreError) {
        try StoreError.checkIdentifier(account, .account, "account")
    }

    /// - Throws: `requestInvalid` unless it is three capital letters. Whether there is such a storefront is Catalog's to
    ///   say.
    static func checkStorefront(_ storefront: String) throws(StoreError) {
        guard storefront.utf8.count == 3,
            storefront.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else {
            throw StoreError(
                .requestInvalid, "storefront must be an alpha-3 country code such as FRA",
                details: ["path": .string("$.storefront")])
        }
    }
}
