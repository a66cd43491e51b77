/// The `appAccountToken` of a purchase: a UUID.
public struct AppAccountToken: Hashable, Sendable {
    /// In lower case.
    public let text: String

    /// - Returns: Nil for any text that is not a UUID.
    public init?(_ text: String) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12],
            groups.joined().allSatisfy({ Hex.value($0) != nil })
        else { return nil }
        self.text = text.lowercased()
    }
}

extension Payment {
    /// The payment with its token as Apple has it: in lower case, or from an `applicationUsername` that is a UUID.
    ///
    /// A token that is not a UUID stays as the app sent it.
    public var withAccountToken: Payment {
        var payment = self
        payment.appAccountToken =
            appAccountToken.map { AppAccountToken($0)?.text ?? $0 }
            ?? applicationUsername.flatMap(AppAccountToken.init)?.text
        return payment
    }
}
