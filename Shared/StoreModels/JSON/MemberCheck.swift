/// Refuses members that the decoded types do not have, or lists known members.
///
/// A type's members are its coding keys. To list them without a second declaration, the check decodes the object again
/// and notes the keys its type asks for. A missing member then takes the value of the refused one, because most refused
/// members are misspelt.
final class MemberCheck {
    /// The error for a member that no coding key has.
    struct UnknownMember: Error {
        let object: Int
        let name: String
        let value: Int
    }

    private let listed: UnknownMember?
    private(set) var members: Set<String> = []
    /// Whether the document's own container was asked for. A type without members asks for none.
    private(set) var hasReadDocument = false

    /// Creates a check that refuses.
    init() { listed = nil }

    /// Creates a check that lists the members beside `unknown`.
    init(listingBeside unknown: UnknownMember) { listed = unknown }

    func read(_ node: Int) {
        if node == 0 { hasReadDocument = true }
    }

    /// Refuses an object's unknown members, unless the check lists.
    ///
    /// - Throws: ``UnknownMember``, the first in alphabetical order.
    func check<Key: CodingKey>(_ object: Int, in tape: JSONTape, _ key: Key.Type) throws {
        read(object)
        guard listed == nil, let unknown = Self.unknown(in: object, of: tape, key).min(by: { $0.name < $1.name }) else {
            return
        }
        throw unknown
    }

    /// Notes that the decoder asks for a member.
    ///
    /// - Returns: The value to use if the member is missing, or nil without one.
    func ask(_ name: String, of object: Int) -> Int? {
        guard let listed, listed.object == object else { return nil }
        members.insert(name)
        return listed.value
    }

    private static func unknown<Key: CodingKey>(
        in object: Int, of tape: JSONTape, _ key: Key.Type
    ) -> [UnknownMember] {
        var found: [UnknownMember] = []
        var name = tape.first(in: object)
        while name < tape.end(of: object) {
            let text = tape.string(name)
            // A key is found by Unicode's equality, a member by its bytes.
            if Key(stringValue: text)?.stringValue.isExactly(text) != true {
                found.append(UnknownMember(object: object, name: text, value: name + 1))
            }
            name = tape.next(after: name + 1)
        }
        return found
    }
}
