/// Part of the installation that a request reaches: one isolated store, or everything outside of stores.
///
/// A service looks an object up within a scope, so the objects of other scopes do not exist for the request. On the
/// wire and in databases it is a text: the store's app, `com.example.app@t-7.42`, or the empty text outside of stores.
public struct IsolationScope: Hashable, Sendable {
    /// Everything outside of isolated stores.
    public static let installation = IsolationScope(nil)

    /// The text on the wire and in databases.
    @ExactText public private(set) var key: String

    /// Creates the scope of a store, or of everything outside of stores for nil.
    public init(_ app: IsolatedApp?) { key = app?.bundleId ?? "" }

    /// Creates the scope that an app's objects are in.
    /// - Parameter bundleId: The app, as services name it.
    public init(of bundleId: String) { self.init(IsolatedApp(bundleId)) }

    /// Tells whether an app's objects are in the scope.
    /// - Parameter bundleId: The app, as services name it.
    public func covers(_ bundleId: String) -> Bool { IsolationScope(of: bundleId) == self }

    /// The store's app, to which a list of the scope is narrowed. Nil outside of stores.
    public var bundleId: String? { key.isEmpty ? nil : key }
}

extension IsolationScope: Codable {
    /// - Throws: `DecodingError` for a text that is neither empty nor an isolated store's app.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard text.isEmpty || IsolatedApp(text) != nil else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "must be empty or the app of an isolated store")
        }
        key = text
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(key)
    }
}

/// Names an object of any customer for the operator, an account, or a device: `{"id":"t_…","scope":""}`.
///
/// An object of another scope is `notFound`, with the same message as a missing object. Accounts and devices of equal
/// names in two scopes are different ones.
public struct ScopedIdentifier: Hashable, Sendable, Codable {
    /// The object's identifier. For a transaction, its `id` or its `transactionIdentifier`.
    @ExactText public var id: String
    /// Where the service looks for it.
    public var scope: IsolationScope

    public init(_ id: String, in scope: IsolationScope) {
        self.id = id
        self.scope = scope
    }
}
