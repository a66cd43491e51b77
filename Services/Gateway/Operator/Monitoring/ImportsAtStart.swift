import FoundationEssentials
import StoreHTTP
import StoreModels
import Synchronization

/// The imports of `storebus up --init`, from the file in which it keeps their outcome.
///
/// The file is read with each request until every import has an outcome, which then stays for the life of the process.
package final class ImportsAtStart: Sendable {
    private let file: String
    private let last = Mutex<[ReadinessResponse.ImportedFile]?>(nil)

    package init(file: String) { self.file = file }

    /// Lists the files. Without a readable file of outcomes, the list is one entry that waits.
    func files() -> [ReadinessResponse.ImportedFile] {
        if let known = last.withLock({ $0 }) { return known }
        guard let data = FileManager.default.contents(atPath: file),
            let files = try? StoreJSON.decode([ReadinessResponse.ImportedFile].self, from: Array(data))
        else { return [ReadinessResponse.ImportedFile(file: file, bundleId: "", status: .waiting)] }
        if !files.contains(where: { $0.status == .waiting }) { last.withLock { $0 = files } }
        return files
    }
}
