import StoreModels

/// The optional body of a refund or revocation, which may contain a reason: `{"reason":"appIssue"}`.
struct RefundReason: Decodable {
    var reason: RefundRequest.Reason?
}
