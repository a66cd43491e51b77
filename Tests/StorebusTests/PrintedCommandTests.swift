import ArgumentParser
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// Commands that are printed can be typed as they are: they carry the flags that led to this store and app.
@Suite struct PrintedCommandTests {
    private func printed(_ arguments: String..., variables: [String: String] = [:]) -> PrintedCommands {
        PrintedCommands(arguments, variables)
    }

    private let typed = ["finish", "1", "--bundle-id", "com.example.a", "--data", "my store", "--url=http://s:1"]

    @Test func `a command gets the flags it takes, quoted as a shell wants them`() {
        let commands = PrintedCommands(typed, [:])
        #expect(
            commands.complete("storebus tx list --as alice").text
                == "storebus tx list --as alice --bundle-id com.example.a --data 'my store' --url http://s:1")
        // A store is started on a directory, and its address is its own.
        #expect(commands.complete("start one: storebus up").text == "start one: storebus up --data 'my store'")
        // Accounts are of the whole store.
        #expect(
            commands.complete("all accounts: storebus account list").text
                == "all accounts: storebus account list --data 'my store' --url http://s:1")
        #expect(commands.complete("storebus version").text == "storebus version")
        #expect(commands.complete("did you mean 'storebus buy'?").text == "did you mean 'storebus buy'?")
        #expect(commands.complete("help: storebus buy --help").text == "help: storebus buy --help")
        #expect(commands.complete("set STOREBUS_ADMIN_KEY").text == "set STOREBUS_ADMIN_KEY")
    }

    @Test func `each command of a sentence is completed, before what its output goes to`() {
        let commands = printed("status", "--data", "d")
        #expect(
            commands.complete("make build, storebus down, storebus up").text
                == "make build, storebus down --data d, storebus up --data d")
        #expect(
            commands.complete("a receipt: storebus receipt --as alice > receipt.b64").text
                == "a receipt: storebus receipt --as alice --data d > receipt.b64")
    }

    @Test func `a flag that is there stays, and nothing is added where nothing was typed`() {
        #expect(
            PrintedCommands(typed, [:]).complete("storebus buy p --as a --bundle-id com.example.b --data x --url y")
                .text
                == "storebus buy p --as a --bundle-id com.example.b --data x --url y")
        #expect(printed("tx", "list").complete("storebus tx list").text == "storebus tx list")
    }

    @Test func `the app a row is about goes before the one that was typed, the one that counts anyway is left out`() {
        let commands = PrintedCommands(typed, [:])
        #expect(
            printed("tx", "show", "1").complete("storebus finish 1 --as a", app: "com.example.b").text
                == "storebus finish 1 --as a --bundle-id com.example.b")
        #expect(
            commands.complete("storebus finish 1 --as a", app: "com.example.b").text.contains(
                "--bundle-id com.example.b"))
        #expect(
            printed("tx", "show", "1").complete("storebus finish 1", app: "com.example.app").text == "storebus finish 1"
        )
        let variables = ["STOREBUS_BUNDLE_ID": "com.example.b"]
        #expect(
            printed("x", variables: variables).complete("storebus finish 1", app: "com.example.b").text
                == "storebus finish 1")
        #expect(
            printed("x", variables: variables).complete("storebus finish 1", app: "com.example.app").text
                == "storebus finish 1 --bundle-id com.example.app")
    }

    @Test func `the banner names the directory that was named, and not the one that is found anyway`() {
        func banner(_ arguments: String...) -> Banner {
            Banner(
                url: "u", bus: .init(url: "b", services: []), locations: .init(dataDirectory: "d", adminKey: "k"),
                app: .init(bundleId: "com.example.app", product: "p"), startedIn: .zero,
                commands: PrintedCommands(arguments, [:]))
        }
        #expect(banner("up", "--data", "d").next.text == "storebus buy p --as alice --data d")
        #expect(banner("up", "--detached", "--data", ".storebus").next.text == "storebus buy p --as alice")
    }

    @Test func `next carries the app and the address through a whole command line`() async {
        let store = FakeStore()
        let said = await store.run(
            "buy", "pro.monthly", "--as", "alice", "--bundle-id", "com.example.a", "--url", "http://store"
        ).said
        #expect(
            said.narration
                == "next: storebus download fetch 2000000000000001 --as alice --bundle-id com.example.a "
                + "--url http://store\n"
        )
        let document = await store.run(
            "finish", "0001", "--as", "alice", "--bundle-id", "com.example.a", "-o", "json"
        ).said
        #expect(document.result.contains(#""next":"storebus tx list --as alice --bundle-id com.example.a""#))
        store.answer("GET /v1/history", JSONText.value(TransactionsPage(transactions: [])))
        let failed = await store.run("finish", "0009", "--as", "alice", "--bundle-id", "com.example.a").said
        #expect(failed.narration.contains("all of them: storebus tx list --as alice --bundle-id com.example.a"))
    }

    @Test(arguments: [
        (TransactionState.deferred, "storebus approve t_1"), (.purchasing, "storebus prompt list --as alice"),
        (.failed, "storebus finish t_1 --as alice"),
    ])
    func `what a list prints next is what the transaction's state allows`(state: TransactionState, next: String) async {
        let store = FakeStore()
        store.list([Fixtures.transaction("t_1", state)])
        #expect(await store.run("tx", "list").said.narration == "next: \(next)\n")
        #expect(await store.run("why", "t_1").said.narration == "next: \(next)\n")
    }

    @Test(arguments: EveryCommandTests.commands + EveryCommandTests.others)
    func `what is printed next is a command without placeholders`(command: [String]) async throws {
        let said = await Recorder.run(
            command, variables: ["STOREBUS_ADMIN_KEY": "admin", "STOREBUS_URL": "http://store"], transport: FakeStore()
        ).said
        for line in said.narration.split(separator: "\n") where line.hasPrefix("next: storebus ") {
            let words = line.dropFirst("next: ".count).split(separator: " ").map(String.init)
            #expect(Set(words).isDisjoint(with: ["PRODUCT", "PRODUCT…", "ACCOUNT", "FILE", "ID"]), "\(line)")
            await #expect(throws: Never.self, "\(line)") {
                _ = try await StorebusCommand.asyncParseAsRoot(words.dropFirst().map { $0.filter { $0 != "'" } })
            }
        }
    }

    @Test func `a transaction of another app is finished in that app`() async {
        let store = FakeStore()
        store.list([FakeStore.failed], of: "h1", in: "com.example.b")
        #expect(
            await store.run("tx", "list").said.narration.hasSuffix(
                "--as h1 --device alice-1 --bundle-id com.example.b\n"))
        #expect(await store.run("tx", "show", "t_1").said.narration.contains("--bundle-id com.example.b\n"))
    }
}

/// Which app a command is about when none is named.
@Suite struct OnlyAppTests {
    private func store(_ bundleIds: String...) -> FakeStore {
        let store = FakeStore()
        let apps = bundleIds.map { App(bundleId: $0, settings: AppSettings(name: $0), catalogVersion: 1) }
        store.answer("GET /admin/v1/apps", JSONText.value(AppsPage(apps: apps)))
        for app in apps { store.answer("GET /admin/v1/apps/\(app.bundleId)", JSONText.value(app)) }
        return store
    }

    private func asked(_ store: FakeStore) -> Set<String> {
        Set(store.requests.map(\.path).filter { $0.contains("/products?") })
    }

    @Test func `it is the store's only app`() async {
        let store = store("com.coffic.cisum")
        store.answer(
            "GET /admin/v1/apps/com.coffic.cisum/products",
            JSONText.value(ProductsPageResponse(products: FakeStore.products)))
        let (status, said) = await store.run("product", "list")
        #expect(status == .success)
        #expect(said.result.contains("pro.monthly"))
    }

    @Test func `among several, com.example.app stays the one that is meant`() async {
        let store = store("com.coffic.cisum", "com.example.app")
        #expect(await store.run("product", "list").said.result.contains("pro.monthly"))
        #expect(asked(store).allSatisfy { $0.contains("com.example.app") })
    }

    @Test func `among several others the error names them, and how to name one`() async {
        let (status, said) = await store("com.a", "com.b").run("buy", "x", "--as", "alice")
        #expect(status == .usage)
        #expect(said.narration.contains("this store has several apps: com.a, com.b"))
        #expect(said.narration.contains("--bundle-id com.a, or STOREBUS_BUNDLE_ID"))
    }

    @Test func `what is named counts, by the flag or by the variable`() async {
        let store = store("com.a", "com.b")
        for app in ["com.a", "com.b"] {
            store.answer("GET /admin/v1/apps/\(app)/products", JSONText.value(ProductsPageResponse(products: [])))
        }
        #expect(await store.run("product", "list", "--bundle-id", "com.a").status == .success)
        #expect(await store.run("product", "list", variables: ["STOREBUS_BUNDLE_ID": "com.b"]).status == .success)
        #expect(asked(store).contains { $0.contains("com.a") } && asked(store).contains { $0.contains("com.b") })
    }

    @Test func `the products of an app that is not there are an error, not an empty list`() async {
        let store = store("com.a")
        store.answer("GET /admin/v1/apps/com.nope/products", JSONText.value(ProductsPageResponse(products: [])))
        let (status, said) = await store.run("product", "list", "--bundle-id", "com.nope")
        #expect(status == .refused)
        #expect(said.narration.contains("there is no app 'com.nope'"))
    }

    @Test(arguments: [["tx", "list"], ["sub", "list"]])
    func `lists obey the variable as they obey the flag, and name an app that is not there`(
        command: [String]
    ) async {
        let store = store("com.a")
        for key in ["GET /admin/v1/transactions", "GET /admin/v1/subscriptions"] {
            store.answer(key, ["transactions": [], "subscriptions": []])
        }
        func run(_ arguments: [String], _ variables: [String: String]) async -> (status: CLIExit, said: Recorder) {
            await Recorder.run(
                arguments, variables: ["STOREBUS_ADMIN_KEY": "admin"].merging(variables) { $1 }, transport: store)
        }
        #expect(await run(command, [:]).status == .success)
        #expect(store.requests.last?.path.contains("bundleId") == false)
        #expect(await run(command, ["STOREBUS_BUNDLE_ID": "com.a"]).status == .success)
        #expect(store.requests.contains { $0.path.contains("bundleId=com.a") })
        let (status, said) = await run(command, ["STOREBUS_BUNDLE_ID": "com.nope"])
        #expect(status == .refused)
        #expect(said.narration.contains("there is no app 'com.nope'"))
    }

    @Test func `of several apps a list has a column for the app`() async {
        let store = store("com.a", "com.b")
        store.answer(
            "GET /admin/v1/transactions",
            JSONText.value(
                TransactionsPage(
                    transactions: [FakeStore.purchased, FakeStore.restored],
                    records: ["com.a", "com.b"].map {
                        .init(bundleId: $0, account: "alice", customerIdentifier: "c", isFinished: true)
                    })))
        #expect(await store.run("tx", "list").said.result.hasPrefix("TRANSACTION       ACCOUNT  APP    PRODUCT"))
        #expect(await FakeStore().run("tx", "list").said.result.hasPrefix("TRANSACTION       ACCOUNT  PRODUCT"))
    }

    @Test func `an import names the app it was for`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("App.storekit")
        try FileAccess.write(Array(#"{"products":[]}"#.utf8), to: file, mode: 0o600)
        let store = store("com.coffic.cisum")
        var report = FakeStore.importReport.objectValue ?? [:]
        report["bundleId"] = "com.coffic.cisum"
        store.answer("PUT /admin/v1/apps/com.coffic.cisum/catalog", .object(report))
        let (status, said) = await store.run("import", file)
        #expect(status == .success, "\(said.narration)")
        #expect(said.result.hasSuffix("version 7 of com.coffic.cisum\n"))
        withExtendedLifetime(directory) {}
    }
}
