/// The observers of a queue, none of them retained. One that is registered again is a new registration: what was on its
/// way to the old one does not reach it.
struct QueueObservers: Sendable {
    private struct Registration: Sendable {
        let number: Int
        weak var observer: (any SKPaymentTransactionObserver)?
    }

    private var registrations: [Registration] = []
    private var next = 0

    /// - Returns: Its number; nil when it is registered already.
    mutating func add(_ observer: any SKPaymentTransactionObserver) -> Int? {
        guard !registrations.contains(where: { $0.observer === observer }) else { return nil }
        defer { next += 1 }
        registrations.append(Registration(number: next, observer: observer))
        return next
    }

    mutating func remove(_ observer: any SKPaymentTransactionObserver) {
        registrations.removeAll { $0.observer === observer }
    }

    /// Forgets those that are no more.
    mutating func prune() { registrations.removeAll { $0.observer == nil } }

    var isEmpty: Bool { registrations.isEmpty }
    var numbers: [Int] { registrations.map(\.number) }
    var all: [any SKPaymentTransactionObserver] { registrations.compactMap(\.observer) }

    /// The observer of a registration that still stands.
    func observer(_ number: Int) -> (any SKPaymentTransactionObserver)? {
        registrations.first { $0.number == number }?.observer
    }
}
