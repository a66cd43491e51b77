/// Text that equals only the same bytes. `String` counts é and e + ́ as one, but they are two product identifiers, and
/// a client in another language would miss one of them in the answer (M4).
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// Length and the library's own comparison, which is fast, rule out nearly everything before the bytes are looked at
    /// one by one.
    static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.count == right.text.utf8.count && left.text == right.text
            && left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
