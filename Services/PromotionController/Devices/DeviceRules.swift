import StoreModels

/// Checks requests about devices and the apps on them.
enum DeviceRules {
    static let feedbackCharactersMax = 500

    /// Checks the identifiers of an installation.
    /// - Throws: `requestInvalid` that names the invalid member.
    static func check(_ installation: InstallationReference) throws(StoreError) {
        try StoreError.checkIdentifier(IsolatedApp.shown(installation.bundleId), .bundle, "bundleId")
        try StoreError.checkIdentifier(installation.deviceId, .device, "deviceId")
    }

    /// Checks a version.
    /// - Throws: `requestInvalid` for a version that is not integers with dots.
    static func check(version: String, at path: String) throws(StoreError) {
        guard DottedVersion(version) == nil else { return }
        throw invalid(path, "'\(version)' is not a version; a version is integers with dots, such as 17.4")
    }

    /// Checks a promotion order.
    /// - Throws: `requestInvalid` for too many products and for a repeated one.
    static func check(order: [String]) throws(StoreError) {
        let path = "$.productIdentifiers"
        guard order.count <= PromotionOverrides.orderMax else {
            throw invalid(path, "an order has at most \(PromotionOverrides.orderMax) products, not \(order.count)")
        }
        for (index, product) in order.enumerated() {
            try StoreError.checkIdentifier(product, .product, "productIdentifiers[\(index)]")
        }
        var seen: Set<ExactText> = []
        for product in order where !seen.insert(product).inserted {
            throw invalid(path, "'\(product)' is there twice")
        }
    }

    /// Checks the feedback of a decision.
    /// - Throws: `requestInvalid` for feedback that is too long, or comes with another decision than `cancel`.
    static func check(feedback: String?, with decision: DecideIntentRequest.Decision) throws(StoreError) {
        guard let feedback else { return }
        guard decision == .cancel else { throw invalid("$.feedback", "only 'cancel' comes with feedback") }
        guard feedback.count <= feedbackCharactersMax else {
            throw invalid("$.feedback", "has at most \(feedbackCharactersMax) characters")
        }
    }

    static func invalid(_ path: String, _ reason: String) -> StoreError {
        StoreError(.requestInvalid, "\(path): \(reason)", details: ["path": .string(path)])
    }
}
