import StoreModels

extension StoreKitFileReader {
    /// StoreKit 2's error names, which Xcode's editor offers. StoreKit 1's names are in `SKErrorCode`.
    private static let errorNames: Set = [
        "networkError", "systemError", "userCancelled", "notAvailableInStorefront", "notEntitled", "unsupported",
        "productUnavailable", "purchaseNotAllowed", "invalidQuantity", "invalidOfferSignature",
        "missingOfferParameters",
    ]

    /// Reads simulated errors. `_failTransactionsEnabled` fails every purchase, and `_storeKitErrors` fails requests by
    /// their name in Xcode. Errors for requests that this version does not fail are reported as ignored.
    mutating func readErrors(_ node: JSONNode, _ settings: inout FileSettings, _ testers: inout TesterSettings) {
        var errors = TesterSettings.SimulatedErrors()
        if node.member("_failTransactionsEnabled").value?.boolValue == true {
            errors.purchase = errorName(node.member("_failTransactionError"))
        }
        let list = node.member("_storeKitErrors")
        for (index, value) in (list.value?.arrayValue ?? []).enumerated() {
            let error = JSONNode(path: "\(list.path)[\(index)]", value: value)
            guard error.member("enabled").value?.boolValue == true else { continue }
            let request = error.member("name").value?.stringValue ?? ""
            switch request {
            case "Load Products": errors.loadProducts = errorName(error.member("current"))
            case "Purchase": errors.purchase = errorName(error.member("current"))
            default: settings.ignored.append("_storeKitErrors: \(request.prefix(64))")
            }
        }
        if errors != TesterSettings.SimulatedErrors() { testers.simulatedErrors = errors }
    }

    /// Reads an error's name or StoreKit 1's number. Xcode stores a position in one of its menus, which has no meaning
    /// outside of Xcode and becomes `unknown`.
    private mutating func errorName(_ node: JSONNode) -> String {
        if let code = node.value?.intValue.flatMap(SKErrorCode.init(rawValue:)) { return code.name }
        let text = node.value?.stringValue ?? ""
        if SKErrorCode(name: text) != nil || Self.errorNames.contains(text) { return text }
        if !node.isAbsent { findings.note("\(node.path) names no error of StoreKit; it is treated as unknown.") }
        return SKErrorCode.unknown.name
    }
}
