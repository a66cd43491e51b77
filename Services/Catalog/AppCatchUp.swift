import BusService
import Logging
import Persistence
import StoreModels

/// Loads other processes' commits for an app before a reply from memory. It does nothing on SQLite, where this process
/// is the only writer.
///
/// Simultaneous requests share one read of the database. While the database is away, replies come from memory.
struct AppCatchUp: Sendable {
    /// The timeout of one read, which may load a large file.
    private static let timeout: Duration = .seconds(30)

    private let hasOthers: Bool
    private let reads: SharedRequest<ExactText, Empty>

    init(_ loader: AppLoader) {
        hasOthers = loader.apps.database.dialect == .postgres
        reads = SharedRequest(timeout: Self.timeout) { (bundleId, _) async throws(StoreError) in
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
        _ = try await reads.ask(ExactText(bundleId), until: .now + Self.timeout)
    }
}
