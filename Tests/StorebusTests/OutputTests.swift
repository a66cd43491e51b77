import StoreHTTP
import StoreModels
import Testing

@testable import Storebus

/// Golden texts of the tables, and that JSON says everything they say.
@Suite struct OutputTests {
    @Test func `products stand in a table`() throws {
        let free = Fixtures.product("pro.monthly", "9.99", period: .init(numberOfUnits: 1, unit: .month), trial: true)
        let facts = SubscriptionFacts(
            group: "Pro", groupIdentifier: "pro", level: 2, offers: [.promotional("loyal"), .code("SPRING")])
        let table = ProductTable.table(
            [free, Fixtures.product("hidden\u{1B}[31mbeaches", "1.99")], [ExactText("pro.monthly"): facts])
        #expect(
            table.text == """
                PRODUCT             TYPE                      PRICE  OFFERS                                 GROUP  LEVEL  TITLE
                pro.monthly         autoRenewable  9.99 USD a month  1 week free, promo:loyal, code:SPRING  Pro        2  Title of pro.monthly
                hidden [31mbeaches  nonConsumable          1.99 USD  -                                      -          -  Title of hidden [31mbeaches

                """)
    }

    @Test func `nothing to list says what to do`() {
        #expect(TransactionTable.next([]).text.contains("storebus product list"))
    }

    @Test func `transactions stand in a table`() {
        let row = TransactionTable.Row(
            transaction: Fixtures.transaction("t_1", .purchased, identifier: "2000000000000001"), account: "alice",
            bundleId: "com.example.app", isFinished: false)
        #expect(
            TransactionTable.table([row]).text == """
                TRANSACTION       ACCOUNT  PRODUCT      STATE      FINISHED  SENT     PRICE  DATE                  REMARKS
                2000000000000001  alice    pro.monthly  purchased  no           2  9.99 USD  2026-11-21 10:00:04Z  trial, expires 2026-11-28 10:00:04Z

                """)
    }

    @Test func `the JSON of a transaction has every column of its table`() {
        let row = TransactionTable.Row(
            transaction: Fixtures.transaction("t_1", .purchased, identifier: "2000000000000001"), account: "alice",
            bundleId: "com.example.app", isFinished: false)
        let json = row.json
        #expect(json["transactionIdentifier"] == "2000000000000001")
        #expect(json["account"] == "alice")
        #expect(json["payment"]?["productIdentifier"] == "pro.monthly")
        #expect(json["transactionState"] == "purchased")
        #expect(json["isFinished"] == false)
        #expect(json["deliveries"] == 2)
        #expect(json["price"]?["amount"] == "9.99")
        #expect(json["transactionDate"] == "2026-11-21T10:00:04.000Z")
        #expect(json["expiresDate"] == "2026-11-28T10:00:04.000Z")
        #expect(json["isTrialPeriod"] == true)
    }

    @Test func `a purchase ends with the next useful command`() {
        let outcome = PurchaseOutcome(
            installation: Installation(bundleId: "com.example.app", account: "alice"),
            session: Fixtures.session, product: Fixtures.product("pro.monthly", "9.99", trial: true),
            transaction: Fixtures.transaction("t_1", .purchased, identifier: "2000000000000001"), key: "k")
        #expect(
            outcome.text == """
                account    alice (USA) on device alice-1
                offer      1 week free, then 9.99 USD      eligible
                purchased  2000000000000001  trial, expires 2026-11-28 10:00:04Z
                           not finished: sent again until the app finishes it

                """)
        #expect(outcome.result.next == "storebus finish 2000000000000001 --as alice")
        #expect(outcome.status == .success)
    }

    @Test(arguments: [
        (TransactionState.failed, CLIExit.purchaseFailed), (.deferred, .purchaseDeferred), (.purchasing, .temporary),
    ])
    func `a purchase without goods has its own exit status`(state: TransactionState, status: CLIExit) {
        let outcome = PurchaseOutcome(
            installation: Installation(bundleId: "com.example.app", account: "alice"), session: Fixtures.session,
            product: nil, transaction: Fixtures.transaction("t_1", state), key: "k")
        #expect(outcome.status == status)
        #expect(outcome.text.contains(state.rawValue))
    }

    @Test func `the banner says when it was ready, where everything is and what comes next`() {
        let banner = Banner(
            url: "http://127.0.0.1:7430", consoleURL: "http://127.0.0.1:7430/#ticket=T",
            bus: .init(url: "storebus://127.0.0.1:7420", monitorPort: 7421, services: ["catalog", "gateway"]),
            locations: .init(dataDirectory: "/home/me/.storebus", adminKey: "/home/me/.storebus/admin.key"),
            imports: [
                .init(bundleId: "com.example.app", summary: "App.storekit: 3 products, 1 group", notes: ["USA only"])
            ],
            app: .init(bundleId: "com.example.app", product: "pro.monthly"), startedIn: .milliseconds(412))
        let lines = banner.text.split(separator: "\n")
        #expect(lines[0].hasPrefix("Storebus \(StorebusVersion.number) ("))
        #expect(lines[0].hasSuffix("ready in 0.41 s"))
        #expect(
            lines.dropFirst().joined(separator: "\n") == """
                  Store API      http://127.0.0.1:7430                   OpenAPI: http://127.0.0.1:7430/openapi.json
                  Console        http://127.0.0.1:7430/#ticket=T         valid once, for a minute; a new one: storebus open
                  Bus            storebus://127.0.0.1:7420               2 services: catalog gateway
                  Monitoring     http://127.0.0.1:7421
                  Data           /home/me/.storebus                      logs: /home/me/.storebus/logs
                  Admin key      /home/me/.storebus/admin.key
                  Catalogue      com.example.app                         App.storekit: 3 products, 1 group
                    note: USA only
                  Notifications  storebus listen --forward-to http://localhost:8080/apple   forwards them to your server
                  Next           storebus buy pro.monthly --as alice     ^C stops
                """)
    }

    @Test func `the banner says what time it is for the app, and how fast it passes`() throws {
        let clock = try StoreJSON.decode(
            AppClockState.self, from: Array(JSONText.line(FakeStore.clock(rate: 86_400)).utf8))
        let banner = Banner(
            url: "http://127.0.0.1:7430",
            bus: .init(url: "storebus://127.0.0.1:7420", monitorPort: 7421, services: []),
            locations: .init(dataDirectory: "d", adminKey: "k"), app: .init(bundleId: "com.example.app", clock: clock),
            startedIn: .zero)
        let line = try #require(banner.text.split(separator: "\n").first { $0.hasPrefix("  Clock") })
        #expect(
            line.split(separator: " ").joined(separator: " ") == """
                Clock com.example.app 2026-11-21 10:00:00Z, 86400 times as fast
                """)
    }

    @Test func `the observer's events are lines, with the change of state`() throws {
        var printer = EventPrinter(account: "alice")
        let now = Timestamp(milliseconds: 1_795_255_204_000)
        func event(_ name: String, _ transaction: PaymentTransaction) -> ServerSentEvent {
            let data = JSONValue.object(["seq": 1, "transactions": .array([JSONText.value(transaction)])])
            return ServerSentEvent(id: "1", name: name, data: Array(JSONText.line(data).utf8))
        }
        let purchasing = Fixtures.transaction("t_1", .purchasing)
        let purchased = Fixtures.transaction("t_1", .purchased, identifier: "2000000000000001")
        #expect(
            printer.text(event("updatedTransactions", purchasing), at: now)
                == "10:00:04  alice  t_1  purchasing  pro.monthly\n")
        #expect(
            printer.text(event("updatedTransactions", purchased), at: now)
                == "10:00:04  alice  2000000000000001  purchasing → purchased  pro.monthly  "
                + "trial, expires 2026-11-28 10:00:04Z\n"
        )
        #expect(printer.text(event("removedTransactions", purchased), at: now).contains("finished"))
        #expect(printer.note("alive") == nil)
        #expect(printer.note("degraded: payments") == "note: degraded: payments\n")
        #expect(printer.note("degraded: payments") == nil)
    }

    @Test func `an event for programs is the stream's, on one line`() {
        let event = ServerSentEvent(id: "7", name: "synchronized", data: Array("{\"seq\":7}".utf8))
        #expect(EventPrinter.json(event) == #"{"data":{"seq":7},"event":"synchronized","id":"7"}"#)
    }

    @Test func `a transaction is found by the end of its identifier, if only one ends so`() throws {
        let transactions = [
            Fixtures.transaction("t_1", .purchased, identifier: "2000000000000001"),
            Fixtures.transaction("t_2", .purchased, identifier: "2000000000000011"),
        ]
        #expect(try TransactionLookup.find("…0001", among: transactions)?.id == "t_1")
        #expect(try TransactionLookup.find("t_2", among: transactions)?.id == "t_2")
        #expect(try TransactionLookup.find("2000000000000011", among: transactions)?.id == "t_2")
        #expect(try TransactionLookup.find("9", among: transactions) == nil)
        let error = #expect(throws: CLIError.self) { try TransactionLookup.find("1", among: transactions) }
        #expect(error?.code == .transactionAmbiguous)
    }
}
