import StoreModels

/// Checks the syntax of account names and storefronts in requests.
enum AccountValidation {
    /// - Throws: `requestInvalid` unless it is an account's identifier.
    static func checkName(_ account: String) throws(StoreError) {
        try StoreError.checkIdentifier(account, .account, "account")
    }

    /// - Throws: `requestInvalid` unless it is three capital letters. Only Catalog knows whether such a storefront
    ///   exists.
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
