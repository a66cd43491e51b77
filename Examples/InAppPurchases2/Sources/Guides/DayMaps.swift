import StoreKit

/// The day maps that the customer has bought and not used.
///
/// StoreKit lists a consumable until the app finishes it, so the app keeps the count. It remembers each transaction.
/// One that comes again, because the app has ended before it could finish it, counts once.
package struct DayMaps: Codable, Equatable, Sendable {
    private var bought: [UInt64: Int] = [:]
    private var used = 0

    /// Reads the file of earlier launches.
    package init(_ file: URL?) {
        guard let file, let data = try? Data(contentsOf: file),
            let saved = try? JSONDecoder().decode(DayMaps.self, from: data)
        else { return }
        self = saved
    }

    /// The number of maps that are left.
    package var left: Int { max(0, bought.values.reduce(0, +) - used) }

    /// Records a purchase, or its refund.
    package mutating func record(_ transaction: Transaction) {
        bought[transaction.id] = transaction.revocationDate == nil ? transaction.purchasedQuantity : 0
    }

    mutating func use() -> Bool {
        guard left > 0 else { return false }
        used += 1
        return true
    }

    package func save(to file: URL?) throws {
        guard let file else { return }
        try JSONEncoder().encode(self).write(to: file, options: .atomic)
    }
}
