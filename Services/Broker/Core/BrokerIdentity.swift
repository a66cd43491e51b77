/// The broker's identity, as announced to clients.
package struct BrokerIdentity: Sendable {
    /// The identifier, random for each start.
    package var id: String
    /// The name, the same for every start.
    package var name: String
    /// The version of Storebus.
    package var version: String

    /// Creates an identity with a new identifier.
    package init(name: String = "broker", version: String) {
        id = "B" + RandomText.make(characters: 21)
        self.name = name
        self.version = version
    }
}

/// Creates random text for identifiers that serve as secrets.
enum RandomText {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_".utf8)

    /// Returns text with six random bits per character, from the system's generator.
    static func make(characters: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        let text = (0..<characters).map { _ in alphabet[Int(generator.next(upperBound: UInt(64)))] }
        return String(decoding: text, as: UTF8.self)
    }
}
