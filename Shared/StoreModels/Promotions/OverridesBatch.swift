/// Asks about the overrides of several devices (``PromotionEndpoints/getManyOverrides``).
///
/// ```json
/// {"installations":[{"bundleId":"com.example.app","deviceId":"alice-1"}]}
/// ```
public struct OverridesBatch: Hashable, Sendable, Codable {
    /// Installations in one batch, at most.
    public static let installationsMax = 32

    /// At most ``installationsMax``.
    public var installations: [InstallationReference]
    /// Checks the batch's bound.
    ///
    /// - Throws: `requestInvalid` for more than fits.
    public func validate() throws(StoreError) {
        guard installations.count <= Self.installationsMax else {
            throw StoreError(
                .requestInvalid,
                "installations: has \(installations.count) of them; \(Self.installationsMax) are allowed")
        }
    }
}

/// The overrides of a batch's installations.
public struct OverridesBatchReply: Hashable, Sendable, Codable {
    /// In the order of the request. Only the first ones if more do not fit into one message of the bus.
    public var promotions: [DevicePromotions]
}
