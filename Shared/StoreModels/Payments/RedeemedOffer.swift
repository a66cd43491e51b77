/// An offer redeemed outside the app: `{"type":"winBack","identifier":"back.free.month"}`.
public struct RedeemedOffer: Hashable, Sendable, Codable {
    /// Where the offer was redeemed: `code`, `winBack` or `subscription` with the operator's purchases.
    public var type: AppliedOffer.Kind
    /// Absent for the introductory offer.
    public var identifier: String?
}
