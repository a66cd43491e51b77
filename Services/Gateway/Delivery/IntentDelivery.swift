import StoreModels

/// Decides when one stream asks for purchases that began in the store, and what it tells of them (M65, M74, I1). A pure state
/// machine: what was read or heard goes in, events come out.
///
/// Everything pending is told, each purchase once a stream. The first answer belongs to the stream's opening; what comes
/// later is told with `openApp` before it, for the store opens the app. Hints and heads only say that there is something to
/// ask for; what is pending, PromotionController says.
struct IntentDelivery {
    /// What the observer is told. `seq` is the stream's place in the customer's journal, as with every event.
    enum Event: Equatable {
        case openApp(seq: Int64, intentIdentifier: String)
        case promotedPurchase(seq: Int64, PurchaseIntent)
    }

    /// Whether the app handles promoted purchases at all; one that does not is told of none.
    let isHandled: Bool
    /// The last answer's number; 0 before the first.
    private(set) var position: Int64 = 0
    /// The largest number anybody has named.
    private var target: Int64 = 0
    /// `target` when the question was asked that is under way.
    private var targetAsked: Int64 = 0
    /// What this stream was told of and is still pending: an intent that is not, never is again. As many as can be pending.
    private var told: Set<ExactText> = []
    /// The opening is over: PromotionController was asked, whether it answered or not.
    private var isOpen = false
    /// A question was not answered, or what was known is no longer so.
    private var mustAsk = false
    /// Nothing is asked until the next head or hint.
    private var isResting = false

    init(_ handler: DeviceLaunch.PromotedPurchases) {
        switch handler {
        case .delegate, .purchaseIntent: isHandled = true
        case .none: isHandled = false
        }
    }

    /// Whether to ask now. The opening's own question is the stream's to place among what else it opens with.
    var isDue: Bool { isHandled && isOpen && !isResting && (mustAsk || target > position) }

    /// The question is under way.
    mutating func asks() { targetAsked = target }

    /// All that is pending.
    /// - Parameter seq: Where the stream is in the customer's journal.
    mutating func receive(_ reply: DeliverIntentsReply, at seq: Int64) -> [Event] {
        let isOpening = !isOpen
        isOpen = true
        mustAsk = false
        isResting = false
        position = reply.seq
        // What was named before the question is answered, however large it was; what was named since is not.
        if target == targetAsked { target = position }
        let news = reply.intents.filter { !told.containsExactly($0.intentIdentifier) }
        told = Set(exactly: reply.intents.map(\.intentIdentifier))
        return news.flatMap { intent in
            let purchase = Event.promotedPurchase(seq: seq, intent)
            return isOpening ? [purchase] : [.openApp(seq: seq, intentIdentifier: intent.intentIdentifier), purchase]
        }
    }

    /// The question was not answered. The stream opens without: what is pending comes when it can be asked for.
    mutating func failed() {
        isOpen = true
        mustAsk = true
        isResting = true
    }

    /// A hint from the bus says how far the installation's intents have come.
    mutating func receive(hint seq: Int64) {
        isResting = false
        target = max(target, seq)
    }

    /// The installation's last number.
    /// - Parameter asked: ``position`` when it was asked. A head below it means that the count began anew.
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
