/// Whether a customer may have an introductory offer. `unknown` when it cannot be determined; it is never invented.
public enum OfferEligibility: String, CaseIterable, Sendable, Codable { case eligible, ineligible, unknown }
