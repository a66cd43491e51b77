import BusService
import Persistence
import StoreModels

/// Signs notifications, each once.
struct NotificationSigner: Sendable {
    /// Signs drafts, in their order.
    typealias Sign = @Sendable ([NotificationDraft], CallContext) async throws -> [String]

    /// Notifications that are signed at once, before they begin one by one.
    static let batch = 32
    /// Time for the names of storefronts and the app's version, without which notifications are signed, too.
    static let signTime: Duration = .seconds(5)

    let database: any SQLDatabase
    let sign: Sign

    /// Signs those notifications that are not signed.
    ///
    /// The caller writes the payloads (``NotificationRepository/keep(_:in:)``) before anybody gets one.
    /// - Returns: The new payloads by position.
    /// - Throws: The error of the database or of the keys.
    func payloads(
        of positions: [Int64], until deadline: ContinuousClock.Instant = .now + signTime
    ) async throws -> [Int64: String] {
        guard !positions.isEmpty else { return [:] }
        let drafts = try await database.read { try await NotificationRepository.drafts(of: positions, in: $0) }
        guard !drafts.isEmpty else { return [:] }
        let payloads = try await sign(drafts.map(\.draft), CallContext(deadline: deadline))
        return Dictionary(uniqueKeysWithValues: zip(drafts.map(\.position), payloads))
    }
}
