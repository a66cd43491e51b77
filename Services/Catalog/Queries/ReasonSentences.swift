import StoreModels

/// Explains for each reason why a product cannot be bought, and the remedy (M5).
struct ReasonSentences: Sendable {
    let bundleId: String
    let productIdentifier: String
    let entry: StorefrontEntry
    /// The product, or nil when the app does not have it.
    let product: CatalogProduct?
    /// The other apps that have a product of this identifier.
    let otherApps: [String]
    /// A product of the app with a similar identifier.
    let similar: String?

    func sentence(_ reason: ProductExplanation.Reason) -> String {
        switch reason {
        case .unknown: unknown
        case .wrongBundle: wrongBundle
        case .notApproved:
            "Its state is \(state); set `state` to approved in the catalogue and import it again."
        case .removedFromSale:
            "It was removed from sale (\(state)); set `state` to approved in the catalogue and import it again."
        case .notClearedForSale:
            "It is not cleared for sale; set `clearedForSale` to true in the catalogue and import it again."
        case .agreementInactive:
            "The agreements of \(bundleId) are not active; set `agreementsActive` to true in the app's settings."
        case .storefrontUnavailable: storefrontUnavailable
        case .hostedContentMissing: hostedContentMissing
        case .notPropagated: notPropagated
        }
    }

    private var state: String { (product?.conditions.state ?? .approved).rawValue }

    private var unknown: String {
        let hint = similar.map { "did you mean '\($0)'?" } ?? "check the spelling, or import a catalogue that has it."
        return "No app of this store has a product '\(productIdentifier)'; \(hint)"
    }

    private var wrongBundle: String {
        let owners = otherApps.prefix(3).joined(separator: ", ")
        let more = otherApps.count > 3 ? " and \(otherApps.count - 3) more apps" : ""
        return "It belongs to \(owners)\(more) and not to \(bundleId); ask with that app's bundle identifier, "
            + "or add the product to the catalogue of \(bundleId)."
    }

    private var storefrontUnavailable: String {
        "It is not sold in \(entry.name); add \(entry.storefront.countryCode) to its `availability` "
            + "in the catalogue and import it again."
    }

    private var hostedContentMissing: String {
        let declared = product?.conditions.hostedContent
        return
            "Its hosted content, version \(declared?.version ?? "") of \(declared?.length ?? 0) bytes, is not in the "
            + "store; upload it with `storebus product content put`."
    }

    private var notPropagated: String {
        let instant = product?.conditions.availableFrom?.description ?? ""
        return "It becomes available at \(instant); wait until then, "
            + "or set an earlier `availableFrom` in the catalogue and import it again."
    }
}
