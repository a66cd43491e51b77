import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `refundRequest.open`, `.get`, `.list`, `.grant`, `.decline` and `.consumption`: customers' requests for
/// refunds.
struct RefundRequestService: QueuePart {
    /// Maximum number of requests in one page.
    static let pageMax = 100

    let context: QueueContext
    let refunds: RefundService

    /// Opens a request about a purchase that was not taken back.
    /// - Throws: `notFound`, or `transactionStateInvalid` if it is not a purchase, was taken back, or has an open
    ///   request.
    func open(_ request: OpenRefundRequest) async throws -> CustomerRefundRequest {
        let found = try await transaction(request.transaction)
        let asked = CustomerState.lookups(about: found) + [RefundRequestRepository.open(about: found.id).key]
        let committed = try await commits.commit(found.customer, asking: asked) { state in
            try state.requestRefund(of: state.existing(found.id), request.reason)
        }
        for change in committed.changes { publish(change) }
        return committed.output
    }

    /// Reads a request.
    /// - Throws: `notFound`.
    func get(_ named: ScopedIdentifier) async throws -> CustomerRefundRequest {
        try Self.known(try await database.read { reader in try await reader.read(RefundRequestRepository.find(named)) })
    }

    /// Lists an app's requests that wait for an answer, oldest first.
    /// - Throws: `requestInvalid`.
    func list(_ request: RefundRequestsRequest) async throws -> RefundRequestsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let found = try await database.read { reader in
            try await RefundRequestRepository.open(
                of: request.bundleId, after: request.after ?? "", limit: request.limit + 1, in: reader)
        }
        let page = try ReplyBudget.fitting(Array(found.prefix(request.limit)))
        return RefundRequestsPage(
            refundRequests: page,
            after: page.count == found.count ? nil : page.last?.refundRequestIdentifier)
    }

    /// Grants a request: refunds the purchase, as a whole or in part.
    /// - Throws: `requestInvalid`, `notFound`, `transactionStateInvalid` for one that was declined, or the errors of
    ///   ``RefundService/takeBack(_:_:share:deadline:)``.
    func grant(
        _ request: GrantRefundRequest, deadline: ContinuousClock.Instant
    ) async throws -> CustomerRefundRequest {
        let share = try RefundShareRules.share(request.type, request.percentage)
        let found = try await get(request.refundRequest)
        switch found.state {
        case .granted: return found
        case .declined: throw Self.decided(found)
        case .open: break
        }
        // The refund ends the request in its own commit.
        _ = try await refunds.takeBack(
            RefundRequest(ScopedIdentifier(found.transactionId, in: request.refundRequest.scope)), .refunded,
            share: share, deadline: deadline)
        return try await get(request.refundRequest)
    }

    /// Declines a request.
    /// - Throws: `notFound`, or `transactionStateInvalid` for one that was granted.
    func decline(_ named: ScopedIdentifier) async throws -> CustomerRefundRequest {
        let found = try await get(named)
        let purchase = try await transaction(ScopedIdentifier(found.transactionId, in: named.scope))
        let find = RefundRequestRepository.find(named)
        let asked = CustomerState.lookups(about: purchase) + [find.key]
        let committed = try await commits.commit(purchase.customer, asking: asked) { state in
            let known = try Self.known(state.read(find))
            switch known.state {
            case .declined: return
            case .granted: throw Self.decided(known)
            case .open: break
            }
            let stored = try state.existing(purchase.id)
            state.write(RefundRequestRepository.decide(.declined, about: stored.id, at: state.now))
            try state.note(.refundDeclined, about: stored)
        }
        for change in committed.changes { publish(change) }
        return try await get(named)
    }

    /// Keeps the app server's information about a purchase's consumption, at its open request.
    /// - Throws: `notFound`, also for another app's.
    func consume(_ request: ConsumptionInformation) async throws -> Empty {
        try await database.write { transaction in
            let stored = try await TransactionRepository.find(
                identifier: request.transactionIdentifier, ofApp: request.bundleId, in: transaction)
            guard let stored else { throw StoreError.unknownTransaction }
            try await RefundRequestRepository.setConsumption(request.consumption, about: stored.id, in: transaction)
        }
        return Empty()
    }

    // MARK: Errors

    private static func known(_ found: CustomerRefundRequest?) throws(StoreError) -> CustomerRefundRequest {
        guard let found else { throw StoreError(.notFound, "no such refund request") }
        return found
    }

    private static func decided(_ found: CustomerRefundRequest) -> StoreError {
        StoreError(
            .transactionStateInvalid,
            "the refund request was \(found.state.rawValue) already; open another one for the transaction",
            details: ["state": .string(found.state.rawValue)])
    }
}

/// The part of a price that a refund gives back.
struct RefundPortion: Hashable, Sendable {
    /// The whole, in thousandths of a percent.
    static let whole = 100_000
    static let full = RefundPortion(type: .refundFull, percentage: whole)

    var type: RevocationType
    /// 1…100000, in thousandths of a percent.
    var percentage: Int
}

/// Decides about shares without I/O.
enum RefundShareRules {
    /// Makes the share of a grant.
    /// - Throws: `requestInvalid`.
    static func share(_ type: RevocationType?, _ percentage: Int?) throws(StoreError) -> RefundPortion {
        switch type ?? .refundFull {
        case .refundFull:
            guard percentage == nil || percentage == RefundPortion.whole else {
                throw invalid("percentage", "goes with the type REFUND_PRORATED; leave it out for a whole refund")
            }
            return .full
        case .refundProrated:
            guard let percentage, (1...RefundPortion.whole).contains(percentage) else {
                throw invalid(
                    "percentage", "must be 1 to \(RefundPortion.whole): thousandths of a percent of the price")
            }
            return RefundPortion(type: .refundProrated, percentage: percentage)
        case .familyRevoke:
            throw invalid("type", "FAMILY_REVOKE is not a refund; storebus family ends what a family shares")
        }
    }

    private static func invalid(_ member: String, _ reason: String) -> StoreError {
        StoreError(.requestInvalid, "\(member) \(reason)", details: ["path": .string("$.\(member)")])
    }
}

extension CustomerState {
    /// Opens a request for the refund of a purchase.
    fileprivate mutating func requestRefund(
        of stored: StoredTransaction, _ reason: ConsumptionRequestReason
    ) throws -> CustomerRefundRequest {
        let value = stored.transaction
        guard value.transactionState == .purchased, stored.terms?.change?.isNote != true,
            let identifier = value.transactionIdentifier
        else {
            throw StoreError(
                .transactionStateInvalid, "only a purchase can be refunded",
                details: ["transactionState": .string(value.transactionState.rawValue)])
        }
        guard stored.terms?.shared == nil else {
            throw StoreError(
                .transactionStateInvalid, "the purchase is shared by the customer's family; its buyer can ask")
        }
        guard value.revocationDate == nil else {
            throw StoreError(.transactionStateInvalid, "transaction '\(identifier)' was taken back already")
        }
        if let open = try read(RefundRequestRepository.open(about: stored.id)) {
            throw StoreError(
                .transactionStateInvalid,
                "refund request '\(open.refundRequestIdentifier)' is open; grant or decline it first",
                details: ["refundRequestIdentifier": .string(open.refundRequestIdentifier)])
        }
        var random = SystemRandomNumberGenerator()
        let request = CustomerRefundRequest(
            refundRequestIdentifier: Identifiers.refundRequest(wall: wall, random: &random), transactionId: stored.id,
            transactionIdentifier: identifier, bundleId: customer.bundleId, account: account.account, state: .open,
            reason: reason, requestedAt: now)
        write(RefundRequestRepository.insert(request, of: customer))
        try note(.refundRequested, about: stored, reason)
        return request
    }
}
