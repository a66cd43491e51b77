/// Asks about several customers of one app (``PaymentEndpoints/offerSummaries``), at most
/// ``EligibilityBatch/customersMax``.
///
/// `{"bundleId":"com.example.app","customerIdentifiers":["c_1","c_2"]}`
public struct OfferSummariesRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// At most ``EligibilityBatch/customersMax``, of one app.
    public var customerIdentifiers: [String]
}

/// One summary per customer, in their order, null for an unknown one. All are of one snapshot.
public struct OfferSummaries: Hashable, Sendable, Codable {
    /// In the request's order, null for an unknown customer.
    public var summaries: [OfferSummary?]
}
