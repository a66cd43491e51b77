import Foundation
import Signing
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import AppStoreServer

/// Goal: what Apple's pages say of the App Store Server API, its notifications and receipts holds here, or the store
/// says why not.
/// Method: `Tests/ApplePages/pages.json` has the facts of each page. Errors, operations, members, values and limits are
/// compared with the code; for each rule the named test exists. `STOREBUS_GOLDEN=write` renews `docs/apple-pages.md`.
@Suite struct ApplePagesTests {
    private let pages: ApplePages
    private let document: OpenAPIDocument

    init() throws {
        pages = try ApplePages()
        document = try OpenAPIDocument()
    }

    // MARK: The API

    @Test func `each error has the number, status and sentence of its page`() throws {
        for row in pages.errors {
            let error = try #require(ServerAPIError(code: row.code), "\(row.page)")
            #expect(error.message == row.message, "\(row.page)")
            #expect(error.status == row.code / 10_000, "\(row.page)")
        }
        #expect(Set(pages.errors.map(\.code)).count == pages.errors.count)
    }

    @Test func `each operation has the method, path, query and errors of its page`() throws {
        let errors = Set(pages.errors.map(\.page))
        for row in pages.operations {
            let operation = try #require(document.operations["\(row.method) \(row.path)"], "\(row.page)")
            #expect(Set(row.query).isSubset(of: operation.names(in: "query")), "\(row.page)")
            #expect(Set(row.responses.keys).isSubset(of: operation.statuses), "\(row.page)")
            for (status, names) in row.responses {
                for name in names {
                    #expect(errors.contains(name), "\(row.page) \(name)")
                    let code = pages.errors.first { $0.page == name }?.code
                    #expect(code.map { "\($0 / 10_000)" } == status, "\(row.page) \(name)")
                }
            }
        }
    }

    @Test func `the limits of requests are those of the page`() {
        let names: [String: ServerAPIOperation] = [
            "Get Transaction Info": .getTransactionInfo, "Get Transaction History": .getTransactionHistory,
            "Get Transaction History V1": .getTransactionHistory,
            "Get All Subscription Statuses": .getAllSubscriptionStatuses,
            "Send Consumption Information": .sendConsumptionInformation,
            "Get Notification History": .getNotificationHistory,
            "Extend a Subscription Renewal Date": .extendSubscriptionRenewalDate, "Look Up Order ID": .lookUpOrderId,
            "Get Refund History": .getRefundHistory, "Get Refund History V1": .getRefundHistory,
            "Extend Subscription Renewal Dates for All Active Subscribers": .extendRenewalDateForAllActiveSubscribers,
            "Request a Test Notification": .requestTestNotification,
            "Get Test Notification Status": .getTestNotificationStatus,
        ]
        for (name, limit) in pages.limits { #expect(names[name]?.limitPerSecond == limit, "\(name)") }
        #expect(Set(names.keys) == Set(pages.limits.keys))
    }

    // MARK: Types

    @Test func `each payload and body has the members of its page, of their type`() throws {
        let shapes = try AppleShapes(document)
        for row in pages.objects {
            let wanted = Set(row.members.keys).subtracting((row.without ?? [:]).keys).union(row.later ?? [])
            guard let shape = shapes.shapes[row.page] else {
                #expect(row.test != nil, "\(row.page) has neither a type nor a test")
                continue
            }
            #expect(shape.members == wanted, "\(row.page)")
            for (name, kind) in row.members where row.without?[name] == nil {
                guard let found = shape.kinds[name] else { continue }
                #expect(found == kind, "\(row.page) \(name)")
            }
        }
    }

    @Test func `each enumeration has the values of its page`() throws {
        let values = try AppleValues(document).values
        for row in pages.values {
            let wanted = Set(row.values).subtracting((row.without ?? [:]).keys).union(row.later ?? [])
            guard let found = values[row.page] else {
                #expect(row.test != nil, "\(row.page) has neither values nor a test")
                continue
            }
            #expect(Set(found) == wanted, "\(row.page)")
        }
    }

    @Test func `each page of a type is a member of that type somewhere`() throws {
        let kinds = Set(pages.objects.flatMap { row in row.members.map { "\($0.key) \($0.value)" } })
        let elsewhere: Set<String> = [
            "JWSTransaction", "JWSRenewalInfo", "storefrontCountryCode", "testNotificationToken", "orderId",
            "notificationSubtype",
        ]
        let queries = Set(pages.operations.flatMap(\.query)).subtracting(pages.objects.flatMap(\.members.keys))
        for row in pages.types where !elsewhere.contains(row.page) && !queries.contains(row.page) {
            #expect(kinds.contains("\(row.page) \(row.kind)"), "\(row.page)")
        }
    }

    // MARK: Rules

    @Test func `each rule names a test that exists, or why the store differs`() throws {
        let sources = try TestSources()
        for row in pages.rules { #expect((row.test == nil) != (row.differs == nil), "\(row.page): \(row.says)") }
        let named = pages.rules.compactMap(\.test) + pages.objects.compactMap(\.test) + pages.values.compactMap(\.test)
        let missing = Set(named).filter { !sources.contains($0) }.sorted()
        #expect(missing.isEmpty)
    }

    @Test func `docs apple-pages md has the table`() throws {
        let table = pages.table
        print(pages.count.line)
        #expect(try GoldenFile.difference("docs/apple-pages.md", table) == nil)
    }
}

/// The facts of Apple's pages, a row each.
private struct ApplePages: Decodable {
    struct ErrorRow: Decodable {
        var code: Int
        var message: String
        var page: String
    }

    struct Operation: Decodable {
        var page: String
        var method: String
        var path: String
        var query: [String]
        /// The error pages of each status.
        var responses: [String: [String]]
    }

    struct Object: Decodable {
        var page: String
        /// The JSON type of each member.
        var members: [String: String]
        /// Members that the store leaves out, and why.
        var without: [String: String]?
        /// Members of later pages.
        var later: [String]?
        var test: String?
    }

    struct Values: Decodable {
        var page: String
        var values: [String]
        var without: [String: String]?
        var later: [String]?
        var test: String?
    }

    struct TypeRow: Decodable {
        var page: String
        var kind: String
    }

    struct Rule: Decodable {
        var page: String
        var says: String
        /// `Module.Suite/name`.
        var test: String?
        var differs: String?
    }

    struct Group: Decodable {
        var pages: [String]
        var differs: String
    }

    struct Count {
        var rows = 0
        var held = 0
        var differing = 0
        var pages = 0

        var line: String {
            "\(pages) pages, \(rows) rows: \(held) held by tests, \(differing) differ by choice"
        }
    }

    var errors: [ErrorRow]
    var operations: [Operation]
    var objects: [Object]
    var values: [Values]
    var types: [TypeRow]
    var limits: [String: Int]
    var rules: [Rule]
    var groups: [Group]

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    init() throws {
        let file = Self.root.appendingPathComponent("Tests/ApplePages/pages.json")
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    }

    var count: Count {
        var count = Count()
        let all =
            errors.map(\.page) + operations.map(\.page) + objects.map(\.page) + values.map(\.page)
            + types.map(\.page) + rules.map(\.page) + groups.flatMap(\.pages)
        count.pages = Set(all).count
        count.differing =
            rules.count { $0.differs != nil } + groups.count
            + objects.reduce(0) { $0 + Set(($1.without ?? [:]).values).count }
            + values.reduce(0) { $0 + ($1.without ?? [:]).count }
        count.held =
            errors.count + operations.count + objects.count + values.count + types.count + limits.count
            + rules.count { $0.test != nil }
        count.rows = count.held + count.differing
        return count
    }

    // MARK: The document

    var table: String {
        var lines = [
            "# Apple's pages",
            "",
            "What Apple's pages say of the App Store Server API, App Store Server Notifications and receipts, and the test that",
            "holds it. The pages are those of version 1.15 of the API. `Tests/ApplePages/pages.json` has the facts, and",
            "ApplePagesTests compares them with the code; this page is made of them (`STOREBUS_GOLDEN=write` renews it).",
            "",
            "\(count.line).",
            "",
            "## Rules",
            "",
            "| page | what it says | test |",
            "|---|---|---|",
        ]
        lines += rules.filter { $0.test != nil }.map {
            "| \($0.page) | \(Self.cell($0.says)) | \(Self.link($0.test)) |"
        }
        lines += ["", "## What differs by choice", "", "| page | what it says | here |", "|---|---|---|"]
        lines += rules.compactMap { rule in
            rule.differs.map { "| \(rule.page) | \(Self.cell(rule.says)) | \(Self.cell($0)) |" }
        }
        let without = objects.map { ($0.page, $0.without ?? [:]) } + values.map { ($0.page, $0.without ?? [:]) }
        for (page, reasons) in without {
            for reason in Set(reasons.values).sorted() {
                let names = reasons.filter { $0.value == reason }.keys.sorted().map { "`\($0)`" }
                lines.append("| \(page) | \(names.joined(separator: ", ")) | \(Self.cell(reason)) |")
            }
        }
        lines += groups.map { "| \($0.pages.joined(separator: ", ")) | | \(Self.cell($0.differs)) |" }
        lines += ["", "## Operations", "", "| page | method and path | errors |", "|---|---|---|"]
        lines += operations.map { row in
            let codes = Set(row.responses.values.joined()).compactMap { name in errors.first { $0.page == name }?.code }
            return
                "| \(row.page) | `\(row.method) \(row.path)` | \(codes.sorted().map(String.init).joined(separator: ", ")) |"
        }
        lines += ["", "## Limits of requests", "", "| page | a second |", "|---|---|"]
        lines += limits.sorted { $0.key < $1.key }.map { "| \($0.key) | \($0.value) |" }
        lines += ["", "## Members", "", "| page | members |", "|---|---|"]
        lines += objects.map { row in
            let names =
                row.members.keys.sorted().map { "`\($0)`" } + (row.later ?? []).sorted().map { "`\($0)` (later)" }
            return "| \(row.page) | \(names.joined(separator: ", ")) |"
        }
        lines += ["", "## Values", "", "| page | values |", "|---|---|"]
        lines += values.map { row in
            let names = row.values.map { "`\($0)`" } + (row.later ?? []).map { "`\($0)` (later)" }
            return "| \(row.page) | \(names.joined(separator: ", ")) |"
        }
        lines += ["", "## Types", "", "| type | pages |", "|---|---|"]
        for kind in Set(types.map(\.kind)).sorted() {
            let names = types.filter { $0.kind == kind }.map { "`\($0.page)`" }
            lines.append("| \(kind) | \(names.joined(separator: ", ")) |")
        }
        lines += ["", "## Errors", "", "| errorCode | errorMessage |", "|---|---|"]
        lines += errors.map { "| \($0.code) | \(Self.cell($0.message)) |" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

    private static func link(_ test: String?) -> String {
        guard let test, let place = test.firstIndex(of: "/") else { return "" }
        return "\(test[..<place]): \(cell(String(test[test.index(after: place)...])))"
    }
}

/// The sources of the tests, by module.
private struct TestSources {
    private var files: [String: [String]] = [:]

    init() throws {
        let tests = ApplePages.root.appendingPathComponent("Tests")
        let names = FileManager.default.enumerator(atPath: tests.path)
        for case let name as String in names ?? .init() where name.hasSuffix(".swift") {
            let module = String(name.prefix { $0 != "/" })
            files[module, default: []].append(
                try String(contentsOf: tests.appendingPathComponent(name), encoding: .utf8))
        }
    }

    /// Tells whether there is a test `Module.Suite/name`.
    func contains(_ test: String) -> Bool {
        guard let slash = test.firstIndex(of: "/"), let dot = test[..<slash].firstIndex(of: ".") else { return false }
        let (module, suite) = (String(test[..<dot]), test[test.index(after: dot)..<slash])
        let name = test[test.index(after: slash)...]
        return (files[module] ?? []).contains { $0.contains("struct \(suite)") && $0.contains("func `\(name)`") }
    }
}

/// The members that the store's types have, with the JSON types of `openapi.json`.
private struct AppleShapes {
    struct Shape {
        var members: Set<String>
        var kinds: [String: String]
    }

    private let document: OpenAPIDocument
    private(set) var shapes: [String: Shape] = [:]

    init(_ document: OpenAPIDocument) throws {
        self.document = document
        let app = ServerApp(bundleId: "a", environment: .production, appAppleId: 1)
        let attempt = try #require(
            SendAttemptItem(
                NotificationAttempt(
                    attemptDate: .wallClock(), url: "http://localhost:3000/apple", sendAttemptResult: .success)))
        let item = NotificationHistoryResponse.Item(signedPayload: "j", sendAttempts: [attempt])
        let extensions = SubscriptionExtensions(
            requestIdentifier: "r", productIdentifier: "p", storefronts: ["USA"], succeededCount: 1, failedCount: 0,
            completedAt: .wallClock())
        let last = SubscriptionStatusesResponse.Item(
            status: 1, originalTransactionId: "1", signedTransactionInfo: "j", signedRenewalInfo: "j")
        let group = SubscriptionStatusesResponse.Group(subscriptionGroupIdentifier: "g", lastTransactions: [last])
        try add(
            "TransactionInfoResponse", TransactionInfoResponse(signedTransactionInfo: "j"), "TransactionInfoResponse")
        try add(
            "HistoryResponse", ServerHistoryResponse(revision: "r", hasMore: false, app: app, signedTransactions: []),
            "ServerHistoryResponse")
        try add(
            "RefundHistoryResponse", RefundHistoryResponse(signedTransactions: [], revision: "r", hasMore: false),
            "RefundHistoryResponse")
        try add("RefundLookupResponse", RefundLookupResponse(signedTransactions: []), "RefundLookupResponse")
        try add("OrderLookupResponse", OrderLookupResponse(status: 0, signedTransactions: []), "OrderLookupResponse")
        try add(
            "StatusResponse", SubscriptionStatusesResponse(app: app, data: [group]), "SubscriptionStatusesResponse")
        try add("SubscriptionGroupIdentifierItem", group, "SubscriptionStatusesResponse", "data")
        try add("lastTransactionsItem", last, "SubscriptionStatusesResponse", "data", "lastTransactions")
        try add("ExtendRenewalDateRequest", try body(ExtendRenewalDateBody.self), "ExtendRenewalDateBody")
        try add(
            "ExtendRenewalDateResponse",
            ExtendRenewalDateResponse(
                originalTransactionId: "1", webOrderLineItemId: "1", success: true, effectiveDate: 1),
            "ExtendRenewalDateResponse")
        try add("MassExtendRenewalDateRequest", try body(MassExtendRenewalDateBody.self), "MassExtendRenewalDateBody")
        try add(
            "MassExtendRenewalDateResponse", MassExtendRenewalDateResponse(requestIdentifier: "r"),
            "MassExtendRenewalDateResponse")
        try add(
            "MassExtendRenewalDateStatusResponse", MassExtendRenewalDateStatusResponse(extensions),
            "MassExtendRenewalDateStatusResponse")
        try add("ConsumptionRequest", try body(ConsumptionBodyV1.self), "ConsumptionBodyV1")
        try add("NotificationHistoryRequest", try body(NotificationHistoryBody.self), "NotificationHistoryBody")
        try add(
            "NotificationHistoryResponse", NotificationHistoryResponse(paginationToken: "t", notificationHistory: []),
            "NotificationHistoryResponse")
        try add("notificationHistoryResponseItem", item, "NotificationHistoryResponse", "notificationHistory")
        try add("sendAttemptItem", attempt, "SendAttemptItem")
        try add(
            "SendTestNotificationResponse", TestNotificationResponse(testNotificationToken: "t"),
            "TestNotificationResponse")
        try add("CheckTestNotificationResponse", item, "NotificationHistoryResponseItem")
        try addPayloads(of: app, extensions)
        addReceipts()
    }

    private func body<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try StoreJSON.decode(type, from: Array("{}".utf8))
    }

    private mutating func addPayloads(of app: ServerApp, _ extensions: SubscriptionExtensions) throws {
        let item = ReceiptItem(
            transactionIdentifier: "1", originalTransactionIdentifier: "1", productIdentifier: "p",
            type: .autoRenewable, quantity: 1, purchaseDate: .wallClock(), originalPurchaseDate: .wallClock())
        let transaction = ServerTransaction(
            item: item, price: nil, storefront: "USA", reason: .purchase, modifiedSeq: 1)
        let subscription = ServerSubscription(
            subscription: Sample.subscription, transaction: transaction, recentStart: .wallClock())
        try add(
            "JWSTransactionDecodedPayload",
            TransactionClaims(
                transaction, of: app, storefrontId: nil, appTransactionId: "7", signedDate: .wallClock()),
            "TransactionClaims")
        try add(
            "JWSRenewalInfoDecodedPayload",
            RenewalClaims(subscription, environment: .sandbox, appTransactionId: "7", signedDate: .wallClock()),
            "RenewalClaims")
        var draft = NotificationDraft(
            bundleId: "a", notificationUUID: "u", notificationType: .expired, signedDate: .wallClock())
        draft.subscription = subscription
        let claims = NotificationClaims(draft, of: app, bundleVersion: "1", transaction: "t", renewal: "r")
        try add("responseBodyV2DecodedPayload", claims, "NotificationClaims")
        try add("data", try #require(claims.data), "NotificationClaims", "data")
        try add("summary", NotificationClaims.Summary(extensions, of: app), "NotificationClaims", "summary")
    }

    /// Adds the members of `verifyReceipt` that a purchase, or a subscription, of any kind has.
    private mutating func addReceipts() {
        var (latest, inApp, renewal): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        func names(_ json: JSONValue) -> Dictionary<String, JSONValue>.Keys { (json.objectValue ?? [:]).keys }
        for kind in AppliedOffer.Kind.allCases {
            var item = ReceiptItem(
                transactionIdentifier: "1", originalTransactionIdentifier: "1", productIdentifier: "p",
                type: .autoRenewable, quantity: 1, purchaseDate: .wallClock(), originalPurchaseDate: .wallClock(),
                expiresDate: .wallClock(), subscriptionGroupIdentifier: "g")
            item.webOrderLineItemIdentifier = "1"
            (item.isUpgraded, item.cancellationDate, item.cancellationReason) = (true, .wallClock(), .appIssue)
            item.offer = AppliedOffer(type: kind, paymentMode: .freeTrial, identifier: "o")
            item.appAccountToken = "t"
            latest.formUnion(names(PurchaseFields.latest(item)))
            inApp.formUnion(names(PurchaseFields.inApp(ReceiptPurchase(item), reason: .appIssue)))
            var subscription = Sample.subscription
            (subscription.state, subscription.gracePeriodExpiresDate) = (.inGracePeriod, .wallClock())
            subscription.offer = item.offer
            subscription.priceIncrease = PriceIncrease(
                status: .agreed, price: Sample.pro.price, formerPrice: Sample.pro.price)
            renewal.formUnion(names(RenewalFields.json(subscription)))
        }
        shapes["responseBody.Latest_receipt_info"] = Shape(members: latest, kinds: [:])
        shapes["responseBody.Receipt.In_app"] = Shape(members: inApp, kinds: [:])
        shapes["responseBody.Pending_renewal_info"] = Shape(members: renewal, kinds: [:])
    }

    /// Adds a page that a type has the members of.
    /// - Parameter path: The schema, and the properties below it.
    private mutating func add<Value: Codable>(_ page: String, _ value: Value, _ path: String...) throws {
        let text = String(decoding: try StoreJSON.encode(value), as: UTF8.self)
        var schema = try #require(document.schema(path[0]), "\(path[0])")
        for name in path.dropFirst() {
            let property = try #require(schema["properties"]?[name], "\(path)")
            schema = try #require(document.resolved(property["items"] ?? property), "\(path)")
        }
        var kinds: [String: String] = [:]
        for (name, property) in schema["properties"]?.objectValue ?? [:] {
            kinds[name] = kind(of: document.resolved(property) ?? property)
        }
        shapes[page] = Shape(members: known(Value.self, text), kinds: kinds)
    }

    /// Returns the JSON type of a schema; nil when it has several.
    private func kind(of schema: JSONValue) -> String? {
        if let name = schema["type"]?.stringValue { return name }
        if let names = schema["type"]?.arrayValue { return names.compactMap(\.stringValue).first { $0 != "null" } }
        if let choices = schema["oneOf"]?.arrayValue ?? schema["anyOf"]?.arrayValue {
            return choices.compactMap { kind(of: document.resolved($0) ?? $0) }.first { $0 != "null" }
        }
        if case .bool = schema["const"] { return "boolean" }
        return nil
    }
}

/// The values that the store's enumerations have, by the page that lists them.
private struct AppleValues {
    private let document: OpenAPIDocument
    private(set) var values: [String: [String]] = [:]

    init(_ document: OpenAPIDocument) throws {
        self.document = document
        values = [
            "status": SubscriptionState.allCases.map { "\($0.serverNumber)" },
            "expirationIntent": Subscription.ExpirationReason.allCases.map { "\(Subscription.number(of: $0))" },
            "revocationReason": RefundRequest.Reason.allCases.map { "\($0.serverNumber)" },
            "type": ProductType.allCases.map(\.serverName), "environment": AppStoreEnvironment.allCases.map(\.rawValue),
            "notificationType": NotificationType.allCases.map(\.rawValue),
            "subtype": NotificationSubtype.allCases.map(\.rawValue),
            "sendAttemptResult": SendAttemptResult.allCases.map(\.rawValue),
            "consumptionRequestReason": ConsumptionRequestReason.allCases.map(\.rawValue),
            // The gateway answers 21000 itself.
            "status (receipts)": ["21000"] + VerifyReceiptStatus.allCases.map { "\($0.rawValue)" },
        ]
        values["expiration_intent"] = values["expirationIntent"]
        for name in ["autoRenewStatus", "priceIncreaseStatus", "offerType", "offerDiscountType"] {
            values[name] = try numbers("RenewalClaims", name)
        }
        values["transactionReason"] = try numbers("TransactionClaims", "transactionReason")
        values["OrderLookupStatus"] = try numbers("OrderLookupResponse", "status")
        values["extendReasonCode"] = try numbers("ExtendRenewalDateBody", "extendReasonCode")
        for name in [
            "accountTenure", "consumptionStatus", "deliveryStatus", "lifetimeDollarsPurchased",
            "lifetimeDollarsRefunded", "platform", "playTime", "refundPreference", "userStatus",
        ] { values[name] = try numbers("ConsumptionBodyV1", name) }
    }

    /// Reads the values, or the range, of a member in `openapi.json`.
    private func numbers(_ schema: String, _ member: String) throws -> [String] {
        let property = try #require(document.schema(schema)?["properties"]?[member], "\(schema) \(member)")
        if let values = property["enum"]?.arrayValue {
            return values.compactMap { $0.stringValue ?? $0.intValue.map { "\($0)" } }
        }
        let first = try #require(property["minimum"]?.intValue, "\(schema) \(member)")
        let last = try #require(property["maximum"]?.intValue, "\(schema) \(member)")
        return (first...last).map { "\($0)" }
    }
}
