import Cryptography
import ServiceDatabase
import StoreModels

/// Decides about offer codes, without I/O.
enum OfferCodeRules {
    /// Maximum number of an app's active custom codes and batches, so that each list is short.
    static let perAppMax = 1_000
    /// Maximum number of an app's active one-time codes: Apple's number for a quarter.
    static let oneTimePerAppMax = 1_000_000

    /// Returns SHA-256 of a code's text, which is all that the store keeps of a one-time code. Case does not count.
    static func digest(of code: String) -> String {
        let upper = code.utf8.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
        return Hex.text(SHA256.hash(data: upper))
    }

    /// Returns a one-time code of 16 letters and digits, with 80 random bits.
    static func oneTimeCode(_ random: inout some RandomNumberGenerator) -> String {
        (0..<2).map { _ in CrockfordBase32.digits(random.next(), count: 8) }.joined().uppercased()
    }

    /// Decides whether a customer may redeem a code.
    ///
    /// Its offer decides about the customer afterwards (``RequestedOfferPolicy``).
    /// - Parameters:
    ///   - stored: Nil for a code that is gone with its app.
    ///   - hasRedeemed: Whether the customer has redeemed a code of the same offer.
    ///   - now: The app's clock.
    /// - Returns: The failure of the payment, or nil if the customer may.
    static func refusal(of stored: StoredOfferCode?, hasRedeemed: Bool, now: Timestamp) -> TransactionError? {
        guard let stored else { return refusal(.codeExpired, "The code is gone.") }
        let code = stored.code
        // A customer learns first that they have it already.
        if hasRedeemed { return refusal(.codeRedeemed, "This account has redeemed a code of this offer.") }
        if !code.isActive { return refusal(.codeExpired, "The code is not active.") }
        if let end = code.expiresAt, now >= end { return refusal(.codeExpired, "The code's time is over.") }
        if stored.isSpent || code.redemptions >= code.redemptionsMax {
            return refusal(.codeSpent, "The code has been redeemed as often as it may be.")
        }
        return nil
    }

    private static func refusal(_ code: StoreErrorCode, _ message: String) -> TransactionError {
        TransactionError(.ineligibleForOffer, message, reason: code.name)
    }

    /// Returns the error of a request whose code is refused. Its payment makes no transaction.
    /// - Parameter error: The failure that the payment would have.
    /// - Returns: Nil for the failure of a purchase, which is not the code's.
    static func error(of error: TransactionError) -> StoreError? {
        let refusals: [StoreErrorCode] = [.codeSpent, .codeExpired, .codeRedeemed, .codeIneligible]
        guard let code = refusals.first(where: { $0.name == error.reason }) else { return nil }
        return StoreError(code, error.localizedDescription)
    }
}

/// A code as a purchase finds it.
struct StoredOfferCode: Hashable, Sendable {
    var code: OfferCode
    /// Whether this one-time code of the batch was redeemed.
    var isSpent: Bool
}
