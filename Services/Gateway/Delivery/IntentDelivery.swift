import StoreModels

/// Decides when one stream asks for purchases that began in the store. It also decides which of them to send (M65, M74,
/// I1). A pure state machine: replies and hints go in, events come out.
///
/// Every pending purchase is sent once per stream. The first reply belongs to the stream's opening; later ones are sent
/// with `openApp` before them, because the store opens the app. Hints and heads only signal a change;
/// PromotionController's reply says what is pending.
struct IntentDelivery {
    /// An event sent to the observer. `seq` is the stream's position in the customer's journal, as with every event.
    enum Event: Equatable {
        case openApp(seq: Int64, intentIdentifier: String)
        case promotedPurchase(seq: Int64, PurchaseIntent)
    }

    /// Whether the app handles promoted purchases; an app that does not gets no events about them.
    let isHandled: Bool
    /// The last reply's number; 0 before the first.
    private(set) var position: Int64 = 0
    /// The largest number seen in a hint or a head.
    private var target: Int64 = 0
    /// `target` when the current request was sent.
    private var targetAsked: Int64 = 0
    /// Pending intents this stream has sent: an intent that is no longer pending never is again. Bounded by how many
    /// can be pending.
    private var told: Set<ExactText> = []
    /// The opening is over: PromotionController was asked, whether it answered or not.
    private var isOpen = false
    /// A request failed, or the previous reply is outdated.
    private var mustAsk = false
    /// Nothing is asked until the next head or hint.
    private var isResting = false

    init(_ handler: DeviceLaunch.PromotedPurchases) {
        switch handler {
        case .delegate, .purchaseIntent: isHandled = true
        case .none: isHandled = false
        }
    }

    /// Whether to ask now. The opening places its first request itself.
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
        let news = reply.intents.filter { !told.containsExactly($0.intentIdentifier) }
        told = Set(exactly: reply.intents.map(\.intentIdentifier))
        return news.flatMap { intent in
            let purchase = Event.promotedPurchase(seq: seq, intent)
            return isOpening ? [purchase] : [.openApp(seq: seq, intentIdentifier: intent.intentIdentifier), purchase]
        }
    }

    /// Processes a failed request. The stream opens without intents; pending ones follow when a request succeeds.
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
