/// An app in an isolated store. The services know it by a bundle identifier of its own, `com.example.app@t-7.42`.
///
/// Everything about it is in that identifier: the app it was copied from, the store's number, and the seed of what the
/// store shows. So services and gateways convert names and numbers without asking for them.
///
/// Inside, a transaction's number is unique on the installation. Clients see another one, which depends on the seed and
/// on how many the store has given before, so that stores of equal seeds show equal numbers.
public struct IsolatedApp: Hashable, Sendable {
    /// The seeds that a store may have.
    public static let seeds: ClosedRange<Int64> = 0...Int64(UInt32.max)
    /// The most transactions, and the most customers, of one store.
    public static let numbersMax: Int64 = 9_999_999

    /// The bundle identifier that clients use: `com.example.app`.
    public let shownBundleId: String
    /// The store's number on the installation, from 1.
    public let number: Int64
    /// What the numbers that clients see begin with.
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

    /// Returns what clients see of an app's identifier: what is before `@`.
    public static func shown(_ bundleId: String) -> String { IsolatedApp(bundleId)?.shownBundleId ?? bundleId }

    // MARK: Numbers

    /// A kind of number that clients see.
    public enum Kind: CaseIterable, Sendable {
        case transaction
        /// A subscription period's, as ``ReceiptItem`` has it: 10^15 less than its transaction's.
        case lineItem
        /// A customer's download of the app.
        case appTransaction

        /// Where the numbers of all stores begin inside.
        fileprivate var first: Int64 {
            switch self {
            case .transaction: 3_000_000_000_000_000_000
            case .lineItem: 2_999_000_000_000_000_000
            case .appTransaction: 4_000_000_000_000_000_000
            }
        }

        /// Where the numbers that clients see begin.
        fileprivate var firstShown: Int64 {
            switch self {
            case .transaction: 2_000_000_000_000_000
            case .lineItem: 1_000_000_000_000_000
            case .appTransaction: 7_000_000_000_000_000_000
            }
        }
    }

    /// Numbers of isolated stores inside, of all kinds; no client names one.
    public static let inside: ClosedRange<Int64> = 2_999_000_000_000_000_000...4_999_999_999_999_999_999

    private func start(_ kind: Kind) -> Int64 { kind.first + number * (Self.numbersMax + 1) }

    private func shownStart(_ kind: Kind) -> Int64 { kind.firstShown + seed * 100_000 }

    /// Returns the store's number of a place.
    /// - Parameter place: How many of the kind the store has given, this one included; at most ``numbersMax``.
    public func number(_ place: Int64, _ kind: Kind) -> Int64 { start(kind) + place }

    /// Returns what clients see of one of the store's numbers.
    /// - Returns: Nil for any other number.
    public func shown(_ number: Int64) -> Int64? {
        for kind in Kind.allCases where (1...Self.numbersMax).contains(number - start(kind)) {
            return number - start(kind) + shownStart(kind)
        }
        return nil
    }

    /// Returns the store's number that clients see as `number`.
    /// - Returns: Nil for any other number.
    public func number(shown number: Int64) -> Int64? {
        for kind in Kind.allCases where (1...Self.numbersMax).contains(number - shownStart(kind)) {
            return number - shownStart(kind) + start(kind)
        }
        return nil
    }
}

/// Asks a service for a copy of an app in an isolated store.
public struct CopyAppRequest: Hashable, Sendable, Codable {
    /// The app to copy.
    public var from: String
    /// As ``IsolatedApp/bundleId``.
    public var to: String
    public init(from: String, to: String) {
        self.from = from
        self.to = to
    }
}

/// Says how far the removal of an isolated store's app is.
public struct RemoveAppReply: Hashable, Sendable, Codable {
    /// Whether nothing of it is left; else the request has to be repeated.
    public var isDone: Bool
    public init(isDone: Bool) { self.isDone = isDone }
}

extension AppRequest {
    /// Checks that the request is about an isolated store's app, which alone may be removed.
    /// - Throws: `requestInvalid`.
    package func checkIsIsolated() throws(StoreError) {
        guard IsolatedApp(bundleId) == nil else { return }
        throw StoreError(
            .requestInvalid, "$.bundleId: '\(bundleId)' is not an isolated store's app, and only these are removed",
            details: ["path": "$.bundleId"])
    }
}
