import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// Shares the purchases of families' persons, and takes back what is not shared any more.
///
/// A sweep follows the commits (ADR 0079). It reads which members' transactions a person's purchases may change. Each
/// of them is decided in a commit of its member, which reads its cause again. So it may run at any time, twice, and on
/// several replicas at once.
struct SharingService: QueuePart {
    /// Monotonic time between two sweeps.
    static let sweepInterval: Duration = .milliseconds(500)
    /// Pause between two sweeps before a reply.
    static let pause: Duration = .milliseconds(10)
    /// Maximum number of persons that are read at once.
    static let personsMax = 50
    /// Maximum number of transactions that are read at once about a person.
    static let batch = 100
    /// Maximum number of readings about a person in one sweep, so that others have their turn.
    static let readingsMax = 20

    let context: QueueContext

    /// Shares what has changed.
    /// - Parameter family: Nil for all families of all apps.
    /// - Returns: The number of persons about whom there was something to do, or may still be.
    @discardableResult
    func sweep(of family: FamilyReference? = nil) async throws -> Int {
        var (total, last) = (0, StoredFamilyPerson?.none)
        while !Task.isCancelled {
            let after = last
            let due = try await database.read { reader in
                try await FamilyRepository.due(of: family, after: after, limit: Self.personsMax, in: reader)
            }
            for person in due where !Task.isCancelled {
                do {
                    try await share(of: person.customer)
                } catch {
                    delayed(person.customer, error)
                }
            }
            total += due.count
            last = due.last
            guard due.count == Self.personsMax else { break }
        }
        return total
    }

    /// Sweeps until nothing is left for a family, or until an instant. The background sweep does the rest.
    func settle(_ family: FamilyReference, until last: ContinuousClock.Instant) async {
        do {
            // A sweep leaves some work to the next one, such as a customer whom another commit has locked.
            while ContinuousClock.now < last, try await sweep(of: family) > 0 {
                try await Task.sleep(for: Self.pause)
            }
        } catch {
            logger.notice("sharing delayed", metadata: ["app": "\(family.bundleId)", "error": "\(error)"])
        }
    }

    private func delayed(_ buyer: CustomerReference, _ error: any Error) {
        logger.notice(
            "sharing delayed",
            metadata: [
                "app": "\(buyer.bundleId)", "customer": "\(buyer.customerIdentifier)", "error": "\(error)",
            ])
    }

    /// Brings the members' transactions of a person's purchases up to date.
    private func share(of buyer: CustomerReference) async throws {
        for _ in 0..<Self.readingsMax {
            // Before the purchases: what changes afterwards makes the person due again.
            let (found, pairs) = try await database.read { reader in try await work(of: buyer, in: reader) }
            guard let person = found else { return }
            var (changed, failed) = (0, 0)
            for pair in pairs where !Task.isCancelled {
                do {
                    if try await share(pair, of: buyer) { changed += 1 }
                } catch {
                    failed += 1
                    delayed(buyer, error)
                }
            }
            // The person stays due, so the next sweep tries the failed ones again.
            guard failed == 0 else { return }
            guard changed == 0 else { continue }
            return try await end(person)
        }
    }

    /// Shares one transaction with a member.
    private func share(_ pair: SharedPurchaseRepository.Pair, of buyer: CustomerReference) async throws -> Bool {
        let committed = try await commits.commit(
            pair.member,
            asking: CustomerState.lookups(sharing: pair.buyerTransaction, of: buyer, with: pair.member)
        ) { state in try state.share(pair.buyerTransaction, of: buyer) }
        for change in committed.changes { publish(change) }
        return committed.output
    }

    /// Ends the work about a person whose purchases are shared: it is settled, or removed when it is gone.
    private func end(_ person: StoredFamilyPerson) async throws {
        try await database.write { transaction in
            guard person.isGone else { return try await FamilyRepository.settle(person, in: transaction) }
            let customer = person.customer
            let now = clock.now(try await CustomerRepository.clock(of: customer.bundleId, in: transaction))
            guard try await !SharedPurchaseRepository.isAnyLive(of: customer, at: now, in: transaction) else { return }
            // It locks the family: what was shared before is seen now, and nothing is shared until the commit.
            try await FamilyRepository.touch(person.family, of: customer.bundleId, in: transaction)
            guard try await !SharedPurchaseRepository.isAnyLive(of: customer, at: now, in: transaction) else { return }
            try await FamilyRepository.remove(customer, in: transaction)
        }
    }

    /// Reads a person, and the transactions of members that may have to change. What is taken back comes first.
    private func work(
        of buyer: CustomerReference, in reader: SQLReader
    ) async throws -> (person: StoredFamilyPerson?, pairs: [SharedPurchaseRepository.Pair]) {
        guard let person = try await FamilyRepository.find(buyer, in: reader) else { return (nil, []) }
        let now = clock.now(try await CustomerRepository.clock(of: buyer.bundleId, in: reader))
        var pairs = try await SharedPurchaseRepository.stale(of: buyer, at: now, limit: Self.batch, in: reader)
        for member in try await FamilyRepository.persons(of: person.family, buyer.bundleId, in: reader) {
            guard let since = SharingRules.sharedSince(person, member) else { continue }
            pairs += try await SharedPurchaseRepository.missing(
                of: buyer, for: member.customer, since: min(since, now), at: now, limit: Self.batch, in: reader)
        }
        return (person, pairs)
    }
}
