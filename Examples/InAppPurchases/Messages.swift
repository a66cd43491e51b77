/// The app's messages to its user.
enum Messages {
    static let cannotMakePayments = "You may not make payments on this device."
    static let deferred = "This purchase waits for approval. You can go on using the app meanwhile."
    static let nothingRestored = "There is nothing to restore."
    static let onboarding = "Purchases that begin in the store are deferred; 'continue' makes them, 'cancel' does not."
    static let openedByStore = "The store opens the app."
    static let unknownPaymentTransaction = "The payment queue has a transaction in an unknown state."
    static let usage = "A number buys; p1 or r1 shows a purchase; restore, list, defer, continue, cancel, quit."

    static func deferredInApp(_ title: String) -> String { "Deferred: \(title). 'continue' buys it." }
    static func failed(_ title: String, _ reason: String) -> String { "The purchase of \(title) failed: \(reason)" }
    static func noProduct(_ word: String) -> String { "There is no '\(word)' to buy or to show. \(usage)" }
    static func notAvailable(_ reason: String) -> String { "The store did not answer: \(reason)" }
    static func notDelivered(_ title: String, _ reason: String) -> String {
        "The content of \(title) was not delivered: \(reason). The next launch tries again."
    }
    static func restoreFailed(_ reason: String) -> String { "Restoring failed: \(reason)" }
}
