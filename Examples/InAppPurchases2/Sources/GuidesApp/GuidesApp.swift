import Guides
import Observation
import StoreKit

/// The app at a terminal. Each line that the customer types is a tap.
@main @MainActor struct GuidesApp {
    static func main() async {
        let store = Store(dayMaps: file)
        let screen = GuideScreen(store)
        do {
            try await store.load()
        } catch {
            screen.show(error)
        }
        screen.showProducts()
        // Changes come while the customer does nothing, too.
        let arrivals = Task {
            for await _ in Observations({ screen.status }) { screen.showChanges() }
        }
        for await line in typedLines {
            guard await screen.handle(line) else { break }
        }
        arrivals.cancel()
    }

    /// The file of the account's day maps. Nil where the user has no folder for it.
    private static var file: URL? {
        let account = ProcessInfo.processInfo.environment["STOREBUS_ACCOUNT"] ?? "me"
        let folder = try? FileManager.default.url(
            for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        return folder?.appendingPathComponent("Guides-\(account).json")
    }

    /// The lines of standard input. A thread of its own waits for them.
    private static var typedLines: AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }
}
