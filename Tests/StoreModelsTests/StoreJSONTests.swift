import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: our JSON is Foundation's JSON, only quicker. Method: the same values and documents through both, drawn from a
/// printed seed, and compared byte by byte or value by value.
@Suite struct StoreJSONTests {
    private let ours = { (value: any Encodable) throws -> String in
        String(decoding: try StoreJSON.encode(value), as: UTF8.self)
    }

    private func foundation(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func `any document is written as Foundation writes it, and read back as itself`() throws {
        var random = SplitMix64.seeded("documents")
        for _ in 0..<400 {
            let document = RandomJSON.value(depth: 4, &random)
            let text = try ours(document)
            #expect(text == (try foundation(document)))
            #expect(try StoreJSON.decode(JSONValue.self, from: Array(text.utf8)) == document)
        }
    }

    @Test func `a typed value is read and written as Foundation does it`() throws {
        var random = SplitMix64.seeded("typed")
        for _ in 0..<400 {
            let value = Everything.random(&random)
            let text = try ours(value)
            #expect(text == (try foundation(value)))
            #expect(try StoreJSON.decode(Everything.self, from: Array(text.utf8)) == value)
            #expect(try JSONDecoder().decode(Everything.self, from: Data(text.utf8)) == value)
        }
    }

    @Test func `documents that do not fit the type are refused by both, with any fault`() throws {
        var random = SplitMix64.seeded("misfits")
        var refused = 0
        for _ in 0..<2_000 {
            let text = Array(try ours(Everything.random(&random)).utf8)
            let changed = RandomJSON.changed(text, &random)
            let expected = try? JSONDecoder().decode(Everything.self, from: Data(changed))
            let found = try? StoreJSON.decode(Everything.self, from: changed)
            if expected == nil { refused += 1 }
            // Ours is the stricter one: a duplicate member or U+0000 is refused, and nothing else is read differently.
            if let found { #expect(found == expected, "\(String(decoding: changed, as: UTF8.self))") }
            if expected != nil, found == nil {
                #expect(throws: StrictJSONError.self, "\(String(decoding: changed, as: UTF8.self))") {
                    try StrictJSON.validate(changed)
                }
            }
        }
        #expect(refused > 100)
    }

    @Test func `members stand in the order of their names, at every level and over several containers`() throws {
        struct Inner: Encodable {
            let z: Int
            let a: [String: Int]
        }
        struct Merged: Encodable {
            enum First: String, CodingKey { case m, b, inner }
            enum Second: String, CodingKey { case a, nested, list }
            enum Deep: String, CodingKey { case y, x }
            func encode(to encoder: any Encoder) throws {
                var first = encoder.container(keyedBy: First.self)
                try first.encode(1, forKey: .m)
                try first.encode(Inner(z: 1, a: ["q": 1, "c": 2]), forKey: .inner)
                var second = encoder.container(keyedBy: Second.self)
                var deep = second.nestedContainer(keyedBy: Deep.self, forKey: .nested)
                try deep.encode(true, forKey: .y)
                try deep.encodeNil(forKey: .x)
                var list = second.nestedUnkeyedContainer(forKey: .list)
                try list.encode("one")
                var object = list.nestedContainer(keyedBy: Deep.self)
                try object.encode(2, forKey: .y)
                try list.encode(3)
                try first.encode(2, forKey: .b)
                try second.encode("last", forKey: .a)
            }
        }
        #expect(
            try ours(Merged())
                == #"{"a":"last","b":2,"inner":{"a":{"c":2,"q":1},"z":1},"list":["one",{"y":2},3],"m":1,"#
                + #""nested":{"x":null,"y":true}}"#)
        #expect(try ours(Merged()) == foundation(Merged()))
    }

    @Test(arguments: [
        (#"{"price":{"amount":"1.99"}}"#, "$.price.currency"),
        (#"{"price":{"amount":1,"currency":"USD"}}"#, "$.price.amount"),
        (#"{"price":null}"#, "$.price"), (#"{"list":[1,"x"]}"#, "$.list[1]"), (#"{"list":[1,1e99]}"#, "$.list[1]"),
        (#"{"list":[1,1.5]}"#, "$.list[1]"), (#"[]"#, "$"),
    ])
    func `an error names the place`(text: String, path: String) throws {
        struct Shape: Decodable {
            let price: Money?
            let list: [Int]?
            private enum Key: String, CodingKey { case price, list }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                price = container.contains(.price) ? try container.decode(Money.self, forKey: .price) : nil
                list = try container.decodeIfPresent([Int].self, forKey: .list)
            }
        }
        let error = #expect(throws: StoreError.self) { try StoreJSON.decode(Shape.self, from: Array(text.utf8)) }
        #expect(error?.details["path"] == .string(path))
    }

    @Test func `a decimal that is an integer is one, as JSON has only numbers`() throws {
        for text in ["3", "3.0", "3e0", "0.3e1", "30E-1", "3.000e+0"] {
            #expect(try StoreJSON.decode([Int].self, from: Array("[\(text)]".utf8)) == [3])
        }
        for text in ["0.0", "-0", "0e99999999999", "-0.0E-7"] {
            #expect(try StoreJSON.decode([Int].self, from: Array("[\(text)]".utf8)) == [0])
        }
        // More digits than a double has.
        #expect(
            try StoreJSON.decode([Int64].self, from: Array("[53417078813159148.0]".utf8)) == [53_417_078_813_159_148])
        for text in ["3.5", "1e40", "9223372036854775808", "1e-1", "1e99999999999999999999"] {
            #expect(throws: StoreError.self) { try StoreJSON.decode([Int64].self, from: Array("[\(text)]".utf8)) }
        }
        #expect(throws: StoreError.self) { try StoreJSON.decode([UInt8].self, from: Array("[256]".utf8)) }
        #expect(throws: StoreError.self) { try StoreJSON.decode([UInt].self, from: Array("[-1]".utf8)) }
        let edges = [Int64.min, .max, 0, -1]
        #expect(try StoreJSON.decode([Int64].self, from: try StoreJSON.encode(edges)) == edges)
    }

    @Test func `a number JSON has none for is refused`() {
        #expect(throws: EncodingError.self) { try StoreJSON.encode([Double.nan]) }
        #expect(throws: EncodingError.self) { try StoreJSON.encode(["x": Double.infinity]) }
    }

    @Test func `a name twice is found among many members, also in an object within another`() throws {
        let many = (0..<200).map { #""member\#($0)":{"a":\#($0)}"# }
        let sound = "{\(many.joined(separator: ","))}"
        try StrictJSON.validate(Array(sound.utf8))
        let inner = #"{"outer":\#(sound),"x":{\#((many + [#""member7":0"#]).joined(separator: ","))}}"#
        let error = #expect(throws: StrictJSONError.self) { try StrictJSON.validate(Array(inner.utf8)) }
        #expect(error?.path == "$.x.member7")
        let escaped = #"{"é":1,"\u00e9":2}"#
        #expect(throws: StrictJSONError.self) { try StrictJSON.validate(Array(escaped.utf8)) }
    }
}
