import BusService
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

extension Call {
    /// The app the path names.
    /// - Throws: `requestInvalid`.
    package func bundleId() throws(StoreError) -> String {
        let text = try parameter(.bundleId)
        try Identifier.check(text, as: .bundle, at: "bundleId")
        return try app(text)
    }

    /// The account the path names.
    /// - Throws: `requestInvalid`.
    package func account() throws(StoreError) -> ScopedIdentifier {
        let account = try scoped(.account, of: "account")
        try Identifier.check(account.id, as: .account, at: "account")
        return account
    }

    /// The device the path names.
    /// - Throws: `notFound`.
    package func device() throws(StoreError) -> ScopedIdentifier { try scoped(.deviceId, of: "device") }

    /// The product the path names.
    /// - Throws: `requestInvalid`, `notFound`.
    package func product() throws(StoreError) -> ProductReference {
        ProductReference(bundleId: try bundleId(), productIdentifier: try parameter(.id, of: "product"))
    }

    /// The transaction that the path names for the operator.
    /// - Throws: `notFound`.
    package func transaction() throws(StoreError) -> ScopedIdentifier { try scoped(.id, of: "transaction") }

    // MARK: Lists

    /// The app that `?bundleId=` narrows a list to.
    /// - Throws: `requestInvalid`.
    package func bundleFilter() throws(StoreError) -> String? {
        guard let text = try query.single("bundleId") else { return store?.bundleId }
        try Identifier.check(text, as: .bundle, at: "query bundleId")
        return try app(text)
    }

    /// The account that `?account=` narrows a list to.
    /// - Throws: `requestInvalid`.
    package func accountFilter() throws(StoreError) -> String? {
        guard let text = try query.single("account") else { return nil }
        try Identifier.check(text, as: .account, at: "query account")
        return text
    }

    /// Cursor of the page: the `after` of the previous page.
    package func after() throws(StoreError) -> String? {
        guard let after = try query.single("after") else { return nil }
        try Identifier.check(after, at: "query after")
        return after
    }

    /// Length of the page that the query names, at most `max`.
    package func limit(_ max: Int = HTTPLimits.pageMax) throws(StoreError) -> Int {
        try query.integer("limit", in: 1...max, default: HTTPLimits.pageMax)
    }

    // MARK: Time

    /// The deadline for optional services, which must leave time for the required ones.
    package var optionalDeadline: ContinuousClock.Instant { deadline.forOptionalServices }

    /// Context for work of many steps. It has half a minute unless the client sets a timeout.
    package func patientContext() -> CallContext {
        context(deadline: request.headers[.sbTimeout] == nil ? .now + HTTPLimits.upkeepTimeout : deadline)
    }
}
