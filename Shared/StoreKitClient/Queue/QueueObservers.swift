/// The registered observers of a queue, not retained. Registering an observer again is a new registration, which
/// receives no callback of the earlier one.
struct QueueObservers: Sendable {
    private struct Registration: @unchecked Sendable {
        // Unchecked: the app's observer is called on the callback queue only.
        let number: Int
        let id: ObjectIdentifier
        /// Whether the observer has `shouldAddStorePayment`.
        let handlesStorePayments: Bool
        weak var observer: (any SKPaymentTransactionObserver)?
    }

    private var registrations: [Registration] = []
    private var next = 0

    /// - Returns: The registration's number, or nil if the observer is already registered.
    mutating func add(_ observer: any SKPaymentTransactionObserver) -> Int? {
        let id = ObjectIdentifier(observer)
        // A deallocated observer may have had the same address.
        registrations.removeAll { $0.id == id && $0.observer == nil }
        guard !registrations.contains(where: { $0.id == id }) else { return nil }
        defer { next += 1 }
        registrations.append(
            Registration(
                number: next, id: id, handlesStorePayments: type(of: observer).handlesStorePayments, observer: observer)
        )
        return next
    }

    /// Removes a registration. An observer's own `deinit` may call it.
    mutating func remove(_ id: ObjectIdentifier) { registrations.removeAll { $0.id == id } }

    /// Removes the registrations of deallocated observers.
    /// - Returns: The other observers, which the caller releases only without the lock: reading a weak reference
    ///   retains the observer, and releasing the last reference runs its `deinit`, which may remove it here.
    mutating func prune() -> [any SKPaymentTransactionObserver] {
        let living = all
        registrations.removeAll { $0.observer == nil }
        return living
    }

    var isEmpty: Bool { registrations.isEmpty }
    var numbers: [Int] { registrations.map(\.number) }
    var all: [any SKPaymentTransactionObserver] { registrations.compactMap(\.observer) }

    /// Whether an observer has `shouldAddStorePayment`, as of the last ``prune()``.
    var handlesStorePayments: Bool { registrations.contains { $0.handlesStorePayments } }
    /// The first living observer that has `shouldAddStorePayment`, or nil without one.
    var storePaymentHandler: (any SKPaymentTransactionObserver)? {
        // Read each weak reference once: it may be nil the second time.
        for registration in registrations where registration.handlesStorePayments {
            if let observer = registration.observer { return observer }
        }
        return nil
    }

    /// Returns the observer of a registration, or nil if it was removed or deallocated.
    func observer(_ number: Int) -> (any SKPaymentTransactionObserver)? {
        registrations.first { $0.number == number }?.observer
    }
}
