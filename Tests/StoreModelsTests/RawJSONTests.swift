import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: what is passed on is what came, and a member that is put in is where a decoder and an encoder would put it.
@Suite struct RawJSONTests {
    private struct Page<Item: Codable>: Codable {
        var items: [Item]
        var after: String?
    }

    @Test func `a value passes through byte by byte`() throws {
        let text = Array(#"{"after":"x","items":[{"b":1.50,"a":"\u00e9\/"},[],null,"t",-0]}"#.utf8)
        let page = try StoreJSON.decode(Page<RawJSON>.self, from: text)
        #expect(
            page.items.map { String(decoding: $0.bytes, as: UTF8.self) } == [
                #"{"b":1.50,"a":"\u00e9\/"}"#, "[]", "null", #""t""#, "-0",
            ])
        #expect(try StoreJSON.encode(page) == text)
    }

    @Test func `a member that is put in makes the object that encoding it would make`() throws {
        var random = SplitMix64.seeded("splice")
        for _ in 0..<500 {
            guard case .object(var members) = RandomJSON.value(depth: 3, &random) else { continue }
            let text = RandomJSON.text(&random)
            members["k20"] = nil
            let object = try RawJSON(encoding: JSONValue.object(members))
            let whole = members.merging(["k20": .string(text)]) { $1 }
            #expect(object.adding("k20", text).bytes == (try StoreJSON.encode(JSONValue.object(whole))))
        }
    }

    @Test(arguments: ["{}", #"{"a":1}"#, #"{"z":1}"#, #"{"a":{},"z":[]}"#])
    func `a member finds its place in front, between and behind`(text: String) throws {
        let object = try RawJSON(Array(text.utf8))
        let value = try StrictJSON.parse(Array(text.utf8))
        let whole = (value.objectValue ?? [:]).merging(["m": "x"]) { $1 }
        #expect(object.adding("m", "x").bytes == (try StoreJSON.encode(JSONValue.object(whole))))
    }

    @Test func `other coders get the value, too`() throws {
        let text = #"{"items":[{"a":[1,"x",null]}]}"#
        let page = try JSONDecoder().decode(Page<RawJSON>.self, from: Data(text.utf8))
        #expect(String(decoding: page.items[0].bytes, as: UTF8.self) == #"{"a":[1,"x",null]}"#)
        #expect(String(decoding: try JSONEncoder().encode(page), as: UTF8.self) == text)
    }
}
