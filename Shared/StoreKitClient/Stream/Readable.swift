/// One element of a list. What a newer store sends and this version cannot read is left out, and the rest is not lost
/// with it (M27).
struct Readable<Element: Decodable & Sendable>: Decodable, Sendable {
    let value: Element?

    init(from decoder: any Decoder) { value = try? Element(from: decoder) }
}
