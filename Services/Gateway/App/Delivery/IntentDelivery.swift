import StoreModels

/// Decides when one stream reads purchase intents and which it sends (M65, M74, I1). A pure state machine: its input is
/// replies of PromotionController, hints and heads, its output events.
///
/// Each pending intent is sent once per stream. The first reply belongs to the stream's opening. Intents of later
/// replies are sent after an `openApp`, because the store opens the app. Hints and heads only signal a change. The
/// reply has the pending intents.
struct IntentDelivery {
    /// An event sent to the observer. `seq` is the stream's position in the customer's journal, as with every event.
    enum Event: Equatable {
        case openApp(seq: Int64, intentIdentifier: String)
        case promotedPurchase(seq: Int64, StorePurchaseIntent)
    }

    /// Whether the app handles promoted purchases. An app that does not gets no events about them.
    let isHandled: Bool
    /// The last reply's number. 0 before the first.
    private(set) var position: Int64 = 0
    /// The largest number seen in a hint or a head.
    private var target: Int64 = 0
    /// `target` when the current request was sent.
    private var targetAsked: Int64 = 0
    /// Pending intents this stream has sent. An intent that is no longer pending never becomes pending again, so their
    /// number is bounded.
    private var sent: Set<ExactText> = []
    /// Whether the opening is over: the first request has ended, successfully or not.
    private var isOpen = false
    /// Whether a request failed, or the previous reply is outdated.
    private var mustAsk = false
    /// Whether nothing is requested until the next head or hint.
    private var isResting = false

    init(_ handler: DeviceLaunch.PromotedPurchases) {
        switch handler {
        case .delegate, .purchaseIntent: isHandled = true
        case .none: isHandled = false
        }
    }

    /// Whether to send a request now. The opening sends its first request itself.
    var isDue: Bool { isHandled && isOpen && !isResting && (mustAsk || target > position) }

    /// Records that a request is being sent.
    mutating func asks() { targetAsked = target }

    /// Processes all pending intents.
    /// - Parameter seq: The stream's position in the customer's journal.
    mutating func receive(_ reply: DeliverIntentsReply, at seq: Int64) -> [Event] {
        let isOpening = !isOpen
        isOpen = true
        mustAsk = false
        isResting = false
        position = reply.seq
        // Numbers known when the request was sent are covered, however large; later ones are not.
        if target == targetAsked { target = position }
        let news = reply.intents.filter { !sent.containsExactly($0.intentIdentifier) }
        sent = Set(exactly: reply.intents.map(\.intentIdentifier))
        return news.flatMap { intent in
            let purchase = Event.promotedPurchase(seq: seq, intent)
            return isOpening ? [purchase] : [.openApp(seq: seq, intentIdentifier: intent.intentIdentifier), purchase]
        }
    }

    /// Processes a failed request. The stream opens without intents. Pending ones follow when a request succeeds.
    mutating func failed() {
        isOpen = true
        mustAsk = true
        isResting = true
    }

    /// Processes a hint from the bus with the installation's last number.
    mutating func receive(hint seq: Int64) {
        isResting = false
        target = max(target, seq)
    }

    /// Processes the installation's last number.
    /// - Parameter asked: ``position`` when the head was requested. A smaller head means that the count began anew.
    mutating func receive(head: Int64, askedAt asked: Int64) {
        isResting = false
        if head < asked {
            position = min(position, head)
            target = position
            mustAsk = true
        } else {
            target = max(target, head)
        }
    }
}
