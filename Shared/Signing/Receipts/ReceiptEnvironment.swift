/// The environment of the App Store that a receipt belongs to.
package enum ReceiptEnvironment: String, CaseIterable, Sendable {
    case sandbox
    case production

    /// The value in the receipt, and in a response's `receipt_type`.
    package var receiptType: String {
        switch self {
        case .sandbox: "ProductionSandbox"
        case .production: "Production"
        }
    }

    /// The `environment` of a response.
    package var name: String {
        switch self {
        case .sandbox: "Sandbox"
        case .production: "Production"
        }
    }

    /// Reads the value of a receipt.
    ///
    /// - Returns: Nil for other values. Apple has some for volume purchases, which this store does not sell.
    package init?(receiptType: String) {
        guard let found = Self.allCases.first(where: { $0.receiptType == receiptType }) else { return nil }
        self = found
    }
}
