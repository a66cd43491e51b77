import Dispatch
import Foundation
import StoreKitClient

/// The sample app of "Offering, Completing, and Restoring In-App Purchases", in a terminal.
@main
struct Main {
    static func main() {
        let options: Options
        do {
            options = try Options(Array(CommandLine.arguments.dropFirst()), ProcessInfo.processInfo.environment)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(64)
        }
        if options.wantsHelp {
            Screen.show(Options.help)
            exit(0)
        }
        StoreConnection.use(options.connection)
        let app = InAppPurchases(options)
        DispatchQueue.main.async { app.launch() }
        Thread.detachNewThread {
            while let line = readLine() { DispatchQueue.main.async { app.handle(line) } }
            // Without a terminal, as when the store has opened it, the app continues.
            if isatty(STDIN_FILENO) == 1 { DispatchQueue.main.async { app.quit() } }
        }
        dispatchMain()
    }
}
