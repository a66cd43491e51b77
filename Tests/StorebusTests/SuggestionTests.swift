import StoreModels
import Testing

@testable import Storebus

/// A slip of the finger is answered with what was meant.
@Suite struct SuggestionTests {
    @Test func `the part of an identifier behind a point is near it`() {
        let known = ["com.example.coins", "com.example.hiddenBeaches"]
        #expect(Suggestion.nearest(to: "hiddenBeaches", among: known) == known[1])
        #expect(Suggestion.nearest(to: "Beaches", among: known) == nil)
    }

    @Test(arguments: [
        (["byu", "x", "--as", "a"], "storebus buy"), (["tx", "lst"], "storebus tx list"),
        (["account", "shwo"], "storebus account show"), (["bus", "stat"], "storebus bus stats"),
        (["complations"], "storebus completions"), (["resotre"], "storebus restore"),
        (["download", "fecth"], "storebus download fetch"), (["device", "ad"], "storebus device add"),
        (["promo", "lsit"], "storebus promo list"), (["promo", "image", "aprove"], "storebus promo image approve"),
    ])
    func `a misspelt command`(arguments: [String], meant: String) async {
        let (status, said) = await Recorder.run(arguments)
        #expect(status == .usage)
        #expect(said.narration.hasPrefix("error: there is no command 'storebus "))
        #expect(said.narration.contains("did you mean '\(meant)'?"))
    }

    @Test(arguments: [
        (["tx", "list", "--unfinshed"], "--unfinished"), (["up", "--prot", "auto"], "--port"),
        (["logs", "gatewy"], "gateway"), (["bus", "ls", "catalgo"], "catalog"),
        (["account", "set", "alice", "--sign-in", "fail"], "fails"),
        (["account", "set", "alice", "--unset", "storefrnt"], "storefront"),
        (["account", "set", "alice", "--simulate", "purchse=unknown"], "purchase"),
        (["prompt", "answer", "p_1", "aprove"], "approve"), (["key", "create", "--kind", "apii"], "api"),
        (["key", "revoke", "K11", "--yes"], "K1"), (["prompt", "answer", "p_11", "approve"], "p_1"),
        (["product", "price", "pro.monthly", "--storefront", "FRR"], "FRA"),
        (["product", "price", "pro.monthly", "--storefront", "france"], "FRA"),
        (["product", "show", "pro.month"], "pro.monthly"), (["product", "availability", "pro.month"], "pro.monthly"),
        (["why", "pro.month"], "pro.monthly"), (["tx", "show", "2000000000000002"], "2000000000000001"),
        (["tx", "list", "--as", "alcie"], "alice"), (["account", "show", "alcie"], "alice"),
        (["reset", "--as", "alcie", "--yes"], "alice"),
        (["wait", "purchsed"], "purchased"), (["account", "set", "alice", "--processor", "slo"], "slow"),
        (["buy", "pro.monthly", "--as", "alice", "--outcome", "aprove"], "approve"),
        (["buy", "pro.monthly", "--as", "alice", "--outcome", "fail:paymentInvalidd"], "paymentInvalid"),
        (["download", "start", "d_2", "--as", "alice"], "d_1"), (["resolve", "2000000000000004"], "2000000000000001"),
        (["product", "content", "show", "hidden-beach"], "hidden-beaches"),
        (["product", "list", "--storefront", "UAS"], "USA"),
        (["product", "show", "pro.monthly", "--storefront", "UAS"], "USA"),
        (["promo", "image", "approve", "hidden-beach"], "hidden-beaches"),
        (["intent", "continue", "i_01j2k9g"], "i_01j2k9f"), (["device", "show", "alice-11"], "alice-1"),
        (["intent", "hidden-beach", "--as", "alice"], "hidden-beaches"), (["intent", "lsit"], "list"),
        (["intent", "url", "pro.month"], "pro.monthly"), (["intent", "list", "--state", "defered"], "deferred"),
        (["device", "put", "alice-1", "--platform", "ios"], "iOS"), (["wait", "intentDefered"], "intentDeferred"),
        (["intent", "pro.monthly", "--as", "alice", "--source", "serch"], "search"),
        (["device", "install", "alice-1", "--promoted-purchases", "delegat"], "delegate"),
    ])
    func `a misspelt word behind it`(arguments: [String], meant: String) async {
        let store = FakeStore()
        store.answer("GET /admin/v1/testers/alcie", ["account": "alcie", "overrides": .object([:])])
        let unknown = StubTransport.problem(404, .productNotFound)
        store.answer("POST /v1/store-page/purchase", status: 404, unknown)
        let products = "/admin/v1/apps/com.example.app/products"
        store.answer("POST \(products)/hidden-beach/promotion-image/approve", status: 404, unknown)
        store.answer("GET \(products)/pro.month/test-url", status: 404, unknown)
        if arguments.contains("UAS") {
            let refusal = StubTransport.problem(400, .requestInvalid)
            store.answer("GET /admin/v1/apps/com.example.app/products", status: 400, refusal)
            store.answer("GET /admin/v1/apps/com.example.app/products/pro.monthly/explain", status: 400, refusal)
        }
        if arguments.contains("--as") {
            store.answer("GET /admin/v1/transactions", JSONText.value(TransactionsPage(transactions: [], records: [])))
        }
        let (_, said) = await Recorder.run(
            arguments, variables: ["STOREBUS_ADMIN_KEY": "admin", "STOREBUS_URL": "http://store"], transport: store)
        let sentence = said.narration.lowercased()
        #expect(sentence.contains("did you mean"), "\(said.narration)")
        #expect(said.narration.contains(meant), "\(said.narration)")
    }

    @Test func `an error never names a Swift type`() async {
        let lines: [[String]] = [
            ["buy"], ["tx", "list", "--limit", "x"], ["-o", "xml", "status"], ["status", "--timeout", "x"],
            ["account", "set", "alice", "--ask-to-buy", "maybe"], ["completions", "tcsh"], ["env", "--format", "x"],
            ["product", "show", "nothing"], ["logs", "-n", "many"], ["up", "--port", "x"],
        ]
        for arguments in lines {
            let (status, said) = await Recorder.run(
                arguments, variables: ["STOREBUS_URL": "http://store"], transport: FakeStore())
            #expect(status != .success, "\(arguments)")
            for name in [
                "Optional", "Command", "Storebus.", "Swift.", "Error(", "TimeLimit", "PortChoice", "Int", "Bool",
            ] {
                #expect(!said.narration.contains(name), "\(arguments): \(said.narration)")
            }
        }
    }
}
