/// What `verifyReceipt` says of a receipt: Apple's numbers and what they mean.
struct ReceiptStatus: Hashable, Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }

    static let ok = ReceiptStatus(0)

    var meaning: String {
        switch number {
        case 0: "the receipt is valid"
        case 21000: "the request was not made with POST"
        case 21001: "a status that is no longer used"
        case 21002: "the receipt is missing or malformed, or the store had a temporary error"
        case 21003: "the receipt could not be authenticated: this store has not signed it, or it was changed"
        case 21004: "the password is missing, or it is not the app's shared secret"
        case 21005: "the receipt server is not available right now"
        case 21006: "the receipt is valid, but the subscription has expired"
        case 21007: "the receipt is the sandbox's, and was sent to production"
        case 21008: "the receipt is production's, and was sent to the sandbox"
        case 21009: "a fault inside the store"
        case 21010: "the account was not found, or was deleted"
        case 21100...21199: "a fault inside the store"
        default: "a status Apple does not document"
        }
    }

    /// What to do about it.
    var remedy: String {
        switch number {
        case 21003: "fetch it anew: storebus receipt --as ACCOUNT"
        case 21004: "give the app's secret: --password; a new one: storebus key create --kind sharedSecret"
        case 21005, 21009, 21100...21199: "try again; which service is away: storebus status"
        case 21007, 21008: "send it to the other environment's address"
        default: "fetch it anew: storebus receipt --as ACCOUNT"
        }
    }
}
