import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `family.put`, `.list`, `.end`, `.add` and `.remove`: an app's families.
///
/// A change of a family shares purchases and takes them back before the reply, as far as the time allows
/// (``SharingService``).
struct FamilyService: QueuePart {
    /// Maximum number of families in one page.
    static let pageMax = 500
    /// Time after which a person who leaves is asked about again, in milliseconds.
    static let leavingMs = 500

    let context: QueueContext
    let sharing: SharingService

    /// Makes a family of one person, its organiser.
    /// - Throws: `requestInvalid`. Its status is 422 for an unknown person, for one of another family, for a name that
    ///   another organiser has, and for too many families.
    func put(_ request: PutFamilyRequest) async throws -> Family {
        try Self.check(request.family)
        try AccountValidation.checkName(request.organiser)
        return try await database.write { transaction in
            // It also lets one request at a time change the app's families.
            let now = try await lock(request.bundleId, in: transaction)
            let persons = try await FamilyRepository.persons(of: request.family, request.bundleId, in: transaction)
            if let organiser = persons.first(where: \.isOrganiser) {
                guard !organiser.isGone else { throw Self.isEnding(request.family) }
                guard organiser.account.isExactly(request.organiser) else {
                    throw StoreError.invalid(
                        "$.organiser",
                        "is not '\(organiser.account)', who organises '\(request.family)'; end it, or name another",
                        status: 422)
                }
                return Self.family(request.family, persons)
            }
            let count = try await FamilyRepository.count(of: request.bundleId, in: transaction)
            guard count < SharingRules.familiesPerAppMax else {
                throw StoreError.invalid(
                    "family", "is one too many: the app has \(count) families; end one", status: 422)
            }
            let customer = try await Self.free(
                request.organiser, of: request.bundleId, at: "$.organiser", in: transaction)
            try await FamilyRepository.insert(
                customer, into: request.family, isOrganiser: true, shares: true, receives: true, at: now,
                in: transaction)
            return try await Self.read(request.family, of: request.bundleId, in: transaction)
        }
    }

    /// Lists an app's families by name.
    /// - Throws: `requestInvalid`.
    func list(_ request: FamiliesRequest) async throws -> FamiliesPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        return try await database.read { reader in
            let names = try await FamilyRepository.names(
                of: request.bundleId, after: request.after ?? "", limit: request.limit + 1, in: reader)
            var families: [Family] = []
            for name in names.prefix(request.limit) {
                families.append(try await Self.read(name, of: request.bundleId, in: reader))
            }
            let page = try ReplyBudget.fitting(families)
            return FamiliesPage(families: page, after: page.count == names.count ? nil : page.last?.family)
        }
    }

    /// Ends a family. What its persons shared is taken back.
    /// - Throws: `notFound`.
    func end(_ request: EndFamilyRequest, deadline: ContinuousClock.Instant) async throws -> Empty {
        try await database.write { transaction in
            _ = try await lock(request.bundleId, in: transaction)
            for person in try await Self.persons(of: request.family, request.bundleId, in: transaction) {
                try await FamilyRepository.leave(person.customer, in: transaction)
            }
            try await FamilyRepository.touch(request.family, of: request.bundleId, in: transaction)
        }
        await sharing.settle(
            FamilyReference(bundleId: request.bundleId, name: request.family),
            until: deadline - PurchaseService.replyMargin)
        return Empty()
    }

    /// Adds a person to a family, or changes what they share.
    /// - Throws: `notFound` for an unknown family, or `requestInvalid`. Its status is 422 for an unknown person, for
    ///   one of another family, and for a family that is full.
    func add(_ request: PutFamilyMemberRequest, deadline: ContinuousClock.Instant) async throws -> Family {
        try AccountValidation.checkName(request.account)
        let family = try await database.write { transaction in
            let now = try await lock(request.bundleId, in: transaction)
            let persons = try await Self.persons(of: request.family, request.bundleId, in: transaction)
            if let known = persons.first(where: { $0.account.isExactly(request.account) }) {
                guard !known.isGone else { throw Self.isLeaving(request.account) }
                let changed = known.sharing(request.sharing, at: now)
                guard changed != known else { return Self.family(request.family, persons) }
                try await FamilyRepository.set(changed, in: transaction)
            } else {
                guard persons.count < Family.personsMax else {
                    throw StoreError.invalid(
                        "account",
                        "is one too many: '\(request.family)' has \(persons.count) persons; remove one first",
                        status: 422)
                }
                let customer = try await Self.free(
                    request.account, of: request.bundleId, at: "account", in: transaction)
                try await FamilyRepository.insert(
                    customer, into: request.family, isOrganiser: false,
                    shares: request.sharing.sharesPurchases ?? true,
                    receives: request.sharing.receivesPurchases ?? true, at: now, in: transaction)
            }
            try await FamilyRepository.touch(request.family, of: request.bundleId, in: transaction)
            return try await Self.read(request.family, of: request.bundleId, in: transaction)
        }
        await sharing.settle(
            FamilyReference(bundleId: request.bundleId, name: request.family),
            until: deadline - PurchaseService.replyMargin)
        return family
    }

    /// Takes a person out of a family. What they shared, and what was shared with them, is taken back.
    /// - Throws: `notFound`, or `requestInvalid` with status 422 for the organiser.
    func remove(_ request: RemoveFamilyMemberRequest, deadline: ContinuousClock.Instant) async throws -> Family {
        let family = try await database.write { transaction in
            _ = try await lock(request.bundleId, in: transaction)
            let persons = try await Self.persons(of: request.family, request.bundleId, in: transaction)
            guard let known = persons.first(where: { $0.account.isExactly(request.account) && !$0.isGone }) else {
                throw StoreError.notFound("member of '\(request.family)'")
            }
            guard !known.isOrganiser else {
                throw StoreError.invalid(
                    "account", "organises '\(request.family)' and cannot leave it; end the family", status: 422)
            }
            try await FamilyRepository.leave(known.customer, in: transaction)
            try await FamilyRepository.touch(request.family, of: request.bundleId, in: transaction)
            return try await Self.read(request.family, of: request.bundleId, in: transaction)
        }
        await sharing.settle(
            FamilyReference(bundleId: request.bundleId, name: request.family),
            until: deadline - PurchaseService.replyMargin)
        return family
    }

    // MARK: Parts

    /// Locks the app's families until the commit.
    /// - Returns: The app's clock.
    private func lock(_ bundleId: String, in transaction: SQLTransaction) async throws -> Timestamp {
        let wall = clock.wall()
        return try await ClockRepository.lock(bundleId, wall: wall, in: transaction).now(wall: wall)
    }

    private static func check(_ family: String) throws(StoreError) {
        guard let fault = IdentifierRule.fault(in: family, lengthMax: Family.nameMax) else { return }
        throw .invalid("family", fault)
    }

    /// Reads the persons of a family that has not ended.
    private static func persons(
        of family: String, _ bundleId: String, in reader: SQLReader
    ) async throws -> [StoredFamilyPerson] {
        let persons = try await FamilyRepository.persons(of: family, bundleId, in: reader)
        guard persons.contains(where: { $0.isOrganiser && !$0.isGone }) else { throw StoreError.notFound("family") }
        return persons
    }

    private static func read(
        _ family: String, of bundleId: String, in reader: SQLReader
    ) async throws -> Family {
        Self.family(family, try await FamilyRepository.persons(of: family, bundleId, in: reader))
    }

    private static func family(_ name: String, _ persons: [StoredFamilyPerson]) -> Family {
        Family(family: name, persons: persons.filter { !$0.isGone }.map(\.wire))
    }

    /// Finds the customer of an account that is in no family.
    private static func free(
        _ account: String, of bundleId: String, at path: String, in transaction: SQLTransaction
    ) async throws -> CustomerReference {
        let found = try await CustomerRepository.find(account: account, bundleId: bundleId, in: transaction)
        guard let customer = found?.id else {
            throw StoreError.invalid(
                path,
                "'\(account)' is no customer of \(IsolatedApp.shown(bundleId)) yet; let its app open a session first",
                status: 422)
        }
        guard let known = try await FamilyRepository.find(customer, in: transaction) else { return customer }
        guard !known.isGone else { throw isLeaving(account) }
        throw StoreError.invalid(
            path, "'\(account)' is in the family '\(known.family)'; remove them there first", status: 422)
    }

    private static func isEnding(_ family: String) -> StoreError {
        StoreError(
            .serviceUnavailable, "the family '\(family)' is ending; ask again", retryAfterMs: leavingMs)
    }

    private static func isLeaving(_ account: String) -> StoreError {
        StoreError(
            .serviceUnavailable, "'\(account)' is leaving a family; ask again", retryAfterMs: leavingMs)
    }
}

extension StoredFamilyPerson {
    /// Returns the person with other settings. What begins to be shared, is shared from now on.
    fileprivate func sharing(_ wanted: FamilySharing, at now: Timestamp) -> StoredFamilyPerson {
        var next = self
        if let shares = wanted.sharesPurchases, shares != self.shares {
            next.shares = shares
            if shares { next.sharesSince = now }
        }
        if let receives = wanted.receivesPurchases, receives != self.receives {
            next.receives = receives
            if receives { next.receivesSince = now }
        }
        return next
    }
}
