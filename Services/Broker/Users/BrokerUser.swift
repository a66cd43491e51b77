import BusProtocol

/// A user that may sign in with a token.
package struct BrokerUser: Sendable {
    /// The name: at most 64 letters, digits, `-` and `_`. On NATS it is also part of a subject.
    package let name: String
    let token: String
    let permissions: Permissions

    /// Creates a user, who has no restrictions without rules.
    package init(name: String, token: String, rules: PermissionRules = PermissionRules()) {
        self.name = name
        self.token = token
        permissions = Permissions(rules)
    }

    /// Whether a name is allowed in a users file.
    static func isName(_ text: String) -> Bool {
        let special: [UInt8] = [UInt8(ascii: "-"), UInt8(ascii: "_")]
        return (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: special.contains(byte)
                }
            }
    }
}
