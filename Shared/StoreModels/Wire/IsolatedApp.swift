/// An app in an isolated store. The services know it by a bundle identifier of its own, `com.example.app@t-7.42`.
///
/// Everything about it is in that identifier: the app it was copied from, the store's number, and the seed of the numbers
/// that the store gives. So a service or gateway needs no request to know it.
public struct IsolatedApp: Hashable, Sendable {
    /// The seeds that a store may have.
    public static let seeds: ClosedRange<Int64> = 0...Int64(UInt32.max)

    /// The bundle identifier that clients use: `com.example.app`.
    public let shownBundleId: String
    /// The store's number on the installation, from 1.
    public let number: Int64
    /// The seed of the store's numbers.
    public let seed: Int64

    public init(shownBundleId: String, number: Int64, seed: Int64) {
        self.shownBundleId = shownBundleId
        self.number = number
        self.seed = seed
    }

    /// Reads the identifier that services use.
    /// - Returns: Nil for an app of the whole installation.
    public init?(_ bundleId: String) {
        let parts = bundleId.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].starts(with: Self.prefix.utf8) else { return nil }
        let digits = parts[1].dropFirst(Self.prefix.utf8.count)
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard digits.count == 2, let number = Self.number(digits[0]), number > 0, let seed = Self.number(digits[1]),
            Self.seeds.contains(seed)
        else { return nil }
        self.init(shownBundleId: String(Substring(parts[0])), number: number, seed: seed)
    }

    private static let prefix = "t-"

    private static func number(_ digits: Substring.UTF8View) -> Int64? {
        guard (1...11).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(Substring(digits))
    }

    /// The identifier that services use: `com.example.app@t-7.42`.
    public var bundleId: String { "\(shownBundleId)@\(store).\(seed)" }

    /// The store's name: `t-7`.
    public var store: String { "\(Self.prefix)\(number)" }

    /// Reads the number in a store's name.
    public static func number(ofStore name: String) -> Int64? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        return number(name.utf8.dropFirst(prefix.utf8.count))
    }

    /// Returns the part of an app's identifier that clients see, the one before `@`.
    public static func shown(_ bundleId: String) -> String {
        // Most have none, and every event has an identifier.
        guard bundleId.utf8.contains(UInt8(ascii: "@")) else { return bundleId }
        return IsolatedApp(bundleId)?.shownBundleId ?? bundleId
    }

    /// The distance of the store's numbers from those of the installation.
    ///
    /// Transactions and downloads of the app are counted from it, so stores of equal seeds give equal numbers. They are
    /// unique in the store only.
    public var numbersOffset: Int64 { seed * 100_000 }
}

/// Names an app to clients: an isolated store's app is encoded as the app that it was copied from.
///
/// Every `bundleId` that clients receive has it. No other value names an isolated store's app to them.
@propertyWrapper
public struct ShownApp: Hashable, Sendable, Codable {
    /// The identifier, as services use it until it is encoded.
    public var wrappedValue: String

    /// Creates a value for a property declared `@ShownApp var`.
    public init(wrappedValue: String) { self.wrappedValue = wrappedValue }

    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(IsolatedApp.shown(wrappedValue))
    }
}

/// Asks a service for a copy of an app in an isolated store.
public struct CopyAppRequest: Hashable, Sendable, Codable {
    /// The app to copy.
    public var from: String
    /// As ``IsolatedApp/bundleId``.
    public var to: String
}

/// Tells two states of an app at PaymentQueue apart.
///
/// Each change of a customer or of the clock makes another one, and so does every event for the app's server.
public struct AppMark: Hashable, Sendable, Codable {
    public var customers: Int64
    /// Grows with each change of a customer.
    public var changes: Int64
    /// The number of open ones.
    public var refundRequests: Int64
    /// The number of extensions of all subscribers that are complete.
    public var extensions: Int64
    /// Grows with each setting of the clock. 0 without a clock.
    public var clockEpoch: Int64
}

/// Asks a service to remove its rows of an app: an isolated store's, or one that the operator deletes.
public struct RemoveAppRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The deletion's number, which grows. Nil for an isolated store's app, whose name is given once.
    public var deletion: Int64?
    /// Whether the deletion ends in the service with this request. Then none of its requests does anything any more.
    public var isLast: Bool = false
}

/// Says how far the removal of an app is.
public struct RemoveAppReply: Hashable, Sendable, Codable {
    /// Whether the app is gone. Else the caller repeats the request.
    public var isDone: Bool
}

extension RemoveAppRequest {
    /// Checks that the request names an app, and a deletion unless the app is an isolated store's.
    /// - Throws: `requestInvalid`.
    package func check() throws(StoreError) {
        try StoreError.checkIdentifier(IsolatedApp.shown(bundleId), .bundle, "bundleId")
        guard (IsolatedApp(bundleId) == nil) != (deletion != nil) else { return }
        throw StoreError(
            .requestInvalid,
            "$.deletion: must name the deletion of '\(bundleId)', and none for an isolated store's app",
            details: ["path": "$.deletion"])
    }
}

extension AppRequest {
    /// Checks that the request is about an isolated store's app.
    /// - Throws: `requestInvalid`.
    package func checkIsIsolated() throws(StoreError) {
        guard IsolatedApp(bundleId) == nil else { return }
        throw StoreError(
            .requestInvalid, "$.bundleId: '\(bundleId)' is not an isolated store's app",
            details: ["path": "$.bundleId"])
    }
}
