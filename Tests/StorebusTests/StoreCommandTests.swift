import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// What the commands ask of the store, and what they make of its answers.
@Suite struct StoreCommandTests {
    private func body(_ request: StoreRequest?) throws -> JSONValue {
        try StrictJSON.parse(try #require(request?.body))
    }

    // MARK: wait

    @Test func `waiting goes on behind what it has seen until the filter takes an event`() async throws {
        let store = FakeStore()
        store.answer("GET /admin/v1/events/wait") { [store] _ in
            let count = store.requests(.get, "/admin/v1/events/wait").count
            return (200, count < 3 ? ["events": .array([]), "after": .string("e_\(count)")] : FakeStore.waited)
        }
        let (status, said) = await store.run(
            "wait", "purchased", "product~pro", "--as", "alice", "-o", "json", "--timeout", "1h")
        #expect(status == .success)
        let document = try StrictJSON.parse(Array(said.result.utf8))
        #expect(document["after"] == "e_8")
        #expect(document["data"]?["type"] == "purchased")
        let asked = store.requests(.get, "/admin/v1/events/wait").map(\.path)
        #expect(asked.count == 3)
        #expect(asked[0].contains("type=purchased") && asked[0].contains("account=alice"))
        #expect(!asked[0].contains("after="))
        #expect(asked[2].contains("after=e_2"))
    }

    @Test func `what does not happen in time is an expectation that failed`() async {
        let store = FakeStore()
        store.answer("GET /admin/v1/events/wait", ["events": .array([]), "after": "e_1"])
        let (status, said) = await store.run("wait", "finished", "--timeout", "30ms")
        #expect(status == .refused)
        #expect(said.narration.contains("finished did not happen within 30 ms"))
        #expect(said.narration.contains("[notInTime]"))
    }

    // MARK: accounts

    @Test func `setting one thing keeps what was set before`() async throws {
        let store = FakeStore()
        let (status, _) = await store.run(
            "account", "set", "alice", "--can-make-payments", "false", "--simulate", "loadProducts=unknown", "--unset",
            "sheet", "--processor", "timeoutAfter")
        #expect(status == .success)
        let sent = try body(store.requests(.put, "/admin/v1/testers/alice").first)
        #expect(
            sent == [
                "storefront": "FRA", "canMakePayments": false, "simulatedErrors": ["loadProducts": "unknown"],
                "processor": "timeoutAfter",
            ])
    }

    @Test func `a new account begins with what is given`() async throws {
        let store = FakeStore()
        store.answer("PUT /admin/v1/testers/bob", FakeStore.alice)
        let (status, _) = await store.run("account", "create", "bob", "--storefront", "usa", "--sheet", "decline:3")
        #expect(status == .success)
        #expect(
            try body(store.requests(.put, "/admin/v1/testers/bob").first) == [
                "storefront": "USA", "sheet": "decline:3",
            ])
    }

    @Test(arguments: [
        ["--sheet", "maybe"], ["--sign-in", "x"], ["--renewal-rate", "fast"], ["--simulate", "purchase"],
        ["--simulate", "x=y"], ["--unset", "x"], ["--processor", "x"], [],
    ])
    func `a setting that cannot be is refused before anything is sent`(arguments: [String]) async {
        let store = FakeStore()
        let (status, _) = await Recorder.run(
            ["account", "set", "alice"] + arguments, variables: ["STOREBUS_URL": "http://store"], transport: store)
        #expect(status == .usage)
        #expect(store.requests.isEmpty)
    }

    @Test func `a dry run deletes nothing`() async {
        let store = FakeStore()
        for command in [["reset"], ["reset", "--as", "alice"], ["key", "revoke", "K1"]] {
            let (status, said) = await Recorder.run(
                command + ["--dry-run"], variables: ["STOREBUS_URL": "http://store", "STOREBUS_ADMIN_KEY": "a"],
                transport: store)
            #expect(status == .success)
            #expect(said.result.hasPrefix("would delete  "))
        }
        #expect(store.requests.allSatisfy { $0.method == .get })
    }

    @Test(arguments: [["reset", "--yes"], ["reset", "--as", "alice", "--yes"]])
    func `what is cancelled with a history is said beside it`(command: [String]) async throws {
        let store = FakeStore()
        let app = "/admin/v1/apps/com.example.app"
        for (count, words) in [
            (0, ""), (1, "1 purchase that began in the store is cancelled"), (2, "2 purchases that began"),
        ] {
            store.answer("POST \(app)/reset", ["removedTransactions": 1, "cancelledIntents": .integer(count)])
            store.answer("DELETE \(app)/transactions", ["removed": 1, "cancelledIntents": .integer(count)])
            let variables = ["STOREBUS_URL": "http://store", "STOREBUS_ADMIN_KEY": "a"]
            let (status, said) = await Recorder.run(command, variables: variables, transport: store)
            #expect(status == .success)
            #expect(said.narration.contains("note: \(words)") == (count > 0))
            let json = await Recorder.run(command + ["-o", "json"], variables: variables, transport: store).said.result
            #expect(try StrictJSON.parse(Array(json.utf8))["data"]?["cancelledIntents"] == .integer(count))
        }
    }

    @Test func `a key's secret is shown once, with a word of warning`() async {
        let (_, said) = await FakeStore().run("key", "create", "--kind", "api")
        #expect(said.result.contains("s3cret"))
        #expect(said.narration.contains("not shown again"))
        let (_, list) = await FakeStore().run("key", "list", "-o", "json")
        #expect(!list.result.contains("s3cret"))
    }

    @Test func `a key's secret goes into a new file of its owner's only, and is printed nowhere`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("AuthKey.p8")
        for output in ["human", "json"] {
            let file = "\(path).\(output)"
            let (status, said) = await FakeStore().run(
                "key", "create", "--kind", "inAppPurchase", "--p8", file, "-o", output)
            #expect(status == .success)
            #expect(FileAccess.text(file) == "s3cret")
            #expect(!said.result.contains("s3cret"))
            #expect(TemporaryDirectory.permissions(file) == 0o600)
        }
        let store = FakeStore()
        let (status, said) = await store.run("key", "create", "--kind", "inAppPurchase", "--p8", "\(path).human")
        #expect(status == .usage)
        #expect(said.narration.contains("is there already"))
        #expect(FileAccess.text("\(path).human") == "s3cret")
        #expect(!store.requests.contains { $0.method == .post })
    }

    // MARK: decisions

    @Test func `a payment sheet that is open is answered`() async throws {
        let store = FakeStore()
        store.list([Fixtures.transaction("t_1", .purchasing)])
        let (status, _) = await store.run("decline", "t_1", "--error", "paymentInvalid")
        #expect(status == .success)
        #expect(
            try body(store.requests(.post, "/admin/v1/prompts/p_1").first)
                == ["answer": "decline", "error": "paymentInvalid"])
        store.answer("GET /admin/v1/prompts", ["prompts": .array([])])
        let (refused, said) = await store.run("approve", "t_1")
        #expect(refused == .refused)
        #expect(said.narration.contains("t_1 is purchasing, and has no open prompt"))
    }

    @Test func `products are listed in the app's own storefront, with level and offers`() async throws {
        let store = FakeStore()
        let said = await store.run("product", "list").said
        #expect(!store.requests.contains { $0.path.contains("storefront") })
        let row = try #require(said.result.split(separator: "\n").first { $0.hasPrefix("pro.monthly") })
        #expect(row.contains("  1 week free, promo:loyal, code:SPRING, winback:back  Pro        2  "))
        _ = await store.run("product", "list", "--storefront", "fra")
        #expect(store.requests.contains { $0.path.contains("storefront=FRA") })
    }

    @Test func `a deferred purchase is decided by its identifier or the end of it`() async throws {
        let store = FakeStore()
        store.list([Fixtures.transaction("t_01j2v68t", .deferred)])
        store.answer("POST /admin/v1/transactions/t_01j2v68t/approve", JSONText.value(FakeStore.purchased))
        store.answer("POST /admin/v1/transactions/t_01j2v68t/decline", JSONText.value(FakeStore.failed))
        let (approved, said) = await store.run("approve", "…v68t")
        #expect(approved == .success)
        #expect(said.result.hasPrefix("purchased  2000000000000001  pro.monthly"))
        #expect(said.narration.contains("next: storebus download fetch 2000000000000001 --as alice"))
        let (declined, no) = await store.run("decline", "t_01j2v68t", "--error", "3")
        #expect(declined == .success)
        #expect(no.result == "failed  t_1  pro.monthly  paymentInvalid (3)\n")
        #expect(try body(store.requests(.post, "/admin/v1/transactions/t_01j2v68t/decline").first) == ["error": 3])
        #expect(store.requests(.post, "/admin/v1/transactions/t_01j2v68t/approve").first?.body == nil)
        #expect(store.requests(.get, "/admin/v1/prompts").isEmpty)
    }

    @Test func `an interrupted purchase is resolved into a new one, and approving it says how`() async throws {
        let store = FakeStore()
        var interrupted = Fixtures.transaction("t_1", .failed)
        interrupted.error = TransactionError(.unknown, "The purchase was interrupted.", reason: "interrupted")
        store.list([interrupted])
        store.answer(
            "POST /admin/v1/transactions/t_1/approve", status: 409,
            StubTransport.problem(409, .transactionStateInvalid))
        let (status, said) = await store.run("approve", "t_1")
        #expect(status == .refused)
        #expect(said.narration.contains("[transactionStateInvalid]"))
        #expect(said.narration.contains("let it go on: storebus resolve t_1"))
        let (resolved, new) = await store.run("resolve", "t_1")
        #expect(resolved == .success)
        #expect(new.result.hasPrefix("purchased  2000000000000003  pro.monthly"))
        #expect(new.result.contains("in the place of t_1"))
        let why = await store.run("why", "t_1").said
        #expect(why.narration.contains("next: storebus resolve t_1"))
    }

    @Test(arguments: ["paymentInvalidd", "99", "x"])
    func `an error that StoreKit does not have is refused`(error: String) async {
        let store = FakeStore()
        let (status, said) = await store.run("decline", "t_1", "--error", error)
        #expect(status == .usage)
        #expect(said.narration.contains("SKError"))
        #expect(store.requests.isEmpty)
    }

    // MARK: delivering again

    @Test func `an unfinished transaction is redelivered, and a finished one is refused`() async {
        let store = FakeStore()
        let (status, said) = await store.run("redeliver", "…0001")
        #expect(status == .success)
        let revision = FakeStore.redelivered.revision
        #expect(said.result == "redelivered  2000000000000001  pro.monthly  purchased, revision \(revision)\n")
        #expect(said.narration.contains("next: storebus download fetch 2000000000000001 --as alice"))
        #expect(store.requests(.post, "/admin/v1/transactions/t_1/redeliver").first?.body == nil)
        store.answer(
            "POST /admin/v1/transactions/t_1/redeliver", status: 409,
            StubTransport.problem(409, .transactionStateInvalid))
        let (refused, no) = await store.run("redeliver", "t_1")
        #expect(refused == .refused)
        #expect(no.narration.contains("[transactionStateInvalid]"))
    }

    @Test func `a whole identifier is asked for, and one that is unknown is searched for its nearest`() async {
        let whole = "t_01j00000000000000000000001"
        let found = RecordedTransaction(
            transaction: Fixtures.transaction(whole, .purchased, identifier: "2000000000000007"),
            record: .init(bundleId: "com.example.app", account: "bob", customerIdentifier: "c_2", isFinished: true))
        let store = FakeStore()
        for name in [whole, "2000000000000007"] {
            store.answer("GET /admin/v1/transactions/\(name)", JSONText.value(found))
            let (status, said) = await store.run("tx", "show", name)
            #expect(status == .success)
            #expect(said.result.contains("account      bob"))
        }
        #expect(store.requests(.get, "/admin/v1/transactions").isEmpty)
        let (unknown, said) = await store.run("tx", "show", "2000000000000009")
        #expect(unknown == .refused)
        #expect(said.narration.contains("2000000000000001"))
        #expect(store.requests(.get, "/admin/v1/transactions/2000000000000009").count == 1)
        #expect(store.requests(.get, "/admin/v1/transactions").count == 1)
    }

    // MARK: deleting

    @Test func `one transaction is deleted after a yes, and none without`() async {
        let store = FakeStore()
        let (unasked, _) = await store.run("tx", "delete", "0001")
        #expect(unasked == .usage)
        let (dry, _) = await store.run("tx", "delete", "0001", "--dry-run")
        #expect(dry == .success)
        #expect(store.requests(.delete, "/admin/v1/transactions/t_1").isEmpty)
        let terminal = Terminal(isInput: true, isOutput: true, isError: true)
        let (status, said) = await store.run("tx", "delete", "0001", terminal: terminal, answer: "y")
        #expect(status == .success)
        #expect(said.result.hasPrefix("deleted  2000000000000001"))
        #expect(store.requests(.delete, "/admin/v1/transactions/t_1").count == 1)
    }

    // MARK: hosted content

    @Test func `content is sent as it is, with the version the catalogue declares`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("beach.zip")
        try FileAccess.write(Fixtures.contentBytes, to: file, mode: 0o600)
        let store = FakeStore()
        let (status, said) = await store.run("product", "content", "put", "hidden-beaches", file)
        #expect(status == .success)
        #expect(said.result == "replaced  hidden-beaches  1.0  12 bytes  sha256 9f86d081\n")
        let sent = try #require(
            store.requests(.put, "/admin/v1/apps/com.example.app/products/hidden-beaches/content").first)
        #expect(sent.body == Fixtures.contentBytes)
        #expect(sent.path.hasSuffix("?version=1.0"))
        store.answer(
            "PUT /admin/v1/apps/com.example.app/products/hidden-beaches/content", status: 201,
            JSONText.value(Fixtures.content))
        let first = await store.run("product", "content", "put", "hidden-beaches", file, "--content-version", "1.0")
        #expect(first.said.result.hasPrefix("uploaded  hidden-beaches"))
    }

    @Test func `content of a product without any declared is refused, and a missing file before anything is asked`()
        async throws
    {
        let store = FakeStore()
        let (missing, _) = await store.run("product", "content", "put", "hidden-beaches", "/nowhere/beach.zip")
        #expect(missing == .noSuchFile)
        #expect(store.requests.isEmpty)
        let (directory, _) = await store.run("product", "content", "put", "hidden-beaches", "/")
        #expect(directory == .noSuchFile)
        let (undeclared, said) = await store.run("product", "content", "show", "pro.monthly")
        #expect(undeclared == .badInput)
        #expect(said.narration.contains("declares no hosted content for pro.monthly"))
        store.answer(
            "GET /admin/v1/apps/com.example.app/products/hidden-beaches/content", status: 404,
            StubTransport.problem(404, .notFound))
        let (none, hint) = await store.run("product", "content", "show", "hidden-beaches")
        #expect(none == .refused)
        #expect(hint.narration.contains("storebus product content put hidden-beaches FILE"))
    }

    // MARK: devices

    @Test func `a device is one the account's app is launched on`() async throws {
        let store = FakeStore()
        let (status, said) = await store.run("device", "add", "alice-2", "--as", "alice", "--storefront", "usa")
        #expect(status == .success)
        let session = try body(store.requests(.post, "/v1/sessions").first)
        #expect(session["deviceId"] == "alice-2" && session["storefront"] == "USA")
        #expect(said.result.contains("unfinished       2 transactions"))
        let (_, list) = await store.run("device", "list", "-o", "names")
        #expect(list.result == "alice-1\n")
    }

    @Test func `resuming a device shows what its observer gets, and ends`() async {
        let store = FakeStore()
        let page = JSONText.line([
            "seq": 1, "transactions": .array([JSONText.value(FakeStore.purchased)]),
        ])
        let downloads = JSONText.line(["seq": 2, "downloads": .array([JSONText.value(Fixtures.download(.active))])])
        let pieces = [
            "event: updatedTransactions\ndata: \(page)\n\n", "event: updatedDownloads\ndata: \(downloads)\n\n",
            "event: restoreCompletedTransactionsFinished\ndata: {\"seq\":3,\"restoreIdentifier\":\"r_1\"}\n\n",
            "event: synchronized\ndata: {\"seq\":3}\n\n", "event: updatedTransactions\ndata: \(page)\n\n",
        ]
        store.stream("GET /v1/transactions/stream", pieces)
        let (status, said) = await store.run("device", "resume", "alice-1", "--as", "alice")
        #expect(status == .success)
        let lines = said.result.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[1].hasSuffix("download  d_1  active  hidden-beaches 1.0, 12 bytes"))
        #expect(lines[2].hasSuffix("restore  r_1  finished"))
    }

    @Test func `an error's number is sent as a number`() async throws {
        let store = FakeStore()
        _ = await store.run("prompt", "answer", "p_1", "decline", "--error", "3")
        #expect(try body(store.requests(.post, "/admin/v1/prompts/p_1").first)["error"] == 3)
    }

    // MARK: waiting purchases

    private func prompts(_ transactions: [PaymentTransaction], _ kind: Prompt.Kind = .askToBuy) -> JSONValue {
        [
            "prompts": .array(
                transactions.map { transaction in
                    JSONText.value(
                        Prompt(
                            id: "p_\(transaction.id)", kind: kind, bundleId: "com.example.app", account: "kid",
                            transaction: transaction, createdAt: Timestamp(milliseconds: 1_795_255_204_000),
                            askedAt: Timestamp(milliseconds: 1_825_255_204_000), answers: [.approve, .decline]))
                })
        ]
    }

    @Test func `an account is enough when only one of its purchases waits`() async throws {
        let store = FakeStore()
        let deferred = Fixtures.transaction("t_1", .deferred)
        store.list([deferred], of: "kid")
        store.answer("GET /admin/v1/prompts", prompts([deferred]))
        for command in ["approve", "decline"] {
            #expect(await store.run(command, "--as", "kid").status == .success)
            #expect(store.requests(.post, "/admin/v1/transactions/t_1/\(command)").count == 1)
        }
        #expect(store.requests.contains { $0.path.hasPrefix("/admin/v1/prompts?account=kid") })
        #expect(await store.run("resolve", "--as", "kid").said.narration.contains("no purchase of kid is interrupted"))
        store.answer("GET /admin/v1/prompts", prompts([FakeStore.failed], .interrupted))
        #expect(await store.run("resolve", "--as", "kid").status == .success)
        #expect(store.requests(.post, "/admin/v1/transactions/t_1/resolve").count == 1)
    }

    @Test func `among several the waiting purchases are named, and none is said with what waits`() async {
        let store = FakeStore()
        store.answer(
            "GET /admin/v1/prompts",
            prompts([Fixtures.transaction("t_1", .deferred), Fixtures.transaction("t_2", .purchasing)]))
        let long = ["t_01j2k9fzz0000000000000zm43", "t_01j2k9fzz0000000000001zm43"]
        store.answer("GET /admin/v1/prompts", prompts(long.map { Fixtures.transaction($0, .deferred) }))
        let ends = await store.run("decline", "--as", "kid").said.narration
        #expect(ends.contains("name one: …0zm43 (pro.monthly), …1zm43 (pro.monthly)"), "\(ends)")
        store.answer(
            "GET /admin/v1/prompts",
            prompts([Fixtures.transaction("t_1", .deferred), Fixtures.transaction("t_2", .purchasing)]))
        let several = await store.run("decline", "--as", "kid")
        #expect(several.status == .usage)
        #expect(several.said.narration.contains("2 purchases of kid are waiting"))
        #expect(several.said.narration.contains("name one: t_1 (pro.monthly), t_2 (pro.monthly)"))
        store.answer("GET /admin/v1/prompts", prompts([]))
        let none = await store.run("decline", "--as", "alcie")
        #expect(none.status == .refused)
        #expect(none.said.narration.contains("did you mean 'alice'?"))
        #expect(none.said.narration.contains("storebus prompt list"))
    }

    @Test func `prompts are listed by the app's clock`() async {
        let store = FakeStore()
        store.answer("GET /admin/v1/prompts", prompts([Fixtures.transaction("t_1", .deferred)]))
        #expect(await store.run("prompt", "list").said.result.contains("  2027-11-03 15:20:04Z  approve, decline\n"))
    }

    // MARK: requests for refunds

    @Test func `a request for a refund is made, and granted in part by its purchase's end`() async throws {
        let store = FakeStore()
        let asked = await store.run("refund", "request", "0001", "--reason", "OTHER").said
        #expect(
            try body(store.requests(.post, "/admin/v1/transactions/t_1/refundRequest").first) == ["reason": "OTHER"])
        #expect(asked.narration == "next: storebus refund grant 2000000000000001\n")
        _ = await store.run("refund", "grant", "…0001", "--percent", "33.5")
        #expect(
            try body(store.requests(.post, "/admin/v1/refundRequests/q_01j2k9f/grant").first)
                == ["type": "REFUND_PRORATED", "percentage": 33_500])
        _ = await store.run("refund", "grant", "…0001", "--as", "bob")
        #expect(store.requests(.post, "/admin/v1/refundRequests/q_01j2k9f/grant").count == 1)
        let said = await store.run("refund", "decline", "--as", "alice").said
        #expect(
            said.result == "declined  q_01j2k9f  alice  2000000000000001  FULFILLMENT_ISSUE  2026-11-21 10:01:04Z\n")
    }

    /// A purchase of 0.99 dollars of which a third was refunded.
    private static let partlyRefunded = with(FakeStore.purchased) {
        $0.price = Fixtures.money("0.99")
        $0.revocationDate = Timestamp(milliseconds: 1_795_255_264_000)
        ($0.revocationType, $0.revocationPercentage, $0.revocationReason) = (.refundProrated, 33_333, .other)
    }

    @Test func `a refund in part says its part, in lists and explanations too`() async throws {
        let store = FakeStore()
        let part = "33.333 %, 0.32 of 0.99 USD"
        store.answer(
            "GET /admin/v1/transactions/t_1",
            JSONText.value(Self.partlyRefunded).with([
                "record": [
                    "bundleId": "com.example.app", "account": "alice", "customerIdentifier": "c_1", "isFinished": true,
                ]
            ]))
        let granted = await store.run("refund", "grant", "0001", "--percent", "33.333").said
        #expect(granted.result.hasSuffix("  2026-11-21 10:01:04Z  \(part)\n"), "\(granted.result)")
        let json = await store.run("refund", "grant", "0001", "--percent", "33.333", "-o", "json").said.result
        let data = try #require(try StrictJSON.parse(Array(json.utf8))["data"])
        #expect(data["revocationPercentage"] == 33_333 && data["refunded"]?.stringValue == part)
        store.list([Self.partlyRefunded], isFinished: true)
        for command in [["tx", "list"], ["tx", "show", "0001"]] {
            let said = await Recorder.run(
                command, variables: ["STOREBUS_ADMIN_KEY": "admin"], transport: store
            ).said
            #expect(said.result.contains("refunded \(part), revoked 2026-11-21 10:01:04Z"), "\(said.result)")
        }
        let why = await store.run("why", "0001").said.result
        #expect(why.contains("state        refunded\n"), "\(why)")
        #expect(why.contains("taken back   refunded on 2026-11-21 10:01:04Z, \(part), reason other\n"), "\(why)")
    }

    @Test func `a refund is asked for by the account that has one purchase`() async {
        let store = FakeStore()
        #expect(await store.run("refund", "request", "--as", "alice").status == .success)
        #expect(store.requests(.post, "/admin/v1/transactions/t_1/refundRequest").count == 1)
        store.list([Self.partlyRefunded])
        let none = await store.run("refund", "request", "--as", "alice")
        #expect(none.status == .refused)
        #expect(none.said.narration.contains("alice has no purchase that can be refunded"))
        store.list([
            FakeStore.purchased, Fixtures.transaction("t_9", .purchased, identifier: "2000000000000009"),
        ])
        let several = await store.run("refund", "request", "--as", "alice").said.narration
        #expect(several.contains("name one: …0001 (pro.monthly), …0009 (pro.monthly)"), "\(several)")
        // A trial cost nothing.
        store.list([
            FakeStore.purchased,
            with(Fixtures.transaction("t_9", .purchased, identifier: "2000000000000009")) {
                $0.price = Fixtures.money("0.00")
            },
        ])
        #expect(await store.run("refund", "request", "--as", "alice").status == .success)
        #expect(store.requests(.post, "/admin/v1/transactions/t_1/refundRequest").count == 2)
    }

    @Test func `a second request is answered with the decision about the first`() async {
        let store = FakeStore()
        store.answer(
            "POST /admin/v1/transactions/t_1/refundRequest", status: 409,
            StubTransport.problem(
                409, .transactionStateInvalid, details: ["refundRequestIdentifier": "q_01j2k9f"]))
        let said = await store.run("refund", "request", "0001").said
        #expect(said.narration.contains("storebus refund grant 2000000000000001"), "\(said.narration)")
        #expect(!said.narration.contains("Approve or decline a deferred"))
    }

    @Test(arguments: [["--as", "bob"], ["--bundle-id", "com.example.other"]])
    func `a request that is named whole is decided only for the account and the app that are named`(
        other: [String]
    ) async {
        let store = FakeStore()
        store.answer("GET /admin/v1/apps/com.example.other/refund-requests", ["refundRequests": .array([])])
        store.answer("GET /admin/v1/refundRequests/q_01j2k9f", JSONText.value(FakeStore.refundRequest(.open)))
        for verb in ["grant", "decline"] {
            let (status, said) = await Recorder.run(
                ["refund", verb, "q_01j2k9f"] + other,
                variables: ["STOREBUS_URL": "http://store", "STOREBUS_ADMIN_KEY": "a"], transport: store)
            #expect(status == .refused)
            #expect(said.narration.contains("not \(other[0] == "--as" ? "of" : "in") \(other[1])"), "\(said.narration)")
        }
        #expect(store.requests.allSatisfy { $0.method == .get })
    }

    @Test func `a whole refund is the store's own, and one that was granted before is said to be`() async {
        let store = FakeStore()
        _ = await store.run("refund", "grant", "…0001", "--percent", "100")
        #expect(store.requests(.post, "/admin/v1/refundRequests/q_01j2k9f/grant").first?.body == nil)
        store.answer("GET /admin/v1/apps/com.example.app/refund-requests", ["refundRequests": .array([])])
        store.answer("GET /admin/v1/refundRequests/q_01j2k9f", JSONText.value(FakeStore.refundRequest(.granted)))
        let said = await store.run("refund", "grant", "q_01j2k9f").said
        #expect(said.narration.contains("note: it was granted before, and nothing has changed\n"), "\(said.narration)")
    }

    // MARK: new accounts

    @Test func `an account that a command makes is said to be new if a known one has nearly its name`() async {
        let store = FakeStore()
        store.answer("GET /admin/v1/transactions", JSONText.value(TransactionsPage(transactions: [], records: [])))
        let said = await store.run("buy", "pro.monthly", "--as", "alcie").said
        #expect(said.narration.contains("note: alcie is a new account; did you mean 'alice'?\n"), "\(said.narration)")
        for command in [
            ["account", "set", "alcie", "--ask-to-buy", "true"], ["trigger", "DID_RENEW", "--as", "alcie"],
        ] {
            store.answer("PUT /admin/v1/testers/alcie", FakeStore.alice)
            let said = await Recorder.run(
                command, variables: ["STOREBUS_ADMIN_KEY": "admin"], transport: store
            ).said
            #expect(
                said.narration.contains("note: alcie is a new account; did you mean 'alice'?\n"), "\(said.narration)")
        }
        #expect(await !store.run("buy", "pro.monthly", "--as", "alice").said.narration.contains("new account"))
        #expect(await !store.run("buy", "pro.monthly", "--as", "zoe").said.narration.contains("new account"))
        #expect(await !store.run("buy", "pro.monthly", "--as", "alcie", "-q").said.narration.contains("new account"))
    }

    @Test func `all settings of an account are cleared at once, and others set over nothing`() async throws {
        let store = FakeStore()
        #expect(await store.run("account", "set", "alice", "--unset", "all").status == .success)
        #expect(store.requests(.delete, "/admin/v1/testers/alice").count == 1)
        #expect(store.requests(.put, "/admin/v1/testers/alice").isEmpty)
        _ = await store.run("account", "set", "alice", "--unset", "all", "--sheet", "cancel")
        #expect(try body(store.requests(.put, "/admin/v1/testers/alice").first) == ["sheet": "cancel"])
    }

    @Test func `what was never deferred cannot be decided`() async {
        let store = FakeStore()
        store.answer(
            "POST /admin/v1/transactions/t_1/approve", status: 409,
            StubTransport.problem(409, .transactionStateInvalid))
        let (status, said) = await store.run("approve", "0001")
        #expect(status == .refused)
        #expect(said.narration.contains("storebus why 2000000000000001"))
    }

    // MARK: import

    private func catalogue() throws -> (directory: TemporaryDirectory, file: String) {
        let directory = try TemporaryDirectory()
        let file = directory.file("App.storekit")
        try FileAccess.write(Array(#"{"products":[]}"#.utf8), to: file, mode: 0o600)
        return (directory, file)
    }

    @Test func `an import says what is in force, and what had to be assumed`() async throws {
        let (directory, file) = try catalogue()
        let (status, said) = await FakeStore().run("import", file)
        #expect(status == .success)
        #expect(
            said.result
                == "imported  App.storekit: 3 products, 1 group, 1 introductory offer  version 7 of com.example.app\n")
        #expect(said.narration.contains("note: prices exist for USA only\n"))
        #expect(said.narration.contains("note: settings applied: _storefront\n"))
        #expect(said.narration.contains("note: settings kept without effect: _locale\n"))
        withExtendedLifetime(directory) {}
    }

    @Test func `a trial that the store cannot make is not made up`() async throws {
        let (directory, file) = try catalogue()
        let store = FakeStore()
        let (_, judged) = await store.run("import", file, "--dry-run")
        #expect(judged.result.hasPrefix("would import  "))
        #expect(store.requests.last?.path.contains("dryRun=true") == true)
        store.answer(
            "PUT /admin/v1/apps/com.example.app/catalog", status: 400,
            [
                "code": "requestInvalid", "status": 400,
                "detail": "query dryRun: is not known here; it may have fileName",
            ])
        let (status, said) = await store.run("import", file, "--dry-run")
        #expect(status == .refused)
        #expect(said.narration.contains("[notImplemented]"))
        #expect(said.narration.contains("nothing was imported"))
        withExtendedLifetime(directory) {}
    }

    @Test func `every file is read before the first is sent`() async throws {
        let (directory, file) = try catalogue()
        let store = FakeStore()
        let (status, _) = await store.run(
            "import", file, directory.file("none"), "--bundle-id", "a.a", "--bundle-id", "b.b")
        #expect(status == .noSuchFile)
        #expect(store.requests.isEmpty)
    }

    @Test func `an exported file is what was imported, or one line that compares well`() async throws {
        let (_, plain) = await FakeStore().run("export")
        let (_, line) = await FakeStore().run("export", "--format", "json")
        #expect(plain.result == JSONText.line(FakeStore.usual["GET /admin/v1/apps/com.example.app/catalog"] ?? .null))
        #expect(line.result == plain.result + "\n")
    }

    // MARK: lists

    @Test func `a list that was cut says where it goes on`() async throws {
        let store = FakeStore()
        store.list([FakeStore.purchased], in: "b", isFinished: true, after: "cursor")
        let (_, said) = await store.run(
            "tx", "list", "product~pro", "--as", "alice", "--unfinished", "--limit", "1", "-o", "json")
        let document = try StrictJSON.parse(Array(said.result.utf8))
        #expect(document["after"] == "cursor")
        #expect(document["next"] == "storebus tx list 'product~pro' 'account=alice' --unfinished --after cursor")
        #expect(store.requests.count == 1)
        _ = await store.run("tx", "list", "--limit", "1", "--after", "cursor")
        #expect(store.requests.last?.path.contains("after=cursor") == true)
    }

    @Test func `prices are asked for in one request`() async {
        let store = FakeStore()
        _ = await store.run("product", "price", "pro.monthly", "--storefront", "usa, FRA")
        let asked = store.requests(.get, "/admin/v1/apps/com.example.app/products/pro.monthly/prices")
        #expect(asked.map(\.path).first?.hasSuffix("?storefronts=USA%2CFRA") == true)
    }

    @Test func `health ends with 75 when a service is away`() async {
        #expect(await FakeStore().run("bus", "health").status == .temporary)
        #expect(await FakeStore().run("bus", "health", "catalog").status == .success)
    }
}

extension FakeStore {
    static let waited: JSONValue = ["events": .array([event]), "after": "e_8"]
}
