import Foundation
import StoreModels
import StorebusTesting

/// Documents and values at random, with the texts and numbers that codecs get wrong. Numbers stay far from 2⁵³: beyond
/// it Foundation takes `6303384507553471.15` for an integer, and ours does not.
enum RandomJSON {
    static let texts = [
        "", "a", "plain text", "quote \" and \\ and /", "tab\tnewline\nreturn\r", "\u{8}\u{C}\u{1}\u{1F}\u{7F}", "é",
        "e\u{301}",
        "日本語", "👩‍👩‍👧", "\u{2028}\u{2029}", "\u{FFFF}", "com.example.pro.monthly", String(repeating: "x", count: 40),
    ]

    static func text(_ random: inout SplitMix64) -> String { texts.randomElement(using: &random) ?? "" }

    static func value(depth: Int, _ random: inout SplitMix64) -> JSONValue {
        switch Int.random(in: 0...(depth > 0 ? 7 : 4), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .number("\(Int.random(in: -999_999...999_999, using: &random))")
        case 3: return .number("\(Double(2 * Int.random(in: -1_000_000...1_000_000, using: &random) + 1) / 128)")
        case 4: return .string(text(&random))
        case 5, 6:
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                members["k\(Int.random(in: 0...40, using: &random))"] = value(depth: depth - 1, &random)
            }
            return .object(members)
        default:
            var values: [JSONValue] = []
            for _ in 0..<Int.random(in: 0...5, using: &random) { values.append(value(depth: depth - 1, &random)) }
            return .array(values)
        }
    }

    /// The document with one thing changed: a byte, a piece cut out, a piece said twice.
    static func changed(_ document: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var document = document
        let position = Int.random(in: 0..<document.count, using: &random)
        switch Int.random(in: 0...3, using: &random) {
        case 0: document[position] = UInt8.random(in: 0x20...0x7E, using: &random)
        case 1: document.remove(at: position)
        case 2:
            let end = min(document.count, position + Int.random(in: 1...12, using: &random))
            document.insert(contentsOf: document[position..<end], at: position)
        default:
            let end = min(document.count, position + Int.random(in: 1...12, using: &random))
            document.removeSubrange(position..<end)
        }
        return document
    }
}

/// One member of every kind that wire types have.
struct Everything: Hashable, Codable {
    enum Colour: String, Codable, CaseIterable { case red, green, blue }
    struct Small: Hashable, Codable {
        var second: Int
        var first: String?
    }

    var text: String
    var number: Int
    var long: Int64
    var byte: UInt8
    var flag: Bool
    var share: Double
    var colour: Colour
    var data: Data
    var when: Timestamp
    var price: Money
    var some: String?
    var small: Small?
    var list: [Small]
    var numbers: [Int32?]
    var map: [String: Int]
    var any: JSONValue

    static func random(_ random: inout SplitMix64) -> Everything {
        guard let usd = Currency(code: "USD") else { preconditionFailure("USD is a currency") }
        let small = { (random: inout SplitMix64) in
            Small(
                second: .random(in: -5...5, using: &random),
                first: Bool.random(using: &random) ? RandomJSON.text(&random) : nil)
        }
        return Everything(
            text: RandomJSON.text(&random), number: .random(in: -999_999...999_999, using: &random),
            long: .random(in: -9...9, using: &random), byte: .random(in: 0...255, using: &random),
            flag: .random(using: &random), share: Double(Int.random(in: -999...999, using: &random)) / 8,
            colour: Colour.allCases.randomElement(using: &random) ?? .red,
            data: Data((0..<Int.random(in: 0...9, using: &random)).map { _ in .random(in: 0...255, using: &random) }),
            when: Timestamp(milliseconds: .random(in: 0...2_000_000_000_000, using: &random)),
            price: Money(minorUnits: .random(in: 0...99_999, using: &random), currency: usd),
            some: Bool.random(using: &random) ? RandomJSON.text(&random) : nil,
            small: Bool.random(using: &random) ? small(&random) : nil, list: (0..<2).map { _ in small(&random) },
            numbers: [1, nil, .random(in: -9...9, using: &random)],
            map: ["b": 1, "a": .random(in: 0...9, using: &random)], any: RandomJSON.value(depth: 2, &random))
    }
}
