// An imported enumeration prints as its type's name, whatever its value is; these print as the case's own name.

extension SKPaymentTransactionState: @retroactive CustomStringConvertible {
    public var description: String {
        caseName(rawValue, ["purchasing", "purchased", "failed", "restored", "deferred"])
    }
}

extension SKDownloadState: @retroactive CustomStringConvertible {
    public var description: String {
        caseName(rawValue, ["waiting", "active", "paused", "finished", "failed", "cancelled"])
    }
}

extension SKProductPeriodUnit: @retroactive CustomStringConvertible {
    public var description: String { caseName(rawValue, ["day", "week", "month", "year"]) }
}

extension SKProductDiscountPaymentMode: @retroactive CustomStringConvertible {
    public var description: String { caseName(rawValue, ["payAsYouGo", "payUpFront", "freeTrial"]) }
}

extension SKProductDiscountType: @retroactive CustomStringConvertible {
    public var description: String { caseName(rawValue, ["introductory", "subscription"]) }
}

extension SKProductStorePromotionVisibility: @retroactive CustomStringConvertible {
    public var description: String { caseName(rawValue, ["default", "show", "hide"]) }
}

/// - Returns: The number where no name is known for it.
private func caseName(_ rawValue: Int, _ names: [String]) -> String {
    names.indices.contains(rawValue) ? names[rawValue] : "\(rawValue)"
}
