/// `SKProductStorePromotionVisibility`: one device's setting for one promoted product. `default` means no override: the
/// operator's setting decides (M88).
public enum StorePromotionVisibility: String, CaseIterable, Sendable, Codable {
    case `default`, show, hide
}
