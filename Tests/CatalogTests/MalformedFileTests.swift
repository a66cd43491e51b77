import StoreModels
import Testing

@testable import Catalog

/// Goal: an error names a file's fault by place and reason, and the catalogue in force stays.
@Suite struct MalformedFileTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let what: String
        let file: JSONValue
        let path: String
        /// A part of the reason.
        let reason: String
        var allowed: [String] = []

        var testDescription: String { what }
    }

    static func product(
        _ what: String, _ change: [String: JSONValue], _ member: String, _ reason: String, _ allowed: [String] = []
    ) -> Case {
        Case(
            what: what, file: FileBuilder.file(products: [FileBuilder.product("a"), FileBuilder.product("b", change)]),
            path: "$.products[1].\(member)", reason: reason, allowed: allowed)
    }

    static func subscription(
        _ what: String, _ change: [String: JSONValue], _ member: String, _ reason: String, _ allowed: [String] = []
    ) -> Case {
        Case(
            what: what, file: FileBuilder.file(subscriptions: [FileBuilder.subscription("s", change)]),
            path: "$.subscriptionGroups[0].subscriptions[0].\(member)", reason: reason, allowed: allowed)
    }

    static let periods = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]
    static let trials = ["P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P1Y"]

    static let cases: [Case] = [
        Case(what: "a list", file: [], path: "$", reason: "must be an object, not a list"),
        Case(
            what: "another kind of JSON", file: ["name": "left-pad"], path: "$", reason: "not a StoreKit configuration",
            allowed: ["products", "nonRenewingSubscriptions", "subscriptionGroups"]),
        Case(
            what: "version 0", file: ["products": [], "version": ["major": 0, "minor": 0]],
            path: "$.version.major", reason: "is 0; it must be an integer from 1"),
        Case(
            what: "a version in words", file: ["products": [], "version": "4.0"], path: "$.version",
            reason: "must be an object, not a string"),
        Case(
            what: "products as an object", file: ["products": ["a": 1]], path: "$.products",
            reason: "must be a list, not an object"),
        Case(
            what: "a product that is none", file: ["products": ["a"]], path: "$.products[0]",
            reason: "must be an object, not a string"),
        product("no identifier", ["productID": .null], "productID", "must be a string, not null"),
        product("an empty identifier", ["productID": ""], "productID", "1 to 100 characters"),
        product(
            "a long identifier", ["productID": .string(String(repeating: "x", count: 101))], "productID",
            "longer than 100"),
        product("a control character", ["productID": "a\u{7}b"], "productID", "control character"),
        product(
            "the same identifier twice", ["productID": "a"], "productID",
            "is 'a', which is already used at $.products[0].productID"),
        product(
            "an unknown type", ["type": "Gadget"], "type", "is 'Gadget'",
            ["Consumable", "NonConsumable", "NonRenewingSubscription"]),
        product("no price", ["displayPrice": .null], "displayPrice", "must be a decimal number in a string"),
        product("a price as a number", ["displayPrice": 2], "displayPrice", "not a number"),
        product("a negative price", ["displayPrice": "-1.00"], "displayPrice", "not negative"),
        product("no number at all", ["displayPrice": "NaN"], "displayPrice", "is 'NaN'"),
        product("an empty price", ["displayPrice": ""], "displayPrice", "is ''"),
        product("a point alone", ["displayPrice": "."], "displayPrice", "is '.'"),
        product("an exponent", ["displayPrice": "1e3"], "displayPrice", "is '1e3'"),
        product("a comma", ["displayPrice": "1,99"], "displayPrice", "is '1,99'"),
        product("too many digits", ["displayPrice": "1.999"], "displayPrice", "two digits"),
        product("a price beyond all bounds", ["displayPrice": "1234567890123"], "displayPrice", "larger"),
        product(
            "familyShareable in words", ["familyShareable": "yes"], "familyShareable",
            "must be true or false, not a string"),
        product("localizations in words", ["localizations": "en"], "localizations", "must be a list"),
        product("a bad locale", ["localizations": [["locale": "english"]]], "localizations[0].locale", "is 'english'"),
        product(
            "the same locale twice",
            ["localizations": [FileBuilder.localization("en_US", "A"), FileBuilder.localization("en_US", "B")]],
            "localizations[1].locale", "has already"),
        product("an unknown state", ["state": "sold"], "state", "is 'sold'", ProductState.allCases.map(\.rawValue)),
        product(
            "a state as a number", ["state": 1], "state", "must be a string, not a number",
            ProductState.allCases.map(\.rawValue)),
        product("clearedForSale in words", ["clearedForSale": "no"], "clearedForSale", "must be true or false"),
        product("a day without an hour", ["availableFrom": "2027-01-31"], "availableFrom", "it must be an instant"),
        product("an instant as a number", ["availableFrom": 1], "availableFrom", "must be a string, not a number"),
        product("prices as a list", ["prices": ["1.99"]], "prices", "must be an object, not a list"),
        product("a price in no storefront", ["prices": ["FR": "1"]], "prices.FR", "did you mean FRA?"),
        product("a storefront's price as a number", ["prices": ["FRA": 2]], "prices.FRA", "not a number"),
        product("a fraction of a yen", ["prices": ["JPN": "1.5"]], "prices.JPN", "JPY has 0 digits"),
        product("a negative price in a storefront", ["prices": ["FRA": "-1"]], "prices.FRA", "not negative"),
        product(
            "another storefront's currency", ["prices": ["FRA": ["amount": "1", "currency": "USD"]]],
            "prices.FRA.currency", "is 'USD'; France sells in EUR"),
        product("a price without currency", ["prices": ["FRA": ["amount": "1"]]], "prices.FRA.currency", "is missing"),
        product(
            "a price without amount", ["prices": ["FRA": ["currency": "EUR"]]], "prices.FRA.amount", "is missing"),
        product(
            "a price with more", ["prices": ["FRA": ["amount": "1", "currency": "EUR", "tax": "1"]]],
            "prices.FRA.tax", "is unknown", ["amount", "currency"]),
        product("availability in words", ["availability": "FRA"], "availability", "must be a list of storefronts, or"),
        product("no storefront", ["availability": ["FRA", "ATL"]], "availability[1]", "'ATL' is not a storefront"),
        product("a storefront twice", ["availability": ["FRA", "FRA"]], "availability[1]", "has already"),
        product("a storefront as a number", ["availability": [1]], "availability[0]", "must be a string"),
        product("an exception in words", ["availability": ["FRA": "no"]], "availability.FRA", "must be true or false"),
        product("an exception nowhere", ["availability": ["fra": false]], "availability.fra", "did you mean FRA?"),
        product("content in words", ["hostedContent": "1.0"], "hostedContent", "must be an object"),
        product(
            "content without lengths", ["hostedContent": ["version": "1.0"]], "hostedContent.lengths", "is missing"),
        product(
            "content without packages", ["hostedContent": ["version": "1", "lengths": []]], "hostedContent.lengths",
            "has 0 lengths; it must have 1"),
        product(
            "content in two packages", ["hostedContent": ["version": "1", "lengths": [1, 2]]], "hostedContent.lengths",
            "has 2 lengths; it must have 1, because a product has one package: pack its files into one archive"),
        product(
            "content without a version", ["hostedContent": ["lengths": [1]]], "hostedContent.version", "is missing"),
        product(
            "a version in words", ["hostedContent": ["version": "1.a", "lengths": [1]]], "hostedContent.version",
            "whole numbers with points"),
        product(
            "an empty package", ["hostedContent": ["version": "1", "lengths": [0]]], "hostedContent.lengths[0]",
            "must be an integer from 1 to 268435456"),
        product(
            "a package that is too large", ["hostedContent": ["version": "1", "lengths": [268_435_457]]],
            "hostedContent.lengths[0]", "must be an integer from 1 to 268435456"),
        product(
            "content with more", ["hostedContent": ["version": "1", "lengths": [1], "url": "x"]], "hostedContent.url",
            "is unknown", ["version", "lengths"]),
        subscription(
            "an unknown state of a subscription", ["state": "gone"], "state", "is 'gone'",
            ProductState.allCases.map(\.rawValue)),
        subscription("a subscription's price nowhere", ["prices": ["UK": "1"]], "prices.UK", "did you mean GBR?"),
        subscription(
            "an offer's price in another currency",
            [
                "introductoryOffer": FileBuilder.offer(
                    "payUpFront", "P2M", price: "1", ["prices": ["JPN": ["amount": "1", "currency": "EUR"]]])
            ], "introductoryOffer.prices.JPN.currency", "Japan sells in JPY"),
        // M110
        product(
            "an introductory offer on a consumable", ["introductoryOffer": FileBuilder.offer("free", "P1W")],
            "introductoryOffer", "only an auto-renewable subscription"),
        subscription(
            "an unknown period", ["recurringSubscriptionPeriod": "P13M"], "recurringSubscriptionPeriod", "is 'P13M'",
            periods),
        subscription(
            "no period", ["recurringSubscriptionPeriod": .null], "recurringSubscriptionPeriod", "ISO 8601", periods),
        subscription("another type", ["type": "Consumable"], "type", "is 'Consumable'", ["RecurringSubscription"]),
        subscription("level 0", ["groupNumber": 0], "groupNumber", "from 1"),
        subscription("a level with a fraction", ["groupNumber": .number("1.5")], "groupNumber", "is 1.5"),
        subscription("another group", ["subscriptionGroupID": "H"], "subscriptionGroupID", "is in group 'G'"),
        // M113
        subscription(
            "an unknown payment mode", ["introductoryOffer": FileBuilder.offer("barter", "P1W")],
            "introductoryOffer.paymentMode", "is 'barter'", ["free", "payAsYouGo", "payUpFront"]),
        // M111
        subscription(
            "an offer without a price", ["introductoryOffer": FileBuilder.offer("payUpFront", "P2M")],
            "introductoryOffer.displayPrice", "is missing"),
        subscription(
            "a negative offer", ["introductoryOffer": FileBuilder.offer("payUpFront", "P2M", price: "-1")],
            "introductoryOffer.displayPrice", "not negative"),
        // M116
        subscription(
            "a trial of five days", ["introductoryOffer": FileBuilder.offer("free", "P5D")],
            "introductoryOffer.subscriptionPeriod", "a free trial cannot last 5 days", trials),
        // M115
        subscription(
            "four months up front", ["introductoryOffer": FileBuilder.offer("payUpFront", "P4M", price: "1")],
            "introductoryOffer.subscriptionPeriod", "cannot last 4 months", ["P1M", "P2M", "P3M", "P6M", "P1Y"]),
        // M114
        subscription(
            "thirteen months as you go",
            ["introductoryOffer": FileBuilder.offer("payAsYouGo", "P1M", count: 13, price: "1")],
            "introductoryOffer.subscriptionPeriod", "at most 12 periods"),
        subscription(
            "another rhythm as you go",
            ["introductoryOffer": FileBuilder.offer("payAsYouGo", "P1W", count: 3, price: "1")],
            "introductoryOffer.subscriptionPeriod", "charged each 1 month", ["P1M"]),
        subscription(
            "no periods at all", ["introductoryOffer": FileBuilder.offer("free", "P1W", count: 0)],
            "introductoryOffer.numberOfPeriods", "from 1"),
        subscription(
            "a promotional offer without identifier", ["adHocOffers": [FileBuilder.offer("free", "P1W")]],
            "adHocOffers[0].offerID", "is missing"),
        Case(
            what: "a group without identifier", file: ["subscriptionGroups": [["subscriptions": []]]],
            path: "$.subscriptionGroups[0].id", reason: "is missing"),
        Case(
            what: "the same group twice",
            file: ["subscriptionGroups": [["id": "G", "subscriptions": []], ["id": "G", "subscriptions": []]]],
            path: "$.subscriptionGroups[1].id", reason: "$.subscriptionGroups[0].id"),
        Case(
            what: "an identifier in two places of the file",
            file: FileBuilder.file(
                products: [FileBuilder.product("a")], subscriptions: [FileBuilder.subscription("a")]),
            path: "$.subscriptionGroups[0].subscriptions[0].productID", reason: "$.products[0].productID"),
    ]

    @Test(arguments: cases)
    func `a wrong file is refused whole with path and reason, and the catalogue in force stays`(_ example: Case)
        async throws
    {
        try await withCatalog { store async throws in
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("kept", price: "3.00")]))
            let error = await #expect(throws: StoreError.self) { try await store.importFile(example.file) }
            #expect(error?.code == .catalogInvalid)
            let problems = error?.details["problems"]?.arrayValue ?? []
            let problem = problems.first { $0["path"]?.stringValue == example.path }
            #expect(problem?["reason"]?.stringValue?.contains(example.reason) == true, "\(problems)")
            #expect(problem?["allowed"]?.arrayValue?.compactMap(\.stringValue) ?? [] == example.allowed)
            #expect(problems.count == 1, "\(problems)")
            #expect(try store.allProducts().map(\.productIdentifier) == ["kept"])
            #expect(try store.app(AppRequest(bundleId: CatalogFixture.bundleId)).catalogVersion == 1)
        }
    }

    @Test(arguments: [
        ("", "$", "ends too early"), ("{\"products\":[}", "$.products[0]", "unexpected character"),
        ("{\"products\":[],\"products\":[]}", "$.products", "occurs twice"),
        ("{\"products\":[]} x", "$", "more text"), (String(repeating: "[", count: 40), "[0]", "nested deeper"),
        ("{\"products\":[{\"productID\":\"\\u0000\"}]}", "$.products[0].productID", "U+0000"),
        ("\n<?xml version=\"1.0\"?>\n<!DOCTYPE plist>", "$", "is a property list in XML, not JSON"),
        ("<?xml version=\"1.0\"?><a/>", "$", "is XML, not JSON"),
        ("bplist00\u{1}", "$", "is a binary property list, not JSON"),
    ])
    func `text that is no strict JSON is refused with path and byte`(text: String, path: String, reason: String) throws
    {
        let error = #expect(throws: StoreError.self) {
            try StoreKitFileReader.read(Array(text.utf8), fileName: "Bad.storekit")
        }
        #expect(error?.code == .catalogInvalid)
        #expect(error?.message.hasPrefix("Bad.storekit: ") == true)
        let problem = error?.details["problems"]?.arrayValue?.first
        #expect(problem?["path"]?.stringValue?.hasSuffix(path) == true, "\(String(describing: problem))")
        #expect(problem?["reason"]?.stringValue?.contains(reason) == true, "\(String(describing: problem))")
    }

    @Test func `all problems are named at once, fifty at most, and counted`() throws {
        let products = (0..<60).map { FileBuilder.product("p\($0)", price: "-\($0)") }
        let error = #expect(throws: StoreError.self) {
            try StoreKitFileReader.read(
                try StoreJSON.encode(FileBuilder.file(products: products)), fileName: "Bad.storekit")
        }
        #expect(error?.details["problems"]?.arrayValue?.count == 50)
        #expect(error?.details["problemCount"]?.intValue == 60)
        #expect(error?.message.contains("and 59 more") == true)
    }

    @Test func `every byte of a real file cut off leaves a clear refusal`() throws {
        let sample = try #require(SampleFile.all.first { $0.name == "kf-00.storekit" })
        for count in 0..<(sample.bytes.count - 1) {
            let error = #expect(throws: StoreError.self) {
                try StoreKitFileReader.read(Array(sample.bytes.prefix(count)), fileName: "Cut.storekit")
            }
            #expect(error?.code == .catalogInvalid)
        }
    }
}
