import StoreModels

@testable import PaymentQueue

/// The rules about a customer's purchases of consumables, as simple as they can be written.
struct PurchaseModel {
    /// The result of a command.
    enum Outcome: Hashable, Sendable {
        case purchased, failed, existing, moved
        /// It is charged after the commit, or a parent is asked.
        case inProgress
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
    ///   - asks: Whether a parent is asked.
    ///   - isAgreed: Whether the charge is for the price.
    ///   - answer: The processor's answer, or nil if it refused the charge or its reply was lost.
    mutating func handle(
        key: String, isHere: Bool = true, asks: Bool = false, isAgreed: Bool = true, answer: Charge.Outcome?,
        limit: Int? = nil
    ) -> Outcome {
        if keys.contains(key) { return .existing }
        guard isHere else { return .moved }
        keys.insert(key)
        head += 1
        if let limit, unfinished >= limit {
            head += 1
            return .failed
        }
        if asks {
            head += 1
            return .inProgress
        }
        guard isAgreed, let answer else { return .inProgress }
        head += 1
        guard answer == .authorized else { return .failed }
        purchased += 1
        unfinished += 1
        return .purchased
    }
}

extension PurchaseModel.Outcome {
    init(_ outcome: PurchaseCommand.Outcome) {
        switch outcome {
        case .begun(let stored, _):
            switch stored.transaction.transactionState {
            case .purchased: self = .purchased
            case .failed: self = .failed
            case .purchasing, .deferred, .restored: self = .inProgress
            }
        case .existing: self = .existing
        case .moved: self = .moved
        }
    }
}
