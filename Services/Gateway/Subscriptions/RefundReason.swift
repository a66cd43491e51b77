import StoreModels

/// The body of a refund or revocation, which may say why, or have no body at all: `{"reason":"appIssue"}`.
struct RefundReason: Decodable {
    var reason: RefundRequest.Reason?
}
