/// The observers of a queue, none of them retained. One that is registered again is a new registration: what was on its
/// way to the old one does not reach it.
struct QueueObservers: Sendable {
    private struct Registration: @unchecked Sendable {
        // Unchecked: the observer is the app's, and is called on the callback queue alone.
        let number: Int
        let id: ObjectIdentifier
        /// Whether it has `shouldAddStorePayment`.
        let handlesStorePayments: Bool
        weak var observer: (any SKPaymentTransactionObserver)?
    }

    private var registrations: [Registration] = []
    private var next = 0

    /// - Returns: Its number; nil when it is registered already.
    mutating func add(_ observer: any SKPaymentTransactionObserver) -> Int? {
        let id = ObjectIdentifier(observer)
        // Another one may have been at the same address before.
        registrations.removeAll { $0.id == id && $0.observer == nil }
        guard !registrations.contains(where: { $0.id == id }) else { return nil }
        defer { next += 1 }
        registrations.append(
            Registration(
                number: next, id: id, handlesStorePayments: type(of: observer).handlesStorePayments, observer: observer)
        )
        return next
    }

    /// Can be called by an observer's own `deinit`.
    mutating func remove(_ id: ObjectIdentifier) { registrations.removeAll { $0.id == id } }

    /// Removes the registrations of deallocated observers.
    /// - Returns: The others, which the caller lets go only when it holds no lock: to look at an observer is to hold
    ///   it, and the last to hold one runs its `deinit`, which may want to be removed here.
    mutating func prune() -> [any SKPaymentTransactionObserver] {
        let living = all
        registrations.removeAll { $0.observer == nil }
        return living
    }

    var isEmpty: Bool { registrations.isEmpty }
    var numbers: [Int] { registrations.map(\.number) }
    var all: [any SKPaymentTransactionObserver] { registrations.compactMap(\.observer) }

    /// Whether one of them has `shouldAddStorePayment`; as of the last ``prune()``.
    var handlesStorePayments: Bool { registrations.contains { $0.handlesStorePayments } }
    /// The first of those that is still there.
    var storePaymentHandler: (any SKPaymentTransactionObserver)? {
        // Read once each: it may be gone the second time.
        for registration in registrations where registration.handlesStorePayments {
            if let observer = registration.observer { return observer }
        }
        return nil
    }

    /// The observer of a registration that still exists.
    func observer(_ number: Int) -> (any SKPaymentTransactionObserver)? {
        registrations.first { $0.number == number }?.observer
    }
}
