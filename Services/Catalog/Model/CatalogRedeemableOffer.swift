import StoreModels

/// A win-back offer or an offer code as its file describes it.
struct CatalogRedeemableOffer: Hashable, Sendable {
    let type: RedeemableOffer.Kind
    let offer: CatalogOffer
    /// Of offer codes: whom it is for.
    var audiences: [RedeemableOffer.Audience]?
    /// Of offer codes.
    var isStackable: Bool?
    /// Of win-back offers.
    var winBack: RedeemableOffer.WinBackConditions?
}
