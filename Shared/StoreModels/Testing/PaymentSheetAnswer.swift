/// The shopper's action at the payment sheet: `"auto"`, `"approve"`, `"cancel"`, `"decline:paymentInvalid"`,
/// `"decline:3"` or `"interactive"`.
public enum PaymentSheetAnswer: Hashable, Sendable, Codable {
    /// Paid immediately, without a sheet.
    case auto
    /// A sheet that the shopper confirms, with the same outcome as `auto`.
    case approve
    /// The payment fails with `paymentCancelled` (2).
    case cancel
    /// The payment fails with this error.
    case decline(SKErrorCode)
    /// The sheet stays open until the operator answers its prompt.
    case interactive

    /// - Parameter text: The wire form. `decline:` is followed by a case name of ``SKErrorCode`` or its number. A bare
    ///   `decline` means `decline:unknown`.
    public init?(_ text: String) {
        switch text {
        case "auto": self = .auto
        case "approve": self = .approve
        case "cancel": self = .cancel
        case "interactive": self = .interactive
        case "decline": self = .decline(.unknown)
        default:
            guard text.hasPrefix("decline:") else { return nil }
            let code = String(text.dropFirst("decline:".count))
            guard let error = Int(code).flatMap(SKErrorCode.init) ?? SKErrorCode(name: code) else { return nil }
            self = .decline(error)
        }
    }

    /// The wire form.
    public var text: String {
        switch self {
        case .auto: "auto"
        case .approve: "approve"
        case .cancel: "cancel"
        case .decline(let code): "decline:\(code.name)"
        case .interactive: "interactive"
        }
    }

    /// Reads the wire form.
    /// - Throws: `DecodingError` for any other text.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let answer = PaymentSheetAnswer(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription:
                        "must be auto, approve, cancel, interactive or decline:<SKError name or code>"))
        }
        self = answer
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
