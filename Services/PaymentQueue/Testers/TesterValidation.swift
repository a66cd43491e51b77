import StoreModels

/// Checks a tester's settings before they are stored. Without it an unknown name would be stored silently, and a test
/// that relies on it would pass for the wrong reason.
enum TesterValidation {
    /// - Throws: `requestInvalid` naming the member.
    static func check(_ settings: TesterSettings) throws(StoreError) {
        if let storefront = settings.storefront { try AccountValidation.checkStorefront(storefront) }
        let errors = settings.simulatedErrors
        try checkError(errors?.purchase, "simulatedErrors.purchase")
        try checkError(errors?.loadProducts, "simulatedErrors.loadProducts")
        try checkError(errors?.restore, "simulatedErrors.restore")
        try checkError(errors?.download, "simulatedErrors.download")
        try checkError(errors?.receiptRefresh, "simulatedErrors.receiptRefresh")
    }

    private static func checkError(_ text: String?, _ member: String) throws(StoreError) {
        guard let text, SimulatedError(text) == nil else { return }
        throw StoreError(
            .requestInvalid, "$.\(member) must be the name or the number of an SKError, or StoreKit's name of an error",
            details: ["path": .string("$.\(member)")])
    }
}
