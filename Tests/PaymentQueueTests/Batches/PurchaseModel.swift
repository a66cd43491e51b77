import StoreModels

@testable import PaymentQueue

/// The rules about a customer's plain purchases, as simple as they can be written.
struct PurchaseModel {
    /// The result of a command.
    enum Outcome: Hashable, Sendable {
        case purchased, failed, existing, moved, otherTerms
    }

    /// The number of journal rows.
    private(set) var head: Int64 = 0
    /// The number of purchased transactions.
    private(set) var purchased: Int64 = 0
    /// How many of them are not finished.
    var unfinished = 0
    /// The keys of written purchases.
    private(set) var keys: Set<String> = []

    /// - Parameters:
    ///   - isHere: Whether the quote is for the customer's storefront.
    ///   - isAgreed: Whether the charge is for the price, and no person is asked.
    ///   - answer: The processor's answer, or nil if it refused the charge or its reply was lost.
    mutating func handle(
        key: String, isHere: Bool = true, isAgreed: Bool = true, answer: Charge.Outcome?, limit: Int? = nil
    ) -> Outcome {
        guard let answer else { return .otherTerms }
        if keys.contains(key) { return .existing }
        guard isHere else { return .moved }
        if !isAgreed { return .otherTerms }
        if let limit, unfinished >= limit { return .otherTerms }
        keys.insert(key)
        head += 2
        guard answer == .authorized else { return .failed }
        purchased += 1
        unfinished += 1
        return .purchased
    }
}

extension PurchaseModel.Outcome {
    init(_ outcome: PurchaseCommand.Outcome) {
        switch outcome {
        case .sold(let stored):
            self = stored.transaction.transactionState == .purchased ? .purchased : .failed
        case .existing: self = .existing
        case .moved: self = .moved
        case .otherTerms: self = .otherTerms
        }
    }
}
