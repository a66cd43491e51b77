internal import StoreModels

/// The elements for one iterator that does not end: those that wait, or the caller that waits for one.
///
/// `AsyncStream` is no choice: it has no rule by which a newer state of a transaction takes the place of an older one.
final class Mailbox<Element: Sendable>: Sendable {
    struct State: Sendable {
        var items: [(key: String?, element: Element)] = []
        var waiter: CheckedContinuation<Element?, Never>?
        var isEnded = false
    }

    let state = LockedValue(State())
    /// Where it is registered. Nil before, and when its iterator is released.
    let registration = LockedValue<MailboxRegistration?>(nil)

    /// Adds an element. One with the same key that was not taken yet is replaced.
    /// - Returns: Wakes the waiting caller, if there is one. It is called without any lock: waking takes the task's
    ///   own, which a canceller holds while it waits for the queue's.
    func put(_ element: Element, key: String?) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.isEnded else { return nil }
            if let waiter = state.waiter {
                state.waiter = nil
                return { waiter.resume(returning: element) }
            }
            if let key, let index = state.items.firstIndex(where: { $0.key == key }) {
                state.items[index].element = element
            } else {
                state.items.append((key, element))
                if state.items.count > ClientLimits.undeliveredMax { state.items.removeFirst() }
            }
            return nil
        }
    }

    /// Takes the next element, or waits for it. Nil after the end, which cancelling the task brings.
    func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: Element?? = state.withLock { state in
                    if state.isEnded { return .some(nil) }
                    if !state.items.isEmpty { return .some(state.items.removeFirst().element) }
                    precondition(state.waiter == nil, "an iterator has one caller at a time")
                    state.waiter = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            end()
        }
    }

    func end() {
        let waiter = state.withLock { state in
            state.isEnded = true
            state.items = []
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }
}

/// The queue that fills a mailbox. In a test another queue may take it over.
struct MailboxRegistration: Sendable {
    let core: QueueCore
    let number: Int
}

/// The origin of a public sequence's elements.
enum DeliverySource<Element: Sendable>: Sendable {
    /// A list of the store, read when the first element is asked for.
    case list(@Sendable () async -> [Element])
    /// Events until the iterator is released.
    case live(@Sendable () -> DeliveryIterator<Element>)

    func iterator() -> DeliveryIterator<Element> {
        switch self {
        case .list(let read): DeliveryIterator(read)
        case .live(let listen): listen()
        }
    }
}

/// The state behind a public sequence's iterator.
final class DeliveryIterator<Element: Sendable>: Sendable {
    private enum Source: Sendable {
        case list(@Sendable () async -> [Element])
        case mailbox(Mailbox<Element>, onEnd: @Sendable () -> Void)
    }

    private let source: Source
    /// The elements of a list that are left, the next one last. Nil before it was read.
    private let rest = LockedValue<[Element]?>(nil)

    init(_ read: @escaping @Sendable () async -> [Element]) { source = .list(read) }

    /// - Parameter onEnd: Called when the iterator is released.
    init(_ mailbox: Mailbox<Element>, onEnd: @escaping @Sendable () -> Void) {
        source = .mailbox(mailbox, onEnd: onEnd)
    }

    deinit { if case .mailbox(_, let onEnd) = source { onEnd() } }

    func next() async -> Element? {
        switch source {
        case .mailbox(let mailbox, _): return await mailbox.next()
        case .list(let read):
            guard !Task.isCancelled else { return nil }
            if rest.withLock({ $0 == nil }) {
                let list: [Element] = await read().reversed()
                rest.withLock { $0 = list }
            }
            return rest.withLock { $0?.popLast() }
        }
    }
}

/// The iterators that do not end, by their numbers.
struct DeliveryListeners: Sendable {
    typealias List<Element: Sendable> = [Int: Mailbox<Element>]

    var updates: List<VerificationResult<Transaction>> = [:]
    var statusUpdates: List<Product.SubscriptionInfo.Status> = [:]
    var storefronts: List<Storefront> = [:]
    var intents: List<StorePurchaseIntent> = [:]
    var messages: List<Message> = [:]
    private var last = 0

    var isEmpty: Bool {
        updates.isEmpty && statusUpdates.isEmpty && storefronts.isEmpty && intents.isEmpty && messages.isEmpty
    }

    /// - Returns: The listener's number.
    mutating func add<Element>(
        _ mailbox: Mailbox<Element>, to list: WritableKeyPath<DeliveryListeners, List<Element>>
    ) -> Int {
        last += 1
        self[keyPath: list][last] = mailbox
        return last
    }
}
