import Testing

@testable import StoreModels

/// Goal: what a client misspells is refused by name, wherever it is in a body. Method: bodies with one fault each.
@Suite struct UnknownMemberTests {
    private struct Order: Decodable, Equatable {
        struct Piece: Decodable, Equatable {
            var productIdentifier: String
            var quantity: Int?
        }

        var account: String
        var pieces: [Piece]?
        var note: JSONValue?
        var counts: [String: Int]?
    }

    private func refusal<Value: Decodable>(_ type: Value.Type, _ text: String) -> StoreError? {
        do {
            _ = try StoreJSON.decodeStrictly(type, from: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func `what has only known members is decoded, free objects inside it too`() throws {
        let text =
            #"{"account":"a","counts":{"x":1},"note":{"any":[{"thing":1}]},"pieces":[{"productIdentifier":"p"}]}"#
        let order = try StoreJSON.decodeStrictly(Order.self, from: Array(text.utf8))
        #expect(order.counts == ["x": 1])
        #expect(try StoreJSON.decode(Order.self, from: Array(text.utf8)) == order)
    }

    @Test(arguments: [
        (#"{"account":"a","notes":1}"#, "$.notes", "account, counts, note, pieces"),
        // A misspelt name of a member that must be there.
        (#"{"acount":"a"}"#, "$.acount", "account, counts, note, pieces"),
        (#"{"account":"a","zz":1,"b":2}"#, "$.b", "account, counts, note, pieces"),
        (
            #"{"account":"a","pieces":[{"productIdentifier":"p"},{"productIdentifier":"q","qty":3}]}"#,
            "$.pieces[1].qty", "productIdentifier, quantity"
        ),
        (#"{"account":"a","pieces":[{"product":"p"}]}"#, "$.pieces[0].product", "productIdentifier, quantity"),
    ])
    func `an unknown member is refused with its path and the known ones`(text: String, path: String, known: String) {
        let error = refusal(Order.self, text)
        #expect(error?.code == .requestInvalid)
        #expect(error?.details["path"]?.stringValue == path)
        #expect(error?.message == "\(path): is not known; known are \(known)")
    }

    @Test func `beside another fault it is refused without the known ones`() {
        #expect(refusal(Order.self, #"{"acount":1}"#)?.message == "$.acount: is not known")
    }

    @Test func `a name that Unicode calls equal is unknown`() {
        struct Keyed: Decodable { var aKey: String? }
        #expect(refusal(Keyed.self, #"{"aKey":"1"}"#) == nil)
        #expect(refusal(Keyed.self, "{\"a\u{212A}ey\":\"1\"}")?.details["path"] == "$.a\u{212A}ey")
    }

    @Test func `a type without members takes an empty object and nothing else`() {
        #expect(refusal(Empty.self, "{}") == nil)
        #expect(refusal(Empty.self, #"{"a":1}"#)?.message == "$.a: is not known; there are no members")
        for text in ["[]", "null", "1"] { #expect(refusal(Empty.self, text)?.message == "$: must be an object") }
        #expect(refusal([Empty].self, "{}")?.message == "$: must be a list")
    }
}
