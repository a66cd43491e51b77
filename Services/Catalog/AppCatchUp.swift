import BusService
import Logging
import Persistence
import StoreModels

/// Brings an app up to what other processes of the service have committed, before a question about it is answered from
/// memory. On SQLite there is nobody else who changes apps, and it does nothing.
///
/// Questions that come at the same time share one look at the database. While the database is away memory answers.
struct AppCatchUp: Sendable {
    /// For one look, and for reading a large file in.
    private static let patience: Duration = .seconds(30)

    private let hasOthers: Bool
    private let looks: SharedRequest<ExactText, Empty>

    init(_ loader: AppLoader) {
        hasOthers = loader.apps.database.dialect == .postgres
        looks = SharedRequest(patience: Self.patience) { (bundleId, _) async throws(StoreError) in
            do {
                try await loader.refresh(bundleId.text)
            } catch {
                loader.logger.warning(
                    "catalogue not refreshed", metadata: ["bundleId": "\(bundleId)", "error": "\(error)"])
            }
            return Empty()
        }
    }

    func callAsFunction(_ bundleId: String) async throws(StoreError) {
        guard hasOthers else { return }
        _ = try await looks.ask(ExactText(bundleId), until: .now + Self.patience)
    }
}
