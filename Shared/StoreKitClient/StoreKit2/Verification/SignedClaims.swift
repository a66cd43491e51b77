internal import SignedData
internal import StoreModels

/// The claims of a signed value, read from its payload. Unknown members stay in `jsonRepresentation`.
///
/// Two are equal if they say the same: when and for which device a payload was signed does not count.
final class SignedClaims: Hashable, Sendable {
    /// The compact JWS as the store sent it.
    let text: String
    /// The parts of the text, or nil for text that is no JWS.
    let document: SignedDocument?
    /// The queue that has read it, and that the value's methods ask.
    let owner: QueueReference
    private let members: [String: JSONValue]
    private let said: [String: JSONValue]

    private static let ofSigning: Set<String> = [
        "signedDate", "receiptCreationDate", "deviceVerification", "deviceVerificationNonce",
    ]

    init(_ text: String, of owner: QueueReference = QueueReference()) {
        self.text = text
        self.owner = owner
        document = SignedDocument(text)
        members = document.flatMap { try? StrictJSON.parse($0.payload).objectValue } ?? [:]
        said = members.filter { !Self.ofSigning.contains($0.key) }
    }

    var json: Data { Data(document?.payload ?? []) }

    static func == (left: SignedClaims, right: SignedClaims) -> Bool {
        left.said == right.said && (!left.said.isEmpty || left.text == right.text)
    }
    func hash(into hasher: inout Hasher) { hasher.combine(said) }

    // MARK: Values by their type. Nil for a member that is missing or has another type.

    func text(_ name: String) -> String? { members[name]?.stringValue }
    func number(_ name: String) -> Int? { members[name]?.intValue }
    func flag(_ name: String) -> Bool? { members[name]?.boolValue }
    func texts(_ name: String) -> [String]? { members[name]?.arrayValue?.compactMap(\.stringValue) }
    /// Milliseconds since 1970.
    func date(_ name: String) -> Date? { number(name).map { Timestamp(milliseconds: Int64($0)).date } }
    /// Decimal digits.
    func identifier(_ name: String) -> UInt64? { text(name).flatMap { UInt64($0) } }
    func uuid(_ name: String) -> UUID? { text(name).flatMap { UUID(uuidString: $0) } }
    /// Thousandths.
    func amount(_ name: String) -> Decimal? { number(name).map { Decimal($0) / 1000 } }
    func period(_ name: String) -> Product.SubscriptionPeriod? {
        text(name).flatMap { StoreModels.SubscriptionPeriod(iso8601: $0) }.map { Product.SubscriptionPeriod($0) }
    }
    /// The members of an object.
    func object(_ name: String) -> JSONValue? { members[name]?.objectValue == nil ? nil : members[name] }

    // MARK: What each payload has

    var signedDate: Date? { date("signedDate") ?? date("receiptCreationDate") }
    var deviceVerification: Data { text("deviceVerification").flatMap { Data(base64Encoded: $0) } ?? Data() }
    var deviceVerificationNonce: UUID { uuid("deviceVerificationNonce") ?? .zero }
    var environment: AppStore.Environment {
        AppStore.Environment(rawValue: text("environment") ?? text("receiptType") ?? "")
    }
    var currency: Locale.Currency? { text("currency").map { Locale.Currency($0) } }
    var offer: Transaction.Offer? { Transaction.Offer(self) }
}

/// A queue that its own lists do not keep alive.
struct QueueReference: Sendable {
    weak var core: QueueCore?
}

extension UUID {
    /// The value of a claim that is missing.
    static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}

/// A value that the store has signed.
protocol SignedValue: CustomDebugStringConvertible, Hashable, Sendable {
    /// The members without which the value has defaults, by the accessors of their types.
    static var required: [@Sendable (SignedClaims) -> Bool] { get }
    var claims: SignedClaims { get }
    init(claims: SignedClaims)
}

extension SignedValue {
    static func text(_ name: String) -> @Sendable (SignedClaims) -> Bool { { $0.text(name) != nil } }
    static func date(_ name: String) -> @Sendable (SignedClaims) -> Bool { { $0.date(name) != nil } }
    static func identifier(_ name: String) -> @Sendable (SignedClaims) -> Bool { { $0.identifier(name) != nil } }
    static func number(_ name: String) -> @Sendable (SignedClaims) -> Bool { { $0.number(name) != nil } }

    /// The members of every payload for an app.
    static var ofDevice: [@Sendable (SignedClaims) -> Bool] {
        [{ !$0.deviceVerification.isEmpty }, { $0.uuid("deviceVerificationNonce") != nil }]
    }
}
