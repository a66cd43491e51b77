import HTTPTypes
import StoreModels
import Testing

@testable import Gateway

/// `openapi.json` and the router say the same, both ways (S22).
@Suite struct OpenAPITests {
    private func document() throws -> JSONValue { try StrictJSON.parse(PackageResources.openapi_json) }

    private func table() async -> [Route] {
        let bus = InMemoryGateway.bus
        return Gateway(
            bus: bus, tokens: await SessionTokens(key: Array(repeating: 1, count: 32)), logger: InMemoryGateway.logger
        ).routes
    }

    /// Built, but for members of the body that a later version acts on.
    private let partlyBuilt: Set = ["POST /v1/payments", "PUT /admin/v1/testers/{account}"]

    /// `GET /v1/products` for every operation of the document.
    private func operations() throws -> [String: JSONValue] {
        let paths = try document()["paths"]?.objectValue ?? [:]
        var found: [String: JSONValue] = [:]
        for (path, item) in paths {
            for (method, operation) in item.objectValue ?? [:] where method != "parameters" {
                found["\(method.uppercased()) \(path)"] = operation
            }
        }
        return found
    }

    @Test func `every route is documented and every documented operation is a route`() async throws {
        let routes = Set(await table().map { "\($0.method.rawValue) \($0.path)" })
        let documented = Set(try operations().keys)
        #expect(routes.subtracting(documented).sorted() == [])
        #expect(documented.subtracting(routes).sorted() == [])
    }

    @Test func `parameters, security and 501 are those of the table`() async throws {
        let operations = try operations()
        for route in await table() {
            let name = "\(route.method.rawValue) \(route.path)"
            let operation = operations[name]
            let parameters = (operation?["parameters"]?.arrayValue ?? []).compactMap(resolved)
            func names(_ place: String) -> Set<String> {
                Set(parameters.filter { $0["in"]?.stringValue == place }.compactMap { $0["name"]?.stringValue })
            }
            #expect(names("path") == Set(RouteTable.parameterNames(route.path)), "\(name): path parameters")
            #expect(names("query") == route.query, "\(name): query parameters")
            let security = (operation?["security"]?.arrayValue ?? []).flatMap { ($0.objectValue ?? [:]).keys }
            let expected: Set<String> =
                switch route.access {
                case .open, .server: []
                case .app: ["app"]
                case .appOrStore: ["app", "store"]
                case .admin: ["admin"]
                }
            #expect(Set(security) == expected, "\(name): security")
            let responses = operation?["responses"]?.objectValue ?? [:]
            #expect(responses.keys.contains("501") == (!route.isBuilt || partlyBuilt.contains(name)), "\(name): 501")
            #expect(responses.keys.contains { $0.hasPrefix("2") } == route.isBuilt, "\(name): an answer that went well")
            #expect(operation?["operationId"]?.stringValue?.isEmpty == false, "\(name): operationId")
        }
    }

    @Test func `every code of the contract is in the problem's schema`() throws {
        let schema = try document()["components"]?["schemas"]?["Problem"]
        let listed = (schema?["properties"]?["code"]?["enum"]?.arrayValue ?? []).compactMap(\.stringValue)
        #expect(Set(listed) == Set(StoreErrorCode.all.map(\.name)))
    }

    @Test func `enumerations have the models' names, in StoreKit's order`() throws {
        func values(_ schema: String) throws -> [String] {
            (try document()["components"]?["schemas"]?[schema]?["enum"]?.arrayValue ?? []).compactMap(\.stringValue)
        }
        #expect(try values("TransactionState") == TransactionState.allCases.map(\.rawValue))
        #expect(try values("ProductType") == ProductType.allCases.map(\.rawValue))
        #expect(try values("OfferEligibility") == OfferEligibility.allCases.map(\.rawValue))
        #expect(try values("PeriodUnit") == SubscriptionPeriod.Unit.allCases.map(\.rawValue))
        #expect(try values("PaymentMode") == ProductDiscount.PaymentMode.allCases.map(\.rawValue))
        #expect(try values("Platform") == DeviceLaunch.Platform.allCases.map(\.rawValue))
        #expect(try values("PromotedPurchases") == DeviceLaunch.PromotedPurchases.allCases.map(\.rawValue))
        #expect(try values("SignIn") == TesterSettings.SignIn.allCases.map(\.rawValue))
        #expect(try values("SubscriptionRenewalRate") == SubscriptionRenewalRate.allCases.map(\.rawValue))
        #expect(try values("PromptKind") == Prompt.Kind.allCases.map(\.rawValue))
        #expect(try values("PromptChoice") == Prompt.Answer.allCases.map(\.rawValue))
        #expect(try values("StoreEventType") == StoreEvent.Kind.allCases.map(\.rawValue))
        #expect(try values("UnavailabilityReason") == ProductExplanation.Reason.allCases.map(\.rawValue))
        #expect(try values("DownloadState") == Download.State.allCases.map(\.rawValue))
    }

    /// The members of what is sent stand in their schemas, and the schemas know no others.
    @Test func `shapes have the members the models write`() throws {
        func members(_ schema: String) throws -> Set<String> {
            Set((try document()["components"]?["schemas"]?[schema]?["properties"]?.objectValue ?? [:]).keys)
        }
        func written(_ value: some Encodable) throws -> Set<String> {
            Set((try StrictJSON.parse(try StoreJSON.encode(value)).objectValue ?? [:]).keys)
        }
        let transaction = PaymentTransaction(
            id: "t", transactionState: .purchased, payment: Sample.payment("t"), revision: 1, originDeviceId: "d",
            supersedes: "x", expiresDate: .wallClock(), isTrialPeriod: true, isInIntroOfferPeriod: true,
            isUpgraded: true, revocationDate: .wallClock(), price: Money(minorUnits: 1, currency: Sample.dollars),
            offer: AppliedOffer(type: .introductory, paymentMode: .freeTrial))
        #expect(try members("Transaction") == written(transaction))
        let payment = Payment(
            requestIdentifier: "k", productIdentifier: "p", applicationUsername: "u", appAccountToken: "a",
            paymentDiscount: PaymentDiscount(
                identifier: "i", keyIdentifier: "k", nonce: "n", signature: "s", timestamp: 1),
            intentIdentifier: "i")
        #expect(try members("Payment") == written(payment))
        let discount = ProductDiscount(
            identifier: nil, type: .introductory, price: Money(minorUnits: 0, currency: Sample.dollars),
            priceLocale: "en_US@currency=USD", paymentMode: .freeTrial,
            subscriptionPeriod: .init(numberOfUnits: 1, unit: .week),
            numberOfPeriods: 1)
        #expect(try members("ProductDiscount") == written(discount))
        var product = Sample.pro
        product.introductoryPrice = discount
        product.introductoryOfferEligibility = .eligible
        #expect(try members("Product") == written(product))
        #expect(
            try members("App")
                == written(App(bundleId: "a", settings: .init(name: "A"), catalogVersion: 1, testerDefaults: .init())))
        #expect(try members("AppSettings") == AppSettings.memberNames)
        #expect(try members("TesterSettings") == TesterSettings.memberNames)
        #expect(try members("SimulatedErrors") == TesterSettings.SimulatedErrors.memberNames)
        #expect(try members("Tester") == written(TesterAnswer(Tester(account: "a", settings: .init()))))
        #expect(try members("PromptAnswer") == PromptAnswer.members.names)
        #expect(try members("SessionRequest") == SessionRequest.members.names)
        #expect(try members("PaymentRequest") == PaymentRequest.members.names)
        #expect(try members("ProductsQuery") == ProductsQuery.members.names)
    }

    private func resolved(_ value: JSONValue) -> JSONValue? {
        guard let reference = value["$ref"]?.stringValue else { return value }
        return reference.split(separator: "/").dropFirst().reduce(try? document()) { $0?[String($1)] }
    }
}
