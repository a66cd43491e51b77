import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: the sample app of the documents sells, shows, restores and goes on with what begins in the store. Method: its
/// executable at a terminal of the test's, a pseudo-terminal, against a store of real processes.
@Suite(.serialized, .process) struct InAppPurchasesTests {
    /// Runs a store while `body` does something with it.
    private func withStore(_ arguments: [String] = [], _ body: (StoreProcess) async throws -> Void) async throws {
        let store = try await StoreProcess(arguments)
        do {
            try await body(store)
        } catch {
            store.printLogs()
            await store.stop()
            throw error
        }
        await store.stop()
    }

    @Test func `M1, M2, M23, M24, M26, M44, M78, M82, M84: the page's dialogue is what the app says`() async throws {
        let dialogue = try Dialogue.ofPage()
        #expect(dialogue.count > 30)
        try await withStore { store in
            let app = try TerminalApp(store, account: "alice")
            defer { app.end() }
            for line in dialogue {
                switch line {
                case .typed("quit"): try await app.quit()
                case .typed("restore"):
                    // What is not finished yet is not restored.
                    try await eventually("all is finished") { try await hasFinished(store) }
                    try await app.type("restore")
                case .typed(let text): try await app.type(text)
                case .elsewhere(let words): try await store.storebus(words)
                case .shown(let text): try await app.expect(text)
                }
            }
        }
    }

    @Test func `M25, M47, M55, M138: hosted content of one's own list is delivered before its purchase is finished`()
        async throws
    {
        try await withStore { store in
            let (catalogue, content) = (store.directory.file("guide.json"), store.directory.file("guide"))
            let list = store.directory.file("Guide.plist")
            try """
            {"products":[{"type":"NonConsumable","productID":"com.example.guide.map","referenceName":"Map",
            "displayPrice":"0.99","hostedContent":{"version":"1.0","lengths":[100000]}}]}
            """.write(toFile: catalogue, atomically: true, encoding: .utf8)
            let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
            try bytes.write(to: URL(fileURLWithPath: content))
            try PropertyListSerialization.data(fromPropertyList: ["com.example.guide.map"], format: .xml, options: 0)
                .write(to: URL(fileURLWithPath: list))
            try await store.storebus(["import", catalogue, "--bundle-id", "com.example.guide"])
            try await store.storebus([
                "product", "content", "put", "com.example.guide.map", content, "--bundle-id", "com.example.guide",
            ])
            let contents = store.directory.file("delivered")
            let app = try TerminalApp(
                store, account: "alice", "--bundle-id", "com.example.guide", "--products", list, "--contents", contents)
            defer { app.end() }
            for line in ["InAppPurchases  …", "PRODUCTS FOR SALE", "  1   Map  …", "A number buys…"] {
                try await app.expect(line)
            }
            try await app.type("1")
            for line in ["PURCHASED", "  p1  Map  …", "Content: …, 100000 bytes"] { try await app.expect(line) }
            let files = try FileManager.default.contentsOfDirectory(atPath: contents)
            #expect(files.count == 1)
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(contents)/\(files.first ?? "")")) == bytes)
            try await app.type("p1")
            for line in [
                "PURCHASE INFORMATION", "  Product identifier      com.example.guide.map",
                "  Transaction identifier  …", "  Transaction date        2026-11-22 00:00:00Z",
                "  Content identifier      …", "  Content version         1.0", "  Content length          100000",
            ] {
                try await app.expect(line)
            }
            try await eventually("the purchase is finished") { try await hasFinished(store) }
            try await app.quit()
        }
    }

    @Test func `S0, M74: a tap starts an app that does not run, and is given to one that does`() async throws {
        // The app that the command starts knows the store by its environment alone.
        let program = try Executables.path(of: "InAppPurchases")
        try await withStore(["--open-app", "env; exec '\(program)'"]) { store in
            let app = try TerminalApp(store, account: "alice")
            defer { app.end() }
            // The store knows the app once it was launched, which is before it shows products.
            for line in [
                "InAppPurchases  alice on alice-1, com.example.app", "PRODUCTS FOR SALE", "  1   …", "  2   …",
                "  3   …",
                "  4   …", "INVALID PRODUCT IDENTIFIERS", "      com.example.treasureMap", "A number buys…",
            ] { try await app.expect(line) }
            try await app.quit()

            let first = try await tap(store)
            try await eventually("the app that was started continues it") {
                try await state(first, store) == "continued"
            }
            #expect(opened(store) == 1)
            let second = try await tap(store)
            try await eventually("the app that runs continues it") { try await state(second, store) == "continued" }
            #expect(opened(store) == 1, "\(store.output)")
            let log = try String(contentsOfFile: store.directory.file("logs/open-app.1.log"), encoding: .utf8)
            #expect(log.contains("The store opens the app."), "\(log)")
            #expect(log.contains("STOREBUS_PRODUCT_ID=com.example.fishingHotSpots"))
        }
    }

    private func hasFinished(_ store: StoreProcess) async throws -> Bool {
        try await store.storebus(["tx", "list", "--as", "alice", "--unfinished", "-o", "names"]).isEmpty
    }

    private func tap(_ store: StoreProcess) async throws -> String {
        let intent = try await store.storebus(["intent", "com.example.fishingHotSpots", "--as", "alice", "-o", "names"])
        return intent.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func state(_ intent: String, _ store: StoreProcess) async throws -> String? {
        let answer = try await store.storebus(["intent", "show", intent, "-o", "json"])
        return try StrictJSON.parse(Array(answer.utf8))["data"]?["state"]?.stringValue
    }

    /// How many apps `storebus up` says that it has opened.
    private func opened(_ store: StoreProcess) -> Int {
        store.output.split(separator: "\n").filter { $0.contains("opened  com.example.app on alice-1 for alice") }.count
    }
}
