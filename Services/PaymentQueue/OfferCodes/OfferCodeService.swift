import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `code.add`, `.list`, `.activate` and `.find`: an app's offer codes.
///
/// A code is redeemed by a payment (``CustomerState/begin(_:)``).
struct OfferCodeService: QueuePart {
    /// Maximum number of codes in one page.
    static let pageMax = 500

    let context: QueueContext

    /// Makes a custom code, or a batch of one-time codes.
    /// - Throws: `requestInvalid`. Its status is 422 for a word that the app has, and for too many codes.
    func add(_ request: NewOfferCodeRequest) async throws -> OfferCode {
        let new = request.new
        try new.check()
        let wall = clock.wall()
        var random = SystemRandomNumberGenerator()
        let id = Identifiers.offerCode(wall: wall, random: &random)
        let texts =
            new.code.map { [$0.uppercased()] }
            ?? (0..<(new.count ?? 0)).map { _ in OfferCodeRules.oneTimeCode(&random) }
        let digests = texts.map(OfferCodeRules.digest(of:))
        var code = try await database.write { transaction in
            // It also lets one request at a time count the app's codes.
            let now = try await ClockRepository.lock(request.bundleId, wall: wall, in: transaction).now(wall: wall)
            try await Self.checkRoom(for: request, digests, at: now, in: transaction)
            let code = OfferCode(
                codeIdentifier: id, kind: new.code == nil ? .oneTime : .custom, code: new.code?.uppercased(),
                productIdentifier: new.productIdentifier, offer: new.offer,
                redemptionsMax: new.redemptionsMax ?? texts.count, redemptions: 0, isActive: true,
                expiresAt: new.expiresInDays.map { now + .seconds($0 * 86_400) }, createdAt: now)
            try await OfferCodeRepository.insert(code, of: request.bundleId, digests: digests, in: transaction)
            return code
        }
        if code.kind == .oneTime { code.oneTimeCodes = texts }
        return code
    }

    private static func checkRoom(
        for request: NewOfferCodeRequest, _ digests: [String], at now: Timestamp, in transaction: SQLTransaction
    ) async throws {
        let (codes, oneTime) = try await OfferCodeRepository.counts(of: request.bundleId, at: now, in: transaction)
        guard codes < OfferCodeRules.perAppMax else {
            throw StoreError.invalid(
                request.new.code == nil ? "$.count" : "$.code",
                "is one too many: the app has \(codes) active codes and batches; deactivate one", status: 422)
        }
        if let count = request.new.count {
            let left = OfferCodeRules.oneTimePerAppMax - oneTime
            guard count <= left else {
                throw StoreError.invalid(
                    "$.count", "is over the \(left) one-time codes left for the app; deactivate a batch", status: 422)
            }
            return
        }
        for digest in digests {
            let lookup = OfferCodeRepository.find(digest: digest, of: request.bundleId)
            if try await transaction.read(lookup) != nil {
                throw StoreError.invalid("$.code", "is a code of the app already; name another word", status: 422)
            }
        }
    }

    /// Lists an app's codes, oldest first.
    /// - Throws: `requestInvalid`.
    func list(_ request: OfferCodesRequest) async throws -> OfferCodesPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let found = try await database.read { reader in
            try await OfferCodeRepository.all(
                of: request.bundleId, after: request.after ?? "", limit: request.limit + 1, in: reader)
        }
        let page = try ReplyBudget.fitting(Array(found.prefix(request.limit)))
        return OfferCodesPage(codes: page, after: page.count == found.count ? nil : page.last?.codeIdentifier)
    }

    /// Lets a code be redeemed, or not. A purchase in progress keeps its redemption.
    /// - Throws: `notFound`.
    func activate(_ request: ActivateOfferCodeRequest) async throws -> OfferCode {
        try await database.write { transaction in
            try await OfferCodeRepository.setActive(
                request.isActive, request.codeIdentifier, of: request.bundleId, in: transaction)
            let found = try await OfferCodeRepository.find(
                request.codeIdentifier, of: request.bundleId, in: transaction)
            guard let found else { throw StoreError.notFound("offer code") }
            return found
        }
    }

    /// Finds the product and offer of a code that a customer has typed in.
    /// - Throws: `notFound`.
    func find(_ request: FindOfferCodeRequest) async throws -> RedeemedCode {
        let digest = OfferCodeRules.digest(of: request.offerCode)
        let found = try await database.read { reader in
            try await reader.read(OfferCodeRepository.find(digest: digest, of: request.bundleId))
        }
        guard let code = found?.code else { throw StoreError.notFound("offer code") }
        return RedeemedCode(
            codeIdentifier: code.codeIdentifier, digest: digest, productIdentifier: code.productIdentifier,
            offer: code.offer)
    }
}
