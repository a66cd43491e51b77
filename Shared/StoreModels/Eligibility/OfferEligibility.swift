/// Whether a customer may have an introductory offer. `unknown` if it cannot be determined, because it is never
/// guessed.
public enum OfferEligibility: String, CaseIterable, Sendable, Codable { case eligible, ineligible, unknown }
