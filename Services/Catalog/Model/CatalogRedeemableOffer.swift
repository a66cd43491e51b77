import StoreModels

/// A win-back offer or an offer code as its file describes it.
struct CatalogRedeemableOffer: Hashable, Sendable {
    let type: RedeemableOffer.Kind
    let offer: CatalogOffer
    /// Audiences of an offer code.
    var audiences: [RedeemableOffer.Audience]?
    /// Only for offer codes.
    var isStackable: Bool?
    /// Only for win-back offers.
    var winBack: RedeemableOffer.WinBackConditions?
}
