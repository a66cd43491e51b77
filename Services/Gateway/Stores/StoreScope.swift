import HTTPTypes
import StoreHTTP
import StoreModels

/// The isolated store that a request is about, and what its clients see.
///
/// Inside, identifiers are unique on the installation (``IsolatedApp``). They are converted at the gateway's borders
/// only: paths, queries and bodies of requests; JSON, streams and signed payloads of responses.
enum StoreScope {
    /// The store of the request that is being handled; nil for the installation.
    @TaskLocal static var app: IsolatedApp?

    // MARK: Requests

    /// The store that a request names, and its path without the name.
    struct Target {
        var path: String
        /// As the client spells it; nil for none.
        var store: String?

        /// - Throws: `requestInvalid` for a path and a header that name two.
        init(path: String, headers: HTTPFields) throws(StoreError) {
            self.path = path
            let prefix = IsolatedStoreRoutes.pathPrefix
            if path.utf8.starts(with: prefix.utf8) {
                let rest = path.utf8.dropFirst(prefix.utf8.count)
                let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
                store = String(Substring(rest[..<end]))
                self.path = end == rest.endIndex ? "/" : String(Substring(rest[end...]))
            }
            guard let named = headers[.store] else { return }
            guard store?.isExactly(named) != false else {
                throw .invalid(IsolatedStoreRoutes.header, "names another store than the path")
            }
            store = named
        }
    }

    /// Converts what a path says of transactions.
    ///
    /// Any other number stays, and the service finds nothing by it in the request's scope.
    /// - Throws: `notFound` for a number inside, which no client knows.
    static func inside(
        _ values: [PathParameter: String], of route: Route, in app: IsolatedApp?
    ) throws(StoreError) -> [PathParameter: String] {
        var inside = values
        for (name, value) in values where namesTransaction(name, route) {
            guard let number = number(value.utf8) else {
                inside[name] = app.map { self.inside(order: value, of: $0) } ?? value
                continue
            }
            if let app, let own = app.number(shown: number) {
                inside[name] = "\(own)"
            } else if route.access != .serverAPI, IsolatedApp.inside.contains(number) {
                throw .notFound("transaction")
            }
        }
        return inside
    }

    private static func namesTransaction(_ name: PathParameter, _ route: Route) -> Bool {
        switch name {
        case .transactionId, .originalTransactionId, .originalTransactionIdentifier, .orderId: true
        case .id: route.path.contains("/transactions/{id}") || route.path.contains("/subscriptions/{id}")
        default: false
        }
    }

    private static func inside(order: String, of app: IsolatedApp) -> String {
        let shown = OrderIdentifier.transaction(of: order).flatMap(Int64.init)
        return shown.flatMap(app.number(shown:)).flatMap { OrderIdentifier.order(of: "\($0)") } ?? order
    }

    /// Converts the number that a list's page begins after; any other text stays.
    static func inside(cursor: String) -> String {
        number(cursor.utf8).flatMap { app?.number(shown: $0) }.map { "\($0)" } ?? cursor
    }

    /// Converts the numbers in a JSON body of a request.
    static func inside(_ json: [UInt8]) -> [UInt8] {
        guard let app else { return json }
        return mapStrings(of: json) { text, isNumber in
            guard isNumber else { return nil }
            return number(text).flatMap { app.number(shown: $0) }.map { Array("\($0)".utf8) }
        }
    }

    // MARK: Responses

    /// Converts the JSON of a response to the request that is being handled.
    static func shown(_ json: [UInt8]) -> [UInt8] {
        guard let app else { return json }
        return shown(json, of: app)
    }

    /// Converts JSON, or a stream's events, about an app; an app of the installation has nothing to convert.
    static func shown(_ json: [UInt8], of bundleId: String) -> [UInt8] {
        guard let app = IsolatedApp(bundleId) else { return json }
        return shown(json, of: app)
    }

    private static func shown(_ json: [UInt8], of app: IsolatedApp) -> [UInt8] {
        let names = Names(app)
        return mapStrings(of: json) { text, isNumber in
            guard isNumber else { return names.replaced(in: text) }
            if let number = number(text) { return app.shown(number).map { Array("\($0)".utf8) } }
            guard let order = order(text), let number = app.shown(order) else { return nil }
            return OrderIdentifier.order(of: "\(number)").map { Array($0.utf8) }
        }
    }

    /// Converts the number that a list's next page begins after; any other text stays.
    static func shown(cursor: String) -> String {
        number(cursor.utf8).flatMap { app?.shown($0) }.map { "\($0)" } ?? cursor
    }

    /// Converts a value by its JSON.
    static func shownValue<Value: Codable>(_ value: Value, of bundleId: String) throws(StoreError) -> Value {
        guard let app = IsolatedApp(bundleId) else { return value }
        do {
            return try StoreJSON.decode(Value.self, from: shown(try StoreJSON.encode(value), of: app))
        } catch {
            throw StoreError(.internal, "what an isolated store shows cannot be read")
        }
    }

    /// Converts a header's value.
    static func shown(_ text: String) -> String {
        guard let app, let replaced = Names(app).replaced(in: Array(text.utf8)[...]) else { return text }
        return String(decoding: replaced, as: UTF8.self)
    }

    /// The app's name inside, in texts and in paths, and what replaces it.
    private struct Names {
        let names: [[UInt8]]
        let shown: [UInt8]

        init(_ app: IsolatedApp) {
            names = [Array(app.bundleId.utf8), Array(PercentEncoding.encode(app.bundleId).utf8)]
            shown = Array(app.shownBundleId.utf8)
        }

        /// - Returns: Nil when the text has no name to replace.
        func replaced(in text: ArraySlice<UInt8>) -> [UInt8]? {
            for name in names where text.count >= name.count {
                var result: [UInt8] = []
                var (index, isChanged) = (text.startIndex, false)
                while index < text.endIndex {
                    if text[index...].starts(with: name) {
                        result += shown
                        index += name.count
                        isChanged = true
                    } else {
                        result.append(text[index])
                        index += 1
                    }
                }
                if isChanged { return result }
            }
            return nil
        }
    }

    // MARK: Texts

    /// The members whose strings are numbers of transactions or made of them, in all spellings of the contract.
    ///
    /// Every other string is a client's or a program's text and stays, also one that looks like a number.
    static let numberMembers: Set<ExactText> = [
        "transactionIdentifier", "originalTransactionIdentifier", "webOrderLineItemIdentifier",
        "appTransactionIdentifier",
        "transactionId", "originalTransactionId", "webOrderLineItemId", "appTransactionId", "orderId",
        "transaction_id", "original_transaction_id", "web_order_line_item_id",
        // Of a notification to trigger and of a payload to sign.
        "of",
    ]

    /// Reads a text of 16 to 19 digits, as all numbers of stores have.
    private static func number(_ text: some Collection<UInt8>) -> Int64? {
        guard (16...19).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(String(decoding: text, as: UTF8.self))
    }

    private static func order(_ text: ArraySlice<UInt8>) -> Int64? {
        guard (12...14).contains(text.count), text.first == UInt8(ascii: "M") else { return nil }
        return OrderIdentifier.transaction(of: String(decoding: text, as: UTF8.self)).flatMap(Int64.init)
    }

    /// Replaces strings of a JSON text.
    /// - Parameter map: Returns what replaces a string's content; nil for nothing. Its second argument is whether the
    ///   string is the value of one of ``numberMembers``.
    private static func mapStrings(of json: [UInt8], _ map: (ArraySlice<UInt8>, Bool) -> [UInt8]?) -> [UInt8] {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        var result: [UInt8] = []
        result.reserveCapacity(json.count)
        var copied = json.startIndex
        var index = json.startIndex
        var isNumber = false
        while index < json.endIndex {
            guard json[index] == quote else {
                index += 1
                continue
            }
            let start = index + 1
            var end = start
            while end < json.endIndex, json[end] != quote { end += json[end] == backslash ? 2 : 1 }
            guard end < json.endIndex else { break }
            let isName = json[(end + 1)...].first { !whitespace.contains($0) } == UInt8(ascii: ":")
            if isName { isNumber = numberMembers.containsExactly(String(decoding: json[start..<end], as: UTF8.self)) }
            if let replacement = map(json[start..<end], isNumber && !isName) {
                result += json[copied..<start]
                result += replacement
                copied = end
            }
            index = end + 1
        }
        result += json[copied...]
        return result
    }

    private static let whitespace: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
}

extension HTTPField.Name {
    fileprivate static let store = HTTPField.Name(IsolatedStoreRoutes.header)!
}

extension Principal {
    /// The caller as it is in a store: a key of the app that the store was copied from works in the store.
    /// - Throws: `notFound` when the credentials belong to another store or app.
    func inside(_ app: IsolatedApp) throws(StoreError) -> Principal {
        switch self {
        case .anonymous, .admin: return self
        case .session(let session):
            guard session.bundleId.isExactly(app.bundleId) else {
                throw StoreError(
                    .notFound, "the session is not one of the isolated store '\(app.store)'; open one in the store")
            }
            return self
        case .server(var key):
            guard key.bundleId.isExactly(app.bundleId) || key.bundleId.isExactly(app.shownBundleId) else {
                throw StoreError(
                    .notFound, "the isolated store '\(app.store)' is one of \(app.shownBundleId), not of the key's app")
            }
            key.bundleId = app.bundleId
            return .server(key)
        }
    }

    /// The app that the credentials are for; nil for none or any.
    var bundleId: String? {
        switch self {
        case .anonymous, .admin: nil
        case .session(let session): session.bundleId
        case .server(let key): key.bundleId
        }
    }
}

extension Call {
    /// Returns the app that a client names, as services know it: in a store, the store's.
    /// - Throws: `notFound` when the store is another app's.
    func app(_ bundleId: String) throws(StoreError) -> String {
        guard let store else { return bundleId }
        guard store.shownBundleId.isExactly(bundleId) else {
            throw StoreError(
                .notFound,
                "the isolated store '\(store.store)' is one of \(store.shownBundleId), not of \(bundleId); make one "
                    + "of that app with POST /admin/v1/stores")
        }
        return store.bundleId
    }
}
