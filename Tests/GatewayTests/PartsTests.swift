import HTTPTypes
import Logging
import StoreHTTP
import StoreModels
import Testing

@testable import AppAPI
@testable import GatewayEdge

/// The small pieces, by themselves.
@Suite struct PartsTests {
    @Test func `a query is read as forms write it`() throws {
        let query = try QueryParameters("ids=a%2Cb&ids=c+d&ids=&limit=5&flag=true", names: ["ids", "limit", "flag"])
        #expect(query.list("ids") == ["a", "b", "c d"])
        #expect(try query.integer("limit", in: 1...10, default: 1) == 5)
        #expect(try query.boolean("flag") == true)
        #expect(try query.single("absent") == nil)
        #expect(throws: StoreError.self) { try query.single("ids") }
        #expect(throws: StoreError.self) { try QueryParameters("a=%e4", names: ["a"]) }
        #expect(throws: StoreError.self) { try QueryParameters("b=1", names: ["a"]) }
        #expect(throws: StoreError.self) { try query.integer("limit", in: 1...4, default: 1) }
    }

    @Test func `a literal segment goes before a parameter`() throws {
        let table = RouteTable([
            Route(notBuilt: HTTPRoute(.get, "/a/{id}", .open), "x"),
            Route(notBuilt: HTTPRoute(.get, "/a/stream", .open), "x"),
            Route(notBuilt: HTTPRoute(.post, "/a/{id}/finish", .open), "x"),
        ])
        guard case .found(let literal, let none) = table.match(.get, "/a/stream") else { throw Missing() }
        #expect(literal.path == "/a/stream")
        #expect(none.isEmpty)
        guard case .found(let route, let parameters) = table.match(.post, "/a/x%2Fy/finish") else { throw Missing() }
        #expect(route.path == "/a/{id}/finish")
        #expect(parameters == [.id: "x/y"])
        guard case .wrongMethod(let allowed) = table.match(.delete, "/a/b") else { throw Missing() }
        #expect(allowed == [.get])
        guard case .notFound = table.match(.get, "/a") else { throw Missing() }
    }

    struct Missing: Error {}

    @Test func `a key is compared by its digest`() {
        let key = AdminKey("secret")
        #expect(key.matches("secret"))
        #expect(!key.matches("secre"))
        #expect(!key.matches("secret "))
        #expect(!key.matches(""))
    }

    @Test(
        arguments: [
            ("/v1/customers/{account}/history", "/v1/customers/a@b.example/history", "/v1/customers/{account}/history"),
            ("/v1/transactions/{id}/finish", "/v1/transactions/t_1/finish", "/v1/transactions/t_1/finish"),
            (nil, "/v1/customer/anna@example.com", "/v1/customer/..."),
            (nil, "/v1/customers/anna@example.com/history", "/v1/customers/..."),
            (nil, "/favicon.ico", "/favicon.ico"), (nil, "/v1/nothing", "/v1/nothing"), (nil, "/", "/"), (nil, "", ""),
        ] as [(String?, String, String)])
    func `a log line has no account in its path (S20)`(route: String?, path: String, logged: String) {
        var record = AccessRecord(method: .get, path: path, traceID: "t")
        if let route { record.found(Route(notBuilt: HTTPRoute(.get, HTTPPath(route), .open), "not built")) }
        #expect(record.metadata["path"] == .string(logged))
    }

    @Test(
        arguments: [
            ("Bearer a.b", "a.b"), ("bearer a", "a"), ("BEARER  a ", "a"), (" Bearer a", "a"), ("Bearer", nil),
            ("Bearer ", nil), ("Bearer a b", nil), ("Basic a", nil), ("Bearers a", nil), ("", nil), ("Bearer\ta", nil),
            ("\u{02}earer a", nil), ("Bearer é", "é"),
        ] as [(String, String?)])
    func `a bearer token is one word behind the scheme`(header: String, token: String?) {
        #expect(BearerToken.text(of: header) == token)
    }

    @Test func `lists of a query drop empty elements`() throws {
        func list(_ text: String) throws -> [String] { try QueryParameters("ids=\(text)", names: ["ids"]).list("ids") }
        #expect(try list(",a,,b%2B+c,") == ["a", "b+ c"])
        #expect(try list(",") == [])
        let query = try QueryParameters("b=2&a=%3D1&b=1", names: ["a", "b"])
        #expect(query.pairs == ["a==1", "b=1", "b=2"])
    }

    @Test(arguments: [3, 40]) func `each product gets its own answer of eligibility`(count: Int) throws {
        let answers = EligibilityResults(
            EligibilityReply(
                eligibility: (0..<count).map { number in
                    ProductEligibility(
                        productIdentifier: "p\(number)", subscriptionGroupIdentifier: "g",
                        eligibility: number.isMultiple(of: 2) ? .eligible : .ineligible, rule: .newSubscriber)
                }, degraded: []))
        let products = (0...count).map { number in
            var product = Sample.pro
            product.productIdentifier = "p\(number)"
            return product
        }
        let found = try products.map { answers.form(of: try EncodedProduct($0)).eligibility }
        #expect(found == (0..<count).map { $0.isMultiple(of: 2) ? .eligible : .ineligible } + [.unknown])
    }

    @Test func `bodies that are put together are what encoding them would make`() throws {
        let products = try Sample.products.map { try EncodedProduct($0)[.ineligible] }
        for count in 0...products.count {
            let some = Array(products.prefix(count))
            for texts in [[], ["é\"\n", "b"]] {
                for degraded in [nil, [], texts] {
                    let body = ProductsResponse(
                        products: some, invalidProductIdentifiers: texts, degraded: degraded)
                    #expect(try body.written() == StoreJSON.encode(body))
                }
            }
        }
    }

    @Test func `a store page that is put together is what encoding its promotions would make`() throws {
        let bought = Sample.products.prefix(2).map(\.productIdentifier)
        let isTruncated: [Bool?] = [nil, false, true]
        let customers: [StorePageCustomer?] = isTruncated.map { isTruncated in
            StorePageCustomer(
                storefront: "USA", ownedProductIdentifiers: bought, isTruncated: isTruncated,
                businessNow: Timestamp(milliseconds: 0))
        }
        for count in 0...Sample.products.count {
            let products = Array(Sample.products.prefix(count))
            let listing = PromotedListing(
                PromotedProductsReplyOf(products: try products.map { try EncodedProduct($0) }, catalogVersion: 1))
            for (customer, texts) in zip(customers + [nil], [[], ["é\"\n", "b"], [], ["a"]]) {
                let page = StorePage(
                    listing, device: DevicePromotions(overrides: PromotionOverrides(), isLaunched: true),
                    isUnsupported: false, storeCustomer: customer,
                    eligibility: EligibilityResults(EligibilityReply(eligibility: [], degraded: texts)))
                let hasSubscription = products.contains { $0.type == .autoRenewable }
                let degraded = (hasSubscription ? texts : []) + (customer == nil ? ["payments"] : [])
                let promotions = products.map { product in
                    var whole = product
                    whole.introductoryOfferEligibility = product.type == .autoRenewable ? .unknown : .ineligible
                    let owned = customer.flatMap {
                        product.type.isRestorable ? $0.owns(product.productIdentifier) : false
                    }
                    return Promotion(product: whole, owned: owned)
                }
                let body = StorePageResponse(promotions: promotions, degraded: degraded.sorted())
                #expect(try page.written() == StoreJSON.encode(body))
            }
        }
    }

    @Test func `log lines carry no control characters and no query`() {
        var record = AccessRecord(method: .get, path: "/v1/\u{1B}[31m\r\nforged", traceID: "t")
        record.finish(status: .ok, duration: .milliseconds(3))
        #expect(record.metadata["path"] == "/v1/?[31m??forged")
        let long = AccessRecord(method: .get, path: String(repeating: "é", count: 300), traceID: "t")
        #expect(long.metadata["path"] == .string(String(repeating: "?", count: 256)))
        #expect(record.milliseconds == 3)
    }
}
